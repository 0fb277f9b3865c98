import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openBareLog } from './bare-log.ts';

// A minimal server on Node's HTTP server, for comparison: it parses the JSON of each request, and sends as JSON the
// value that it received over IPC. If it is told so, it appends that JSON to a log before, as the store does, and waits
// until it is on the disk; requests that wait together share a flush.

interface Answer {
  readonly status: number;
  readonly value: unknown;
  readonly isStored: boolean;
}

let answer: Answer = { status: 404, value: null, isStored: false };
const log = await openBareLog();

process.on('message', (message) => {
  if (!isAnswer(message)) return;
  answer = message;
  process.send?.('kept');
});

const server = createServer((request, response) => {
  readJson(request, (valid) => {
    const text = JSON.stringify(answer.value);
    const send = () => {
      const body = Buffer.from(text);
      response.writeHead(valid ? answer.status : 400, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': body.length,
      });
      response.end(body);
    };
    if (answer.isStored) log.append(text, send);
    else send();
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // the server listens on TCP
  console.log(`Bare server listens on http://127.0.0.1:${port}`);
});
process.on('SIGTERM', () => {
  log.remove();
  process.exit(0);
});

/** Reads and parses a body, and calls `then` with whether it is JSON or absent. */
function readJson(request: IncomingMessage, then: (valid: boolean) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    try {
      if (chunks.length > 0) JSON.parse(Buffer.concat(chunks).toString());
      then(true);
    } catch {
      then(false);
    }
  });
}

function isAnswer(message: unknown): message is Answer {
  return (
    typeof message === 'object' && message !== null && 'status' in message && 'value' in message
  );
}
