import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Log } from '../../../ports/ports.ts';
import { stackOf } from '../../../values/caught.ts';
import { ApiError, serverError } from '../../../values/errors/errors.ts';
import { neverRejects } from '../../../values/promises/in-background.ts';
import { listenOnSocket } from '../files/unix-socket.ts';
import type { MetricsRequest } from './access.ts';
import type { Exposition } from './exposition.ts';

const maxConnections = 16;
const maxHeaderBytes = 8192;

/** What the server at a socket uses. */
export interface SocketOptions {
  readonly path: string;
  readonly log: Log;
  /** Time for a request in milliseconds; a client of this machine sends it at once. 5,000 when absent. */
  readonly clientMs?: number;
  /**
   * Returns the metrics.
   *
   * @throws ApiError for a request that may not have them
   */
  readonly read: (request: MetricsRequest) => Promise<Exposition>;
}

/**
 * Serves metrics at a Unix socket.
 *
 * @returns a function that ends it and removes the socket
 * @throws StartError when the path cannot be listened on
 */
export async function openMetricsSocket(options: SocketOptions): Promise<() => Promise<void>> {
  const { clientMs = 5000 } = options;
  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: clientMs,
    requestTimeout: clientMs,
    connectionsCheckingInterval: clientMs,
  });
  server.maxConnections = maxConnections;
  server.on('request', (message, response) => {
    message.resume();
    neverRejects(respond(options, message, response));
  });
  await listenOnSocket(server, options.path);
  return async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  };
}

async function respond(
  { read, log }: SocketOptions,
  { method = '', url = '', headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path = ''] = url.split('?');
  try {
    const { type, text } = await read({ method, path, authorization: headers.authorization });
    response.writeHead(200, { 'content-type': type }).end(text);
  } catch (error) {
    if (!(error instanceof ApiError)) {
      log({ level: 'error', message: 'metrics could not be read', cause: stackOf(error) });
    }
    const { status, body, headers: own } = error instanceof ApiError ? error : serverError();
    response.writeHead(status, { ...own, 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  }
}
