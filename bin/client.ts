import { codeOf, messageOf } from '../shared/values/caught.ts';
import { writeExactJson } from '../shared/values/json/exact-number.ts';

/** A request to the server. `body` is sent as JSON unless it is a form. */
export interface ClientRequest {
  readonly method?: string;
  /** From the root, or an absolute address. */
  readonly path: string;
  readonly body?: object;
  /** An account key or an API key; that of the client when absent. */
  readonly key?: string | undefined;
  /** Statuses that are expected; 200 to 299 by default. */
  readonly expect?: readonly number[];
}

/** A response; `body` is its JSON, or its text where that is not JSON. */
export interface ClientResponse {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: callers check the parts that they use
  readonly body: any;
}

/** Sends a request. Throws ResponseError when its status is not expected. */
export type Send = (request: ClientRequest) => Promise<ClientResponse>;

/** A response whose status is not expected. */
export class ResponseError extends Error {
  readonly response: ClientResponse;

  constructor({ path, method = 'GET' }: ClientRequest, text: string, response: ClientResponse) {
    super(`${method} ${path}: ${response.status} ${text.slice(0, shownCharacters)}`);
    this.response = response;
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
export function openClient(url: string, key?: string): Send {
  const send = async (request: ClientRequest, tries: number): Promise<ClientResponse> => {
    const { path, body, expect, method = body ? 'POST' : 'GET' } = request;
    const response = await fetch(new URL(path, url), {
      method,
      ...encoded({ key, ...request }),
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((error: unknown) => {
      throw new Error(`no response from ${url}: ${causeOf(error)}`);
    });
    const { status, ok, headers } = response;
    const text = await response.text();
    const seconds = Number(headers.get('retry-after') ?? 0);
    if (isBusy(status) && seconds > 0 && seconds < longestPauseSeconds && tries < maxTries) {
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      return send(request, tries + 1);
    }
    const result = { status, body: parsed(text) };
    if (expect === undefined ? ok : expect.includes(status)) return result;
    throw new ResponseError({ ...request, method }, text, result);
  };
  return (request) => send(request, 1);
}

/** Returns the reason of a failed request, which is the cause of the error of `fetch`. */
function causeOf(error: unknown): string {
  const { cause = error } = error as { readonly cause?: unknown };
  return codeOf(cause) ?? messageOf(cause);
}

function isBusy(status: number): boolean {
  return status === 429 || status === 503;
}

function encoded({ body, key }: ClientRequest) {
  const own = key === undefined ? {} : { 'X-API-KEY': key };
  if (body === undefined || body instanceof FormData)
    return { headers: own, ...(body && { body }) };
  const headers = { ...own, 'Content-Type': 'application/json' };
  return { headers, body: writeExactJson(body) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns all items of a list. */
export async function allItems<Item>(send: Send, path: string): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const item of itemsOf<Item>(send, path)) items.push(item);
  return items;
}

/** Passes all items of a list, page by page, as the server links them. */
export async function* itemsOf<Item = Record<string, unknown>>(
  send: Send,
  path: string,
): AsyncGenerator<Item> {
  for (let next: string | null = path; next !== null; ) {
    const { body }: ClientResponse = await send({ path: next });
    yield* body.objects as Item[];
    next = body.next;
  }
}
