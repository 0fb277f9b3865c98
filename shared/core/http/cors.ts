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

/** The response to any preflight, sent before routing and credentials (docs/reference/requests.md#cors). */
export const preflightResponse: Response = {
  status: 200,
  headers: {
    'access-control-allow-methods': 'DELETE, GET, OPTIONS, PATCH, POST, PUT',
    'access-control-allow-headers': requestHeaders,
    'access-control-max-age': '86400',
  },
};

/** Returns the response to a browser's preflight; undefined for other requests, also for introspection. */
export function respondToPreflight({ method, headers }: Request): Response | undefined {
  const isPreflight =
    method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
  return isPreflight ? preflightResponse : undefined;
}

/** Lets pages of another origin read the response. */
export function addCorsHeaders(request: Request, response: Response): Response {
  if (request.headers.origin === undefined) return response;
  const headers = Object.assign({}, response.headers, corsHeaders);
  return Object.assign({}, response, { headers });
}
