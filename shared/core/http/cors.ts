import type { Request, Response } from './message.ts';

/** Headers of the response to a request from a page of another origin (docs/reference/requests.md#cors). */
export const corsHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  // Without it a page cannot read when to retry, and retries at once without end.
  'access-control-expose-headers':
    'Retry-After, Allow, X-Last-Id, X-Request-Id, X-Error-Code, X-Ignored',
};

const requestHeaders =
  'accept, accept-encoding, authorization, content-type, dnt, origin, user-agent, x-csrftoken, ' +
  'x-requested-with, x-api-key, x-user-key, x-template-response, x-template, cache-control, ' +
  'x-confirm-name, x-strict, last-event-id';
const known: ReadonlySet<string> = new Set(requestHeaders.split(', '));

/** Names of headers that a page asks for beyond ours: tracing libraries add some to each request. */
const maxAskedNames = 50;
const headerName = /^[\w!#$%&'*+.^`|~-]{1,100}$/;

/**
 * Makes the response to a preflight, sent before routing and credentials: it allows our names of headers and those that
 * the page asks for (docs/reference/requests.md#cors).
 *
 * @param asked value of `Access-Control-Request-Headers`
 */
export function preflightResponse(asked: string | undefined): Response {
  const names = (asked ?? '').split(',').map((name) => name.trim().toLowerCase());
  const more = names.filter((name) => headerName.test(name) && !known.has(name));
  return {
    status: 200,
    headers: {
      'access-control-allow-methods': 'DELETE, GET, OPTIONS, PATCH, POST, PUT',
      'access-control-allow-headers': [
        requestHeaders,
        ...new Set(more.slice(0, maxAskedNames)),
      ].join(', '),
      'access-control-max-age': '86400',
    },
  };
}

/** The response to `OPTIONS *`, which is about the server as a whole (RFC 9110, 9.3.7). */
const ofServer: Response = {
  status: 200,
  headers: { allow: 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT' },
};

/** Returns the response to a browser's preflight; undefined for other requests, also for introspection. */
export function respondToPreflight({ method, path, headers }: Request): Response | undefined {
  if (method === 'OPTIONS' && path === '*') return ofServer;
  const isPreflight =
    method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
  return isPreflight ? preflightResponse(headers['access-control-request-headers']) : undefined;
}

/**
 * Lets pages of another origin read the response. CORS headers of a script replace ours, each by itself; credentials are
 * allowed only where the script names the one origin that may send them, whatever the request is: a cache may keep the
 * response (docs/reference/requests.md#cors).
 */
export function addCorsHeaders(request: Request, response: Response): Response {
  const sent = response.headers ?? {};
  const own = Object.keys(sent).filter((name) => isOfCors.test(name));
  const isOfPage = request.headers.origin !== undefined;
  if (!isOfPage && own.length === 0) return response;
  const headers =
    own.length === 0 ? { ...sent, ...corsHeaders } : replaceHeaders(sent, own, isOfPage);
  return Object.assign({}, response, { headers });
}

const isOfCors = /^access-control-/i;

function replaceHeaders(
  sent: Readonly<Record<string, string>>,
  own: readonly string[],
  isOfPage: boolean,
): Record<string, string> {
  const headers: Record<string, string> = isOfPage ? { ...corsHeaders } : {};
  for (const [name, value] of Object.entries(sent)) {
    headers[own.includes(name) ? name.toLowerCase() : name] = value;
  }
  if (!isOneOrigin.test(headers['access-control-allow-origin'] ?? '')) {
    delete headers['access-control-allow-credentials'];
  }
  return headers;
}

const isOneOrigin = /^[a-z][a-z\d+.-]*:\/\/[^\s,*]+$/;
