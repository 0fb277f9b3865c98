import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Response } from '../../../core/http/message.ts';
import { cachedForm } from '../../../core/http/response-cache.ts';
import { sendPieceBytes } from '../../../values/bounds.ts';
import { neverRejects } from '../../../values/promises/in-background.ts';

/** The body of a response as it is passed to the system. */
export interface SentBody {
  readonly content: Uint8Array | string;
  readonly bytes: number;
}

/** Prepares a body: a text of as many bytes as characters is ASCII, sent as is with half the work. */
export function toSentBody(content: Response['content']): SentBody | undefined {
  if (content === undefined) return undefined;
  return cachedForm(content, 'sent body', () => {
    const { bytes: body } = content;
    const bytes = Buffer.byteLength(body);
    const isLong = bytes > sendPieceBytes && bytes !== body.length;
    return { content: isLong ? Buffer.from(body) : body, bytes };
  });
}

/** Returns the headers of a response, with the length of its body, as Node takes them. */
export function nodeHeaders(
  { headers: own, cookies }: Response,
  sent: SentBody | undefined,
): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = Object.assign({}, own);
  if (cookies !== undefined) headers['set-cookie'] = [...cookies];
  if (sent !== undefined) headers['content-length'] = String(sent.bytes);
  return headers;
}

/** Sends a body after its head, a long one in pieces, and ends the response. */
export function sendBody(
  response: ServerResponse,
  body: SentBody | undefined,
): Promise<void> | undefined {
  if (body === undefined || body.bytes <= sendPieceBytes) {
    response.end(body?.content, encodingOf(body));
    return undefined;
  }
  return sendPieces(response, body).then(() => {
    response.end();
  });
}

/**
 * Sends a response before its request has arrived in full. The rest is read for a while, or the client would get a
 * connection reset in place of the response.
 */
export async function sendEarly(
  { message, response, drainMs }: EarlyExchange,
  body: SentBody | undefined,
): Promise<void> {
  if (body === undefined) response.flushHeaders();
  else await sendPieces(response, body);
  await drain(message, drainMs);
  response.end();
}

/** A request that has not arrived in full, and its response. */
export interface EarlyExchange {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  /** For how long its rest is read. */
  readonly drainMs: number;
}

/**
 * Sends pieces as they come; waits for a slow client, so that no more than one of them is in memory.
 *
 * @param count counts the bytes that wait for the client, and those that wait no more as negative
 */
export async function sendStream(
  response: ServerResponse,
  { status, headers }: Response,
  { pieces, count }: { pieces: AsyncIterable<string>; count: (bytes: number) => void },
): Promise<void> {
  response.writeHead(status, headers);
  response.flushHeaders();
  for await (const piece of pieces) {
    if (response.destroyed) break;
    if (response.write(piece)) continue;
    count(piece.length);
    await awaitDrain(response);
    count(-piece.length);
  }
  response.end();
}

async function sendPieces(response: ServerResponse, body: SentBody): Promise<void> {
  const { content } = body;
  const encoding = encodingOf(body);
  for (let at = 0; at < content.length && !response.destroyed; at += sendPieceBytes) {
    const end = at + sendPieceBytes;
    const piece = typeof content === 'string' ? content.slice(at, end) : content.subarray(at, end);
    if (!response.write(piece, encoding)) await awaitDrain(response);
  }
}

function encodingOf(body: SentBody | undefined): BufferEncoding {
  return body !== undefined && body.bytes === body.content.length ? 'latin1' : 'utf8';
}

function awaitDrain(response: ServerResponse): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const go = () => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.on('drain', go).on('close', go);
  });
}

/** Closes the connection after a response if the rest of the request does not arrive soon. */
export function closeUnread({ message, drainMs }: Omit<EarlyExchange, 'response'>): void {
  const close = () => {
    if (!message.complete) message.socket.destroy();
  };
  neverRejects(drain(message, drainMs).then(close));
}

/** Reads and discards what arrives, until the request ends or the time has passed. */
async function drain(message: IncomingMessage, drainMs: number): Promise<void> {
  if (message.complete || message.destroyed) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, drainMs);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    message.on('end', end).on('close', end).on('error', end).resume();
  });
}

/** Sends a last response over a connection that has no further request, and closes it though its client may not. */
export function sendLast(socket: Socket, text: string, drainMs: number): void {
  const timer = setTimeout(() => socket.destroy(), drainMs);
  socket.once('close', () => clearTimeout(timer));
  socket.on('error', () => undefined); // the client may disconnect at any time
  socket.resume();
  socket.end(text);
}
