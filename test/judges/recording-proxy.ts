import { createServer, type Server, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { recordFolder } from './record-folder.ts';
import { recordRequest, saveRequests } from './recorded-requests.ts';

/** A proxy in front of a simulator of AWS. */
export interface RecordingProxy {
  readonly url: string;
  /** Writes what was recorded. */
  close(): void;
}

/** Records the requests to a simulator, if a folder is named; otherwise clients get the address of the simulator. */
export async function recordBefore(target: string): Promise<RecordingProxy> {
  if (recordFolder === undefined) return { url: target, close: () => undefined };
  const server = createServer(async (request, response) => {
    const body = await buffer(request).catch(() => undefined);
    if (body === undefined) return; // the caller has ended
    recordRequest(request, body);
    const { method, url = '', headers } = request;
    const passed = sendRequest(new URL(url, target), { method, headers }, (found) => {
      response.writeHead(found.statusCode ?? 502, found.headers);
      found.pipe(response);
    });
    passed.once('error', () => response.destroy());
    passed.end(body);
  });
  server.keepAliveTimeout = 600_000; // or a client may send a request over a connection that is being closed
  return { url: await listen(server), close: () => end(server) };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens
}

function end(server: Server): void {
  saveRequests();
  server.close();
  server.closeAllConnections();
}
