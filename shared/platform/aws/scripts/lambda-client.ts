import type { LambdaClient } from '@aws-sdk/client-lambda';

/** The client of Lambda with its commands. Loaded when it is needed: most calls never run a script. */
export const lambdaSdk = () => import('@aws-sdk/client-lambda');

/** What the functions load of it. */
export type LambdaSdk = Awaited<ReturnType<typeof lambdaSdk>>;

/** A client that is made when it is first needed, unless it is given. It repeats nothing by itself. */
export function openLambda({
  client,
  requestTimeout,
}: {
  readonly client?: LambdaClient | undefined;
  /** Milliseconds. */
  readonly requestTimeout: number;
}): <T>(call: (client: LambdaClient, sdk: LambdaSdk) => Promise<T>) => Promise<T> {
  let opened = client;
  return async (call) => {
    const sdk = await lambdaSdk();
    opened ??= new sdk.LambdaClient({
      maxAttempts: 1, // what has been sent may have run
      requestHandler: {
        connectionTimeout: 3000,
        requestTimeout,
        throwOnRequestTimeout: true, // else it only warns
        // A connection that was closed while Lambda had frozen us fails with its next request, and then nobody
        // knows whether that has arrived. A new one costs some milliseconds.
        httpsAgent: { keepAlive: false },
        httpAgent: { keepAlive: false },
      },
    });
    return call(opened, sdk);
  };
}
