import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { isTextBody } from '../../shared/core/http/event-size.ts';
import type { Dispatch, Request } from '../../shared/core/http/message.ts';
import type { Handler } from '../../shared/platform/aws/gateway.ts';

/** Puts a gateway between the local server and a handler, for tests of functions over HTTP. */
export function behindGateway(handler: Handler): Dispatch {
  return async (request) => {
    const { statusCode, headers, body, isBase64Encoded } = await handler(toEvent(request));
    if (body === undefined) return { status: statusCode, headers };
    const type = headers['content-type'] ?? '';
    const bytes = isBase64Encoded ? Buffer.from(body, 'base64') : body;
    return { status: statusCode, headers, content: { type, bytes } };
  };
}

/** A request as it is on the wire. */
interface Wire {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

/** Returns the event that an HTTP API makes of bytes on the wire, by what is documented of it. */
export function gatewayEventOf({ method, target, headers, body }: Wire): APIGatewayProxyEventV2 {
  const [path = '', ...query] = target.split('?');
  const joined = new Map<string, string>();
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    const before = joined.get(lower);
    const separator = lower === 'cookie' ? '; ' : ',';
    joined.set(lower, before === undefined ? value : before + separator + value);
  }
  const request: Request = {
    id: 'Bq3xYgJkDoEEPbQ=',
    method,
    path: path.replace(/(?:%(?!2f)[0-9a-f]{2})+/gi, decodeURIComponent),
    query: new URLSearchParams(),
    headers: Object.fromEntries(joined),
    body: { kind: 'bytes', bytes: body },
    sourceAddress: '127.0.0.1',
  };
  return { ...toEvent(request), rawQueryString: query.join('?') };
}

/** Returns the event that an HTTP API (payload 2.0) makes of a request. */
function toEvent(request: Request): APIGatewayProxyEventV2 {
  const { id, method, path, query, headers: sent, sourceAddress } = request;
  const { cookie, ...headers } = sent;
  const rawQueryString = query.toString();
  const domainName = headers.host ?? '';
  const userAgent = headers['user-agent'] ?? '';
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString,
    ...(cookie !== undefined && { cookies: cookie.split(/;\s*/) }),
    headers,
    ...(rawQueryString !== '' && { queryStringParameters: joinParameters(query) }),
    requestContext: {
      accountId: 'anonymous',
      apiId: 'local',
      domainName,
      domainPrefix: 'local',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: sourceAddress, userAgent },
      requestId: id,
      routeKey: '$default',
      stage: '$default',
      time: '21/Nov/2026:12:00:00 +0000',
      timeEpoch: 1_795_262_400_000,
    },
    ...bodyOf(request),
  };
}

function joinParameters(query: URLSearchParams): Record<string, string> {
  const names = [...new Set(query.keys())];
  return Object.fromEntries(names.map((name) => [name, query.getAll(name).join(',')]));
}

/** The body as text where the gateway passes it on as text, else in base64. */
function bodyOf(request: Request): Pick<APIGatewayProxyEventV2, 'body' | 'isBase64Encoded'> {
  const { body } = request;
  if (body.kind === 'json') throw new Error('a gateway receives bytes');
  const bytes = Buffer.from(body.bytes);
  if (bytes.byteLength === 0) return { isBase64Encoded: false };
  return isTextBody(request, bytes)
    ? { body: bytes.toString(), isBase64Encoded: false }
    : { body: bytes.toString('base64'), isBase64Encoded: true };
}
