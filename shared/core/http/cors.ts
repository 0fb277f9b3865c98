import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Response } from './message.ts';

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
  'x-strict, last-event-id';

/** The response to any preflight, sent before routing and credentials (docs/reference/requests.md#cors). */
export const preflightResponse: Response = {
  status: 200,
  headers: {
    'access-control-allow-methods': 'DELETE, GET, OPTIONS, PATCH, POST, PUT',
    'access-control-allow-headers': requestHeaders,
    'access-control-max-age': '86400',
  },
};

/** Checks whether an OPTIONS request is a browser's preflight rather than a request for introspection. */
export function isPreflight({ headers, requestContext }: APIGatewayProxyEventV2): boolean {
  return (
    requestContext.http.method === 'OPTIONS' &&
    headers['access-control-request-method'] !== undefined
  );
}
