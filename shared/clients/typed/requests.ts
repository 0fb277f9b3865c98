import type { RequestPath } from '../../values/text/request-path.ts';
import type { RequestOptions } from './interface.ts';

/** A response. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** JSON, or the text where it is none; undefined if it is empty. */
  readonly body: unknown;
}

/** Sends a request of the client. */
export type Send = (
  path: RequestPath,
  options?: RequestOptions,
  isPublic?: boolean,
) => Promise<Reply>;

/** An error response of the server. A failed connection is the error of `fetch`. */
export class GroundworkError extends Error {
  override readonly name = 'GroundworkError';
  readonly status: number;
  /** Code for programs, such as `not_unique`; empty where the response has none. */
  readonly code: string;
  readonly body: unknown;

  constructor(request: string, { status, headers, body }: Reply) {
    super(`${request}: ${status} ${describe(body)}`);
    this.status = status;
    this.code = headers.get('x-error-code') ?? '';
    this.body = body;
  }
}

/** Returns the messages of an error response in one line: `title: Not a valid string.` */
function describe(body: unknown): string {
  if (typeof body !== 'object' || body === null) return String(body ?? '').slice(0, 300);
  const parts = Object.entries(body).map(([name, value]) => {
    const text = Array.isArray(value) ? value.map(describe).join(' ') : describe(value);
    return name === 'detail' || name === 'non_field_errors' ? text : `${name}: ${text}`;
  });
  return parts.join('; ');
}

const maxAddress = 4000; // request line and headers have at most 10,240 bytes
const maxTries = 5;
const maxRetrySeconds = 10;

/** Sends a request. It is repeated while the server is too busy for it. */
export async function sendUntilServed(
  address: URL,
  options: RequestOptions,
  keys: Readonly<Record<string, string>>,
): Promise<Reply> {
  const { method = 'GET', body, signal } = options;
  const { target, ...init } = encode(address, method, body);
  const request = { ...init, headers: { ...keys, ...init.headers }, ...(signal && { signal }) };
  for (let tries = 1; ; tries += 1) {
    const response = await fetch(target, request);
    const reply = await replyOf(response);
    if (response.ok) return reply;
    const seconds = tries < maxTries ? retrySeconds(reply) : 0;
    if (seconds === 0) throw new GroundworkError(`${method} ${address.pathname}`, reply);
    await pause(seconds * 1000, signal);
  }
}

/** What is sent. */
interface Encoded {
  readonly target: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Returns what is sent. The query of a long address is sent as a body. */
function encode(address: URL, method: string, body: object | undefined): Encoded {
  const { href, origin, pathname, searchParams } = address;
  if (method === 'GET' && href.length > maxAddress) {
    return {
      target: origin + pathname,
      method: 'POST',
      headers: { 'Content-Type': 'text/plain' },
      body: JSON.stringify({ ...Object.fromEntries(searchParams), _method: 'GET' }),
    };
  }
  if (body === undefined) return { target: href, method, headers: {} };
  const headers = { 'Content-Type': 'application/json' };
  return { target: href, method, headers, body: JSON.stringify(body) };
}

/** Returns after how many seconds a request may be repeated; 0 if it may not. */
function retrySeconds({ status, headers }: Reply): number {
  const seconds = Number(headers.get('retry-after'));
  return (status === 429 || status === 503) && seconds <= maxRetrySeconds ? seconds : 0;
}

/** Reads a response. */
export async function replyOf(response: Response): Promise<Reply> {
  const { status, headers } = response;
  const text = await response.text();
  if (text === '') return { status, headers, body: undefined };
  try {
    return { status, headers, body: JSON.parse(text) };
  } catch {
    return { status, headers, body: text };
  }
}

/** Waits, at most until the signal. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
