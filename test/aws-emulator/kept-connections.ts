import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { close, listen } from './loopback.ts';

/** The services of AWS as a process sees them: connections stay open, until the service closes them. */
export interface KeptConnections {
  readonly url: string;
  /** Requests that are under way, as `METHOD action`. */
  underWay(): readonly string[];
  /** Closes all connections, as services do with those that nobody has used for a while. */
  closeAll(): void;
  close(): Promise<void>;
}

/**
 * Opens a proxy to an emulator. moto closes the connection after each response, which AWS does not.
 *
 * @param endpoint URL of the emulator
 */
export async function openKeptConnections(endpoint: string): Promise<KeptConnections> {
  const active = new Set<IncomingMessage>();
  const server = createServer((incoming, response) => {
    if (isOfProcess(incoming)) active.add(incoming);
    response.once('close', () => active.delete(incoming));
    forward(endpoint, incoming, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 0; // `closeAll` closes them
  const address = await listen(server);
  return {
    url: `http://${address}`,
    underWay: () =>
      [...active].map(({ method, url, headers }) => `${method} ${headers['x-amz-target'] ?? url}`),
    closeAll: () => server.closeAllConnections(),
    close: () => close(server),
  };
}

/** Signed addresses, which a function gives to clients, lead here too: their requests are no request of the process. */
function isOfProcess({ headers, url = '' }: IncomingMessage): boolean {
  return headers.authorization !== undefined || !url.includes('X-Amz-Signature=');
}

async function forward(
  endpoint: string,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { hostname, port } = new URL(endpoint);
  const { method, url: path, headers } = incoming;
  const { expect: _expect, ...passed } = headers; // this server has already told the client to continue
  const agent = false;
  const outgoing = request({ hostname, port, method, path, headers: passed, agent });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject);
  });
  answered.catch(() => undefined); // awaited below
  await pipeline(incoming, outgoing);
  const answer = await answered;
  const { connection: _closed, ...others } = answer.headers;
  response.writeHead(answer.statusCode ?? 502, others);
  await pipeline(answer, response);
}
