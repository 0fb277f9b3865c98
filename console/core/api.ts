import { parseExactJson, writeExactJson } from '../../shared/values/json/exact-number.ts';
import {
  addressAt,
  at,
  checkPath,
  joinPaths,
  type RequestPath,
} from '../../shared/values/text/request-path.ts';
import { record } from './exchanges.ts';
import type { ApiRequest, Parameters } from './request.ts';
import { inInstance, learnRole, readOnce, refusalOf } from './roles.ts';
import { lens, session, signOut } from './session.ts';
import { noteSuspension } from './suspension.ts';

/** A page of a list. */
export interface ApiPage<Item> {
  readonly objects: readonly Item[];
  /** Path of the next page, or null. */
  readonly next: string | null;
  readonly prev: string | null;
  readonly objects_count?: number;
}

/** An error response, or a request that did not arrive. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';

  /** Of the response; 0 when there was none. */
  readonly status: number;
  /** Messages by the path of their field, for example `profile.avatar`. */
  readonly fields: Readonly<Record<string, string>>;

  constructor(status: number, message: string, fields: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.fields = fields;
  }
}

/** Headers with keys. */
type Keys = Readonly<Record<string, string>>;

/** Address of the server, with a slash at its end: the console is served one folder below it. */
export const serverUrl = new URL('../', location.href.split(/[?#]/)[0]).href;

/** Returns the address of a request. */
export function urlOf({ path, query = {} }: Pick<ApiRequest, 'path' | 'query'>): string {
  const url = addressAt(serverUrl, path.startsWith('/') ? path : joinPaths(at`/v1.1/`, path));
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url.href;
}

/**
 * Sends a request and returns the parsed body of its response; undefined when it has none. A number that a
 * double changes is an `ExactNumber`, also where the type of the body says number.
 *
 * @typeParam Body as the interface describes the response
 * @param keys headers of `authHeaders` from an earlier time; with them, the request continues when the page is left
 * @throws ApiProblem for an error response, and when there is none
 */
export async function send<Body = unknown>(request: ApiRequest, keys?: Keys): Promise<Body> {
  const body = await readOnce(request, async () => {
    const response = await sendRaw(request, keys);
    const text = await fromServer(response.text());
    return text === '' ? undefined : parseExactJson(text);
  });
  return body as Body; // as the interface describes it
}

/** Posts a body with secrets, as `send` does: the request is not shown in the API panel. */
export function postSecret<Body = unknown>(path: RequestPath, body: object): Promise<Body> {
  return send({ method: 'POST', path, body, isQuiet: true });
}

/**
 * Sends a request and returns its successful response, whose body may be anything.
 *
 * @throws ApiProblem as `send`
 */
export async function sendRaw(request: ApiRequest, keys?: Keys): Promise<Response> {
  const key = (keys ?? authHeaders(request))['X-API-KEY'];
  const response = await requestResponse(request, keys);
  if (response.ok) return response;
  const text = await fromServer(response.text());
  const problem = toProblem(response.status, parse(text), text);
  const isEnded = response.status === 403 && problem.message === 'No such API Key.';
  if (isEnded && key === session.peek()?.accountKey) {
    const isReset = response.headers.get('X-Error-Code') === 'key_reset';
    signOut(isReset ? 'the account key was reset' : unknownKey);
  }
  throw problem;
}

const unknownKey = 'this server does not know the account key any more';

/**
 * Sends a request and returns its response, whatever its status: that of a script endpoint is chosen by the script.
 *
 * @throws ApiProblem when there is no response, or the role of the account does not allow the request: it is not sent
 */
export async function requestResponse(request: ApiRequest, keys?: Keys): Promise<Response> {
  if (keys === undefined) await learnRole(request, send); // keys: the page may be left
  const refusal = refusalOf(request);
  if (refusal !== undefined) throw new ApiProblem(403, refusal);
  const url = urlOf(request);
  const started = performance.now();
  const response = await transport(url, request, keys);
  const durationMs = performance.now() - started;
  noteSuspension(request.path, response.headers);
  if (!request.isQuiet) record({ request, url, status: response.status, durationMs });
  return response;
}

/**
 * Returns the headers that a request asks for: the name of an instance that is to be deleted
 * (docs/reference/instances.md#delete), and that unknown names are errors (docs/reference/requests.md#unknown-names).
 */
export function askedHeaders({ confirmedName, isStrict }: ApiRequest): Record<string, string> {
  return {
    ...(confirmedName !== undefined && { 'X-Confirm-Name': confirmedName }),
    ...(isStrict && { 'X-Strict': '1' }),
  };
}

async function transport(url: string, request: ApiRequest, keys?: Keys): Promise<Response> {
  const { body, method, signal } = request;
  const isJson = body !== undefined && !(body instanceof FormData);
  const type = isJson ? { 'Content-Type': 'application/json' } : {};
  if (body instanceof FormData) await checkFiles(body);
  return fromServer(
    fetch(url, {
      method,
      headers: {
        Accept: 'application/json',
        ...(keys ?? authHeaders(request)),
        ...type,
        ...askedHeaders(request),
      },
      body: body instanceof FormData ? body : isJson ? writeExactJson(body) : null,
      signal: signal ?? null,
      credentials: 'omit',
      keepalive: keys !== undefined,
    }),
  );
}

/**
 * Checks that the files of a form can still be read: a request with others fails as if there were no server.
 *
 * @throws DOMException when one was changed or deleted
 */
export async function checkFiles(form: FormData): Promise<void> {
  for (const value of form.values()) {
    if (value instanceof File) await value.slice(0, 1).arrayBuffer();
  }
}

/**
 * Awaits a response, or the body of one: the connection may end in the middle.
 *
 * @throws ApiProblem when the server cannot be reached
 */
export async function fromServer<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiProblem(0, 'The server cannot be reached.');
  }
}

/** Reads a list, page by page. */
export async function* listPages<Item>(
  path: RequestPath,
  query: Parameters = {},
  signal?: AbortSignal,
): AsyncGenerator<readonly Item[]> {
  let current: RequestPath | null = path;
  let parameters = query;
  while (current !== null) {
    const request: ApiRequest = { method: 'GET', path: current, query: parameters };
    const page: ApiPage<Item> = await send({ ...request, ...(signal && { signal }) });
    yield page.objects;
    current = page.next === null ? null : checkPath(page.next);
    parameters = {};
  }
}

/** Reads a whole list; for lists that a person makes by hand, such as classes. */
export async function readAll<Item>(path: RequestPath, query: Parameters = {}): Promise<Item[]> {
  const all: Item[] = [];
  for await (const items of listPages<Item>(path, query)) all.push(...items);
  return all;
}

/** Returns the headers with keys of a request. */
export function authHeaders({ path, isOwn }: ApiRequest): Keys {
  const view = lens.peek();
  if (view !== undefined && !isOwn && inInstance(path)?.instance === view.instance) {
    const user = view.userKey === undefined ? {} : { 'X-USER-KEY': view.userKey };
    return { 'X-API-KEY': view.apiKey, ...user };
  }
  const account = session.peek();
  return account === undefined ? {} : { 'X-API-KEY': account.accountKey };
}

/**
 * Returns the problem of an error response.
 *
 * @param text is shown where the body is no object with messages
 */
export function toProblem(status: number, body: unknown, text: string): ApiProblem {
  if (typeof body !== 'object' || body === null) {
    return new ApiProblem(status, text === '' ? `The server responded with ${status}.` : text);
  }
  const fields = flatten(body);
  const { detail, non_field_errors: general, ...others } = fields;
  const whole = detail ?? general;
  const named = Object.entries(others).map(([name, message]) => `${name}: ${message}`);
  return new ApiProblem(status, whole ?? named.join(' '), others);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not JSON, for example a proxy's page
  }
}

/** Returns the messages in an error body by the paths of their fields. */
function flatten(body: object, before = ''): Record<string, string> {
  const messages: Record<string, string> = {};
  for (const [name, value] of Object.entries(body)) {
    const path = before + name;
    if (typeof value === 'string') messages[path] = value;
    else if (Array.isArray(value) && value.every((each) => typeof each === 'string')) {
      messages[path] = value.join(' ');
    } else if (typeof value === 'object' && value !== null) {
      Object.assign(messages, flatten(value, `${path}.`));
    }
  }
  return messages;
}
