import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** Bytes received over a socket until the server closed it. */
export interface SocketAnswer {
  /** 0: no response. */
  readonly status: number;
  /** Status line and headers of the first response. */
  readonly head: string;
  /** The body, parsed when it is JSON. */
  readonly body: unknown;
  readonly text: string;
}

/** Sends bytes unchanged, even invalid HTTP, and returns the received ones. */
export function exchange(
  url: string,
  ...parts: readonly (string | Uint8Array)[]
): Promise<SocketAnswer> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => undefined); // a server that has responded may close before it has read all
    socket.on('close', () => resolve(toAnswer(Buffer.concat(chunks).toString())));
    for (const part of parts) socket.write(part);
  });
}

/** Sends the start of a request and disconnects. */
export function abandon(url: string, begin: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
    socket.write(begin, () => socket.destroy());
  });
}

/** Waits until connections are refused. */
export async function refusing(url: string): Promise<void> {
  for (;;) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const [event] = await Promise.race([
      once(socket, 'connect').then(() => ['open']),
      once(socket, 'error').then(() => ['refused']),
    ]).catch(() => ['refused']);
    socket.destroy();
    if (event === 'refused') return;
    await setTimeout(10);
  }
}

function toAnswer(text: string): SocketAnswer {
  const end = text.indexOf('\r\n\r\n');
  const head = end < 0 ? text : text.slice(0, end);
  const rest = end < 0 ? '' : text.slice(end + 4);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0);
  try {
    return { status, head, text, body: JSON.parse(rest) };
  } catch {
    return { status, head, text, body: rest };
  }
}
