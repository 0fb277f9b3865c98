import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// A minimal server on Node's HTTP server, for comparison: it serves for each path the bytes that it received over IPC.

const answers = new Map<string, Buffer>();

process.on('message', (message) => {
  if (!isAnswer(message)) return;
  answers.set(message.path, Buffer.from(message.body));
  process.send?.('kept');
});

const server = createServer((request, response) => {
  const body = answers.get(request.url ?? '');
  response.writeHead(body === undefined ? 404 : 200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body?.length ?? 0,
  });
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // the server listens on TCP
  console.log(`Bare server listens on http://127.0.0.1:${port}`);
});
process.on('SIGTERM', () => process.exit(0));

function isAnswer(message: unknown): message is { path: string; body: string } {
  return typeof message === 'object' && message !== null && 'path' in message && 'body' in message;
}
