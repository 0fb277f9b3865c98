import { ApiError } from '../../values/errors/errors.ts';
import { writeExactJson } from '../../values/json/exact-number.ts';
import { isJsonObject } from '../../values/json/json.ts';
import { mediaType } from '../../values/text/media-type.ts';
import { decodeText } from './body/body.ts';
import { parseJsonText } from './json-text.ts';
import { keyMembers, type Request } from './message.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Returns the request that a `POST` of `text/plain` represents: browsers send it this way to avoid a preflight
 * (docs/reference/requests.md#method-override). `_method` in its JSON object names the method, the other keys are the
 * body. With any other value of `_method`, and with a body that does not parse, the request keeps its method, like any
 * other request.
 *
 * When the method becomes `GET`, the keys of the body, except credentials, become query parameters as well, before
 * those of the URL, which so take precedence: a query may be longer than the 10 kB that a gateway allows. Strings are
 * used unchanged, other values as JSON.
 *
 * @returns the request with its body parsed, so that it is parsed once; `request` itself when nothing applies
 */
export function applyOverride(request: Request): Request {
  const { body, headers } = request;
  const contentType = headers['content-type'];
  if (request.method !== 'POST' || contentType === undefined || body.kind !== 'bytes')
    return request;
  if (body.bytes.byteLength === 0 || mediaType(contentType) !== 'text/plain') return request;
  const value = readJson(body.bytes, contentType);
  if (value === undefined) return request;
  const method = isJsonObject(value) ? value._method : undefined;
  if (!isJsonObject(value) || typeof method !== 'string' || !methods.includes(method)) {
    return { ...request, body: { kind: 'json', value, bytes: body.bytes } };
  }
  // just parsed and not shared: a copy without it takes seconds where a body has 300,000 keys
  Reflect.deleteProperty(value, '_method');
  const broken = method === 'GET' ? brokenMemberOf(value) : undefined;
  return {
    ...request,
    method,
    query: method === 'GET' ? withBody(request.query, value) : request.query,
    body: { kind: 'json', value, bytes: body.bytes },
    ...(broken !== undefined && { brokenParameter: broken }),
  };
}

/** Returns the value of the body; undefined when it does not parse, which the body parser reports later. */
function readJson(bytes: Uint8Array, contentType: string): unknown {
  try {
    return parseJsonText(decodeText(bytes, contentType));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return undefined;
  }
}

/** Returns the name of a member that no query can hold: it has a lone surrogate. */
function brokenMemberOf(body: Readonly<Record<string, unknown>>): string | undefined {
  const isBroken = (text: unknown) => typeof text === 'string' && !text.isWellFormed();
  return Object.keys(body).find((name) => isBroken(name) || isBroken(body[name]));
}

function withBody(
  query: URLSearchParams,
  body: Readonly<Record<string, unknown>>,
): URLSearchParams {
  const merged = new URLSearchParams();
  for (const [name, value] of Object.entries(body)) {
    if (keyMembers.includes(name)) continue; // a link to the next page repeats the query
    merged.append(name, typeof value === 'string' ? value : writeExactJson(value));
  }
  for (const [name, value] of query) merged.append(name, value);
  return merged;
}
