/** A request to the server. `body` is sent as JSON unless it is a form. */
export interface SmokeRequest {
  readonly method?: string;
  /** From the root, or an absolute address. */
  readonly path: string;
  readonly body?: object;
  readonly key?: string | undefined;
  /** Statuses that are expected; 200 and 201 by default. */
  readonly expect?: readonly number[];
}

/** A response; `body` is its JSON, or its text where that is not JSON. */
export interface SmokeResponse {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: steps check the parts that they use
  readonly body: any;
}

/** Sends a request. Throws an error with the response when its status is not expected. */
export type Send = (request: SmokeRequest) => Promise<SmokeResponse>;

const timeoutMs = 60_000;
const shownCharacters = 300;

/** Opens a client of a server. It retries after a 429, as client libraries do. */
export function openClient(url: string): Send {
  return async function send(request) {
    const { path, body, expect = [200, 201], method = body ? 'POST' : 'GET' } = request;
    const response = await fetch(new URL(path, url), {
      method,
      ...encoded(request),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    const seconds = Number(response.headers.get('retry-after') ?? 0);
    if (response.status === 429 && seconds > 0 && seconds < 10) {
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      return send(request);
    }
    if (!expect.includes(response.status)) {
      throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, shownCharacters)}`);
    }
    return { status: response.status, body: parsed(text) };
  };
}

function encoded({ body, key }: SmokeRequest) {
  const own = key === undefined ? {} : { 'X-API-KEY': key };
  if (body === undefined || body instanceof FormData)
    return { headers: own, ...(body && { body }) };
  const headers = { ...own, 'Content-Type': 'application/json' };
  return { headers, body: JSON.stringify(body) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
