import { codeOf, messageOf } from '../values/caught.ts';
import { errorCodeHeader } from '../values/errors/error-codes.ts';
import { writeExactJson } from '../values/json/exact-number.ts';
import { checkPath, type RequestPath } from '../values/text/request-path.ts';
import { addressBelow } from './address-below.ts';

/** A request to the server. `body` is sent as JSON unless it is a form. */
export interface ClientRequest<Path extends string = string> {
  readonly method?: string;
  /** From the root of the server, or an absolute address of the server. */
  readonly path: Path;
  readonly body?: object;
  /** An account key or an API key; that of the client when absent. */
  readonly key?: string | undefined;
  /** Name of the instance that is to be deleted; the server compares it (docs/reference/instances.md#delete). */
  readonly confirmedName?: string;
  /** Statuses that are expected; 200 to 299 by default. */
  readonly expect?: readonly number[];
}

/** A response; `body` is its JSON, or its text where that is not JSON. */
export interface ClientResponse {
  readonly status: number;
  /** The reason of an error response, for programs (docs/reference/errors.md#codes). */
  readonly code?: string;
  // biome-ignore lint/suspicious/noExplicitAny: callers check the parts that they use
  readonly body: any;
}

/** Sends a request. Throws ResponseError when its status is not expected. */
export type SendRequest<Path extends string = string> = (
  request: ClientRequest<Path>,
) => Promise<ClientResponse>;

/** Sends requests to built or checked paths only: what commands use, whose names come from files and servers. */
export type PathSend = SendRequest<RequestPath>;

/** A response whose status is not expected. */
export class ResponseError extends Error {
  readonly request: Required<Pick<ClientRequest, 'method' | 'path'>>;
  readonly response: ClientResponse;

  constructor({ path, method = 'GET' }: ClientRequest, text: string, response: ClientResponse) {
    super(`${method} ${path}: ${response.status} ${text.slice(0, shownCharacters)}`);
    this.request = { method, path };
    this.response = response;
  }
}

/** No server has responded to a request. */
export class NoResponseError extends Error {
  /** The address of the server. */
  readonly url: string;

  constructor(url: string, cause: unknown) {
    super(`no response from ${url}: ${reasonOf(cause)}`, { cause });
    this.url = url;
  }
}

const timeoutMs = 60_000;
const shownCharacters = 300;
const longestPauseSeconds = 10;
const maxTries = 10;

/**
 * Opens a client of a server. It retries after a 429 and after a 503 with `Retry-After`, as client libraries do.
 *
 * @param key used by requests without one
 */
export function openClient(url: string, key?: string): SendRequest {
  const send = async (request: ClientRequest, tries: number): Promise<ClientResponse> => {
    const { path, body, expect, method = body ? 'POST' : 'GET' } = request;
    const response = await fetch(addressBelow(url, path), {
      method,
      redirect: 'manual', // `fetch` would send the key to where it leads
      ...encodeRequest({ key, ...request }),
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((error: unknown) => {
      throw new NoResponseError(url, error);
    });
    const { status, ok, headers } = response;
    const { text, result } = await readResponse(response);
    const seconds = Number(headers.get('retry-after') ?? 0);
    if (isBusy(status) && isShort(seconds) && tries < maxTries) {
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      return send(request, tries + 1);
    }
    if (expect === undefined ? ok : expect.includes(status)) return result;
    throw unexpectedError(url, { ...request, method }, { text, result, headers });
  };
  return (request) => send(request, 1);
}

/** Reads a response of `fetch`. */
export async function readResponse(
  response: Response,
): Promise<{ readonly text: string; readonly result: ClientResponse }> {
  const text = await response.text();
  const code = response.headers.get(errorCodeHeader);
  const result = { status: response.status, body: parseIfJson(text) };
  return { text, result: code === null ? result : { ...result, code } };
}

/** Returns the reason of a failed request, which is the cause of the error of `fetch`. */
function reasonOf(error: unknown): string {
  const { cause = error } = error as { readonly cause?: unknown };
  return codeOf(cause) ?? messageOf(cause);
}

interface Unexpected {
  readonly text: string;
  readonly result: ClientResponse;
  readonly headers: Headers;
}

function unexpectedError(
  url: string,
  request: ClientRequest,
  { text, result, headers }: Unexpected,
): Error {
  const target = headers.get('location');
  const isRedirect = result.status >= 300 && result.status < 400;
  if (isRedirect && target !== null) return new Error(`${url} redirects to ${target}`);
  return new ResponseError(request, text, result);
}

function isShort(seconds: number): boolean {
  return seconds > 0 && seconds < longestPauseSeconds;
}

function isBusy(status: number): boolean {
  return status === 429 || status === 503;
}

/** Some proxies of servers below a path drop `Content-Encoding` of a compressed response. */
const uncompressed = { 'Accept-Encoding': 'identity' } as const;

function encodeRequest({ body, key, confirmedName }: ClientRequest) {
  const own = {
    ...(key !== undefined && { 'X-API-KEY': key }),
    ...(confirmedName !== undefined && { 'X-Confirm-Name': confirmedName }),
    ...uncompressed,
  };
  if (body === undefined || body instanceof FormData)
    return { headers: own, ...(body && { body }) };
  const headers = { ...own, 'Content-Type': 'application/json' };
  return { headers, body: writeExactJson(body) };
}

function parseIfJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns all items of a list. */
export async function allItems<Item>(send: PathSend, path: RequestPath): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const item of listItems<Item>(send, path)) items.push(item);
  return items;
}

/** Passes all items of a list, page by page, as the server links them. */
export async function* listItems<Item = Record<string, unknown>>(
  send: PathSend,
  path: RequestPath,
): AsyncGenerator<Item> {
  for (let next: RequestPath | null = path; next !== null; ) {
    const { body }: ClientResponse = await send({ path: next });
    yield* body.objects as Item[];
    next = body.next === null ? null : checkPath(String(body.next));
  }
}
