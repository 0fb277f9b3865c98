import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { clientLimits } from '../sdk/client.ts';

/** The location of DynamoDB; absent values come from the environment, as everywhere on AWS. */
export interface DynamoOptions {
  /** URL of an emulator or of a private endpoint. */
  readonly endpoint?: string;
  readonly region?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Time for one request, 3 s when absent; an emulator may need more. */
  readonly requestTimeoutMs?: number;
}

/** The largest responses (1 MB queries, transactions of 4 MB) take some hundred milliseconds. */
const defaultTimeoutMs = 3000;

/** A batch of 50 requests, each with several pending reads, does not wait for a socket. */
const maxSockets = 200;

/** Creates a client that keeps its connections open, and does not retry by itself (see `retry`). */
export function createClient({
  requestTimeoutMs = defaultTimeoutMs,
  ...options
}: DynamoOptions = {}): DynamoDBClient {
  const { requestHandler, ...limits } = clientLimits({
    requestMs: requestTimeoutMs,
    maxAttempts: 1,
  });
  return new DynamoDBClient({
    ...options,
    ...limits,
    cacheMiddleware: true, // no middleware is added after the first request
    requestHandler: {
      ...requestHandler,
      httpsAgent: { keepAlive: true, maxSockets },
      httpAgent: { keepAlive: true, maxSockets },
    },
  });
}

/**
 * Counts the requests that a client sends, repeated ones included.
 *
 * @returns takes the number since its last call
 */
export function countRequests(client: DynamoDBClient): () => number {
  let count = 0;
  client.middlewareStack.add(
    (next) => (args) => {
      count += 1;
      return next(args);
    },
    { step: 'finalizeRequest', name: 'countRequests' },
  );
  return () => {
    const taken = count;
    count = 0;
    return taken;
  };
}
