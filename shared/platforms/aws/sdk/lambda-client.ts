import type { LambdaClient } from '@aws-sdk/client-lambda';
import { clientLimits, naming } from './client.ts';

/** Loads the Lambda client with its commands at its first use: most requests never run a script. */
export const lambdaSdk = () => import('@aws-sdk/client-lambda');

/** The part of the Lambda SDK that functions load. */
export type LambdaSdk = Awaited<ReturnType<typeof lambdaSdk>>;

/**
 * Opens a client at its first use, unless one is given. It retries nothing by itself.
 *
 * It does not tell Lambda which invocation a request comes from: the end of a run starts the next one of its instance,
 * and Lambda takes the seventeenth function of such a chain for an endless loop and rejects it.
 */
export function openLambda({
  client,
  requestTimeout,
}: {
  readonly client?: LambdaClient | undefined;
  /** Milliseconds. */
  readonly requestTimeout: number;
}): <T>(call: (client: LambdaClient, sdk: LambdaSdk) => Promise<T>) => Promise<T> {
  let opened: LambdaClient | undefined;
  // a request that was sent may have run
  const { requestHandler, ...limits } = clientLimits({ requestMs: requestTimeout, maxAttempts: 1 });
  const create = (sdk: LambdaSdk) =>
    new sdk.LambdaClient({
      ...limits,
      requestHandler: {
        ...requestHandler,
        connectionTimeout: 3000,
        // A connection that was closed while Lambda had frozen this process fails with its next request, which may or
        // may not have arrived. A new one costs some milliseconds.
        httpsAgent: { keepAlive: false },
        httpAgent: { keepAlive: false },
      },
    });
  return async (call) => {
    const sdk = await lambdaSdk();
    opened ??= naming(client ?? create(sdk));
    opened.middlewareStack.remove('recursionDetectionMiddleware');
    return call(opened, sdk);
  };
}
