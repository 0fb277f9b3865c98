import { withOrigin } from '../../../values/caught.ts';

/** A new connection takes some tens of milliseconds; only a dead host takes longer than this. */
const connectionTimeoutMs = 1000;

/** Time limits of a client, in which all its tries together end before the gateway gives up. */
export interface Limits {
  /** Time for one request. */
  readonly requestMs: number;
  /** Tries of one request: 1 where a request that was sent may have an effect. */
  readonly maxAttempts: number;
}

/** Returns the options that all clients have: without them a service that does not respond is waited for without end. */
export function clientLimits({ requestMs, maxAttempts }: Limits) {
  return {
    maxAttempts,
    requestHandler: {
      connectionTimeout: connectionTimeoutMs,
      requestTimeout: requestMs,
      throwOnRequestTimeout: true, // without it the SDK only warns
      socketTimeout: requestMs, // the other one ends with the first byte of the response
    },
  };
}

/** A client of the SDK. */
interface Client {
  send: (...args: never[]) => unknown;
  readonly config: { readonly serviceId: string };
}

const named = new WeakSet<Client>();

/** Has the errors of a client name its service and the action, for the log. Returns the client. */
export function naming<Each extends Client>(client: Each): Each {
  if (named.has(client)) return client;
  named.add(client);
  const send = client.send.bind(client);
  const { serviceId: service } = client.config;
  client.send = async (...args: never[]) => {
    try {
      return await send(...args);
    } catch (error) {
      throw withOrigin(error, { service, action: actionOf(args[0]) });
    }
  };
  return client;
}

/** Returns the name of a command's operation. The names of classes are shortened in bundles. */
function actionOf(command: { readonly schema?: readonly unknown[] } | undefined): string {
  return String(command?.schema?.[2]);
}
