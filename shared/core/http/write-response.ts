import { nextRound } from '../../ports/limits/event-loop-rounds.ts';
import { detailError } from '../../values/errors/errors.ts';
import { writeExactJson } from '../../values/json/exact-number.ts';
import {
  hasTakenEffect,
  indentedSizeError,
  isResponseTooLarge,
  maxEventBytes,
} from './event-size.ts';
import type { Content, Request, Response } from './message.ts';
import { jsonIndent } from './negotiation.ts';
import { cachedForm, isConstant, markConstant, writeBody } from './response-cache.ts';

const jsonType = 'application/json; charset=utf-8';
/** Headers of one connection, counted by the server, or fixed for all responses; scripts set headers too. */
const notOurs =
  /^(connection|content-length|keep-alive|te|trailer|transfer-encoding|upgrade|x-content-type-options)$/;

/**
 * Serializes the body of a response as JSON, indented as the client requests. 204 and 304 have no body. What is too large
 * to be indented is not, after a request that may have changed something.
 *
 * @throws ApiError 413 for the response of another request that is too large to be indented
 */
export function serialize(request: Request, response: Response): Response | Promise<Response> {
  const { headers } = request;
  const { status, headers: own = {}, body, content, cookies } = response;
  if (status === 204 || status === 304)
    return { status, headers: own, ...(cookies && { cookies }) };
  if (content !== undefined || body === undefined) return response;
  const indent = jsonIndent(headers.accept);
  const complete = (made: Content): Response => ({ status, headers: own, content: made });
  // the content of a constant is constant: its further forms are cached as well
  if (isConstant(body))
    return complete(
      cachedForm(body, `JSON ${indent}`, () => markConstant(toContent(body, indent))),
    );
  if (indent === 0) return complete(toContent(body, indent));
  const isRefused = !hasTakenEffect(request, response);
  return nextRound().then(() => complete(toContent(body, indent, isRefused)));
}

function toContent(body: unknown, indent: number, isRefused = true): Content {
  return { type: jsonType, bytes: toText(body, indent, isRefused), isOwn: true };
}

function toText(body: unknown, indent: number, isRefused: boolean): string {
  const text = writeBody(body);
  if (indent === 0) return text;
  const form = { indent, maxBytes: maxEventBytes, other: 'no indent' };
  const error = indentedSizeError(text, form);
  if (error === undefined) return writeExactJson(body, indent);
  if (isRefused) throw error;
  return text;
}

/** The default: no cache stores a response, because it is for one client. */
const uncached = 'private, no-store';

/** Headers that a response depends on, for caches that store it anyway: those that may hold a key, and the form. */
const varying =
  'Accept, Authorization, X-API-KEY, X-USER-KEY, X-Template, X-Template-Response, X-Strict, Origin';

/** Headers of every response except files; names in lower case. */
export const commonHeaders: Readonly<Record<string, string>> = {
  'cache-control': uncached,
  vary: varying,
  'x-content-type-options': 'nosniff',
};

/** Adds the headers that every response has. Names are in lower case from here on. */
export function addHeaders({ id }: Request, response: Response): Response {
  const { status, content, stream, cookies } = response;
  const headers = allHeaders(response.headers);
  headers['x-request-id'] = id;
  const sent = content ?? stream;
  if (sent !== undefined) headers['content-type'] ??= sent.type;
  else if (status !== 204) headers['content-length'] = '0';
  return {
    status,
    headers,
    ...(cookies && { cookies }),
    ...(content && { content }),
    ...(stream && { stream }),
  };
}

/** Merges the headers of a response into those of all. */
function allHeaders(own: Response['headers'] = noHeaders): Record<string, string> {
  const headers: Record<string, string> = Object.assign({}, commonHeaders);
  for (const [name, value] of Object.entries(own)) {
    const lower = name.toLowerCase();
    if (lower === 'vary') headers.vary = `${varying}, ${value}`;
    else if (!notOurs.test(lower)) headers[lower] = value;
  }
  return headers;
}

const noHeaders = {};

/**
 * Returns a response that a function may return.
 *
 * @throws ApiError 413 for a response over the 6 MB that the platform allows
 */
export function limitResponseSize(response: Response): Response {
  if (!isResponseTooLarge(response)) return response;
  throw detailError(413, `Response size limit exceeded (${maxEventBytes}).`, 'response_too_large');
}

/** Removes the body from the response to HEAD; it keeps the headers, with the length of the body. */
export function withoutBody({ method }: Request, response: Response): Response {
  if (method !== 'HEAD') return response;
  const { status, headers, content, cookies } = response;
  const length = content && { 'content-length': String(Buffer.byteLength(content.bytes)) };
  return {
    status,
    ...((headers || length) && { headers: { ...headers, ...length } }),
    ...(cookies && { cookies }),
  };
}
