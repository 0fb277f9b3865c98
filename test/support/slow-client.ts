import { connect, type Socket } from 'node:net';

/** Bytes of a client that is slow at one point of a request. */
export interface SlowRequest {
  readonly name: string;
  /** Sent at once. */
  readonly start: string;
  /** Sent again and again after that, so that the client is slow and not silent. */
  readonly more: string;
  /** Whether it reads nothing of what it gets. */
  readonly readsNothing?: boolean;
}

/** A connection of a slow client. */
export interface SlowClient {
  readonly name: string;
  readonly socket: Socket;
  isClosed: boolean;
  /** Sends a little more. */
  trickle(): void;
}

/** Opens a connection, and sends the start of a request. Its own side stays open when the server has ended. */
export function openSlowClient(
  port: number,
  { name, start, more, readsNothing = false }: SlowRequest,
): SlowClient {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  let hasEnded = false;
  const trickle = () => {
    if (!socket.destroyed) socket.write(hasEnded ? 'x' : more); // shows whether the connection is closed
  };
  socket.once('end', () => {
    hasEnded = true;
  });
  const client: SlowClient = { name, socket, isClosed: false, trickle };
  socket.on('error', () => undefined); // to be cut off is expected
  socket.once('close', () => {
    client.isClosed = true;
  });
  if (readsNothing) socket.pause();
  else socket.resume();
  if (start !== '') socket.write(start);
  return client;
}

/** Sends a request over a connection of its own; resolves with its status, 0 when the connection was closed. */
export function statusOf(port: number, path: string): Promise<number> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1');
    socket.setEncoding('latin1').on('data', (part) => {
      text += part;
    });
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(Number(/^HTTP\/1.1 (\d+)/.exec(text)?.[1] ?? 0)));
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  });
}
