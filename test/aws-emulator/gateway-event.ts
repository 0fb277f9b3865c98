import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Dispatch } from '../../shared/core/http/message.ts';
import type { Handler } from '../../shared/platforms/aws/gateway.ts';

/** A request as the gateway has read it. */
export interface GatewayRequest {
  readonly method: string;
  /** Percent-decoded, except `%2f`. */
  readonly path: string;
  /** As sent, without the question mark. */
  readonly query?: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: Uint8Array;
  readonly id?: string;
  readonly sourceAddress?: string;
}

const domainName = 'a1b2c3d4e5.execute-api.eu-west-1.amazonaws.com';

/** Returns the event that the default stage of an HTTP API sends to a function, payload 2.0. */
export function eventOf(request: GatewayRequest): APIGatewayProxyEventV2 {
  const { method, path, query = '', headers: sent, body = Buffer.alloc(0) } = request;
  const { cookie, ...headers } = sent;
  const parameters = new URLSearchParams(query);
  const isBase64Encoded = body.byteLength > 0 && !isText(headers, Buffer.from(body));
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: query,
    ...(cookie !== undefined && { cookies: cookie.split(/;\s*/) }),
    headers,
    ...(query !== '' && { queryStringParameters: joinParameters(parameters) }),
    requestContext: {
      accountId: '123456789012',
      apiId: 'a1b2c3d4e5',
      domainName,
      domainPrefix: 'a1b2c3d4e5',
      http: {
        method,
        path,
        protocol: 'HTTP/1.1',
        sourceIp: request.sourceAddress ?? '203.0.113.7',
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: request.id ?? 'Bq3xYgJkDoEEPbQ=',
      routeKey: '$default',
      stage: '$default',
      time: '21/Nov/2026:12:00:00 +0000',
      timeEpoch: 1_795_262_400_000,
    },
    ...(body.byteLength > 0 && {
      body: Buffer.from(body).toString(isBase64Encoded ? 'base64' : 'utf8'),
    }),
    isBase64Encoded,
  };
}

function joinParameters(query: URLSearchParams): Record<string, string> {
  const names = [...new Set(query.keys())];
  return Object.fromEntries(names.map((name) => [name, query.getAll(name).join(',')]));
}

const textTypes = ['', 'application/json', 'application/javascript', 'application/xml'];

/** The gateway sends bodies of these types as text, and all others in base64; our own rule must agree with this one. */
function isText(headers: GatewayRequest['headers'], body: Buffer): boolean {
  if (headers['content-encoding'] !== undefined) return false;
  const [type = ''] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const isTextType = type.startsWith('text/') || textTypes.includes(type.trim());
  return isTextType && Buffer.from(body.toString()).equals(body);
}

/** A request as it is on the wire. */
interface Wire {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

/** Returns the event for bytes on the wire, as documented. */
export function wireEvent({ method, target, headers, body }: Wire): APIGatewayProxyEventV2 {
  const [path = '', ...query] = target.split('?');
  const joined = new Map<string, string>();
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    const before = joined.get(lower);
    const separator = lower === 'cookie' ? '; ' : ',';
    joined.set(lower, before === undefined ? value : before + separator + value);
  }
  return eventOf({
    method,
    path: path.replace(/(?:%(?!2f)[0-9a-f]{2})+/gi, decodeURIComponent),
    query: query.join('?'),
    headers: Object.fromEntries(joined),
    body,
  });
}

/** Returns the event for a request of an API client. */
export function clientEvent(call: {
  readonly method: string;
  readonly path: string;
  readonly query?: string;
  readonly key?: string | undefined;
  /** Sent as JSON; bytes as a form, whose boundary is `XX`. */
  readonly body?: unknown;
}): APIGatewayProxyEventV2 {
  const { method, path, query = '', key, body: value } = call;
  const isForm = value instanceof Uint8Array;
  const body =
    value === undefined ? undefined : Buffer.from(isForm ? value : JSON.stringify(value));
  const type = isForm ? 'multipart/form-data; boundary=XX' : 'application/json';
  const headers = {
    accept: '*/*',
    'accept-encoding': 'gzip, deflate, br',
    ...(body && { 'content-type': type, 'content-length': `${body.byteLength}` }),
    host: domainName,
    'user-agent': 'curl/8.5.0',
    'x-amzn-trace-id': 'Root=1-6742f1a0-5c3d7e0a1b2c3d4e5f607182',
    'x-forwarded-for': '203.0.113.7',
    'x-forwarded-port': '443',
    'x-forwarded-proto': 'https',
    ...(key !== undefined && { 'x-api-key': key }),
  };
  return eventOf({ method, path, query, headers, ...(body && { body }) });
}

/** Returns the bytes of the body that a function returned to the gateway. */
export function bytesOf({
  body = '',
  isBase64Encoded = false,
}: {
  readonly body?: string | undefined;
  readonly isBase64Encoded?: boolean | undefined;
}): Buffer {
  return Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
}

/** Puts a gateway between the local server and a handler, for tests of functions over HTTP. */
export function behindGateway(handler: Handler): Dispatch {
  return async ({ query, body: sent, ...request }) => {
    if (sent.kind === 'json') throw new Error('a gateway receives bytes');
    const event = eventOf({ ...request, query: query.toString(), body: sent.bytes });
    const result = await handler(event);
    const { statusCode: status, headers, cookies } = result;
    const head = { status, headers, ...(cookies && { cookies }) };
    if (result.body === undefined) return head;
    return {
      ...head,
      content: { type: headers['content-type'] ?? '', bytes: bytesOf(result) },
    };
  };
}
