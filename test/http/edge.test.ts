import { gunzipSync } from 'node:zlib';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { respondToPreflight } from '../../shared/core/http/cors.ts';
import type { Dispatch, Request, Response } from '../../shared/core/http/message.ts';
import { toHandler } from '../../shared/platforms/aws/gateway.ts';
import type { LogEntry } from '../../shared/ports/ports.ts';
import { bytesOf, eventOf } from '../aws-emulator/gateway-event.ts';

interface Call {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly changes?: Partial<APIGatewayProxyEventV2>;
  readonly requestId?: string;
}

function edgeEvent({ method = 'GET', headers = {}, changes = {}, requestId = 'r1' }: Call = {}) {
  const sent = { id: requestId, method, path: '/v1.1/', headers, sourceAddress: '10.0.0.1' };
  return { ...eventOf(sent), ...changes };
}

function edgeWith(dispatch: Dispatch) {
  const lines: LogEntry[] = [];
  let now = 0;
  const handler = toHandler({
    dispatch,
    log: (entry) => lines.push(entry),
    ids: { random: () => 'made' },
    clock: { micros: () => (now += 1500), steadyMs: () => now / 1000 },
  });
  return { handler, lines };
}

const answering = (response: Response) => edgeWith(async () => response).handler;
const vary =
  'Accept, Authorization, X-API-KEY, X-USER-KEY, X-Template, X-Template-Response, X-Strict, Origin';
const always = {
  'x-request-id': 'r1',
  'cache-control': 'private, no-store',
  'x-content-type-options': 'nosniff',
  vary,
};
const foreign = {
  ...always,
  'content-security-policy':
    'sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts',
};
const jsonHeaders = { ...always, 'content-type': 'application/json; charset=utf-8' };
const exposed = 'Retry-After, Allow, X-Last-Id, X-Request-Id, X-Error-Code, X-Ignored';
const big = { text: 'ab"'.repeat(1000) };

/** Names of headers. */
function column(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `x-${at}`);
}

/** Returns the CORS headers among others. */
const corsOf = (headers: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => /^access-control-/i.test(name)));

describe('requests', () => {
  async function received(call: Call): Promise<Request | undefined> {
    let seen: Request | undefined;
    const { handler } = edgeWith(async (request) => {
      seen = request;
      return { status: 204 };
    });
    await handler(edgeEvent(call));
    return seen;
  }

  test('are passed on whole, the path as it is and the query decoded', async () => {
    const changes = {
      rawPath: '/v1.1/a%2Fb?c/',
      rawQueryString: 'a=1&a=%C3%BC+x&b',
      cookies: ['a=1', 'b=2'],
      body: '{"ü":1}',
    };

    const request = await received({ method: 'POST', headers: { accept: '*/*' }, changes });

    expect(request).toEqual({
      id: 'r1',
      served: {},
      method: 'POST',
      path: '/v1.1/a%2Fb?c/',
      query: new URLSearchParams([
        ['a', '1'],
        ['a', 'ü x'],
        ['b', ''],
      ]),
      headers: { accept: '*/*', cookie: 'a=1; b=2' },
      body: { kind: 'bytes', bytes: Buffer.from('{"ü":1}') },
      sourceAddress: '10.0.0.1',
    });
  });

  test.each<[string, string, Record<string, string>, string]>([
    ['in another path', '/v1.1/a%2fb/c/', {}, '/v1.1/a%2fb/c/'],
    ['in a parameter', '/', { instance: 'a/b', proxy: 'c/' }, '/v1.1/a%2Fb/c/'],
    ['nowhere', '/', { instance: 'a', proxy: 'b/c/' }, '/v1.1/a/b/c/'],
  ])('an escaped slash that the gateway shows %s', async (_, sent, pathParameters, path) => {
    const { requestContext } = edgeEvent();
    const http = { ...requestContext.http, path: sent };
    const rawPath = '/v1.1/a/b/c/';
    const changes = { rawPath, pathParameters, requestContext: { ...requestContext, http } };

    expect((await received({ changes }))?.path).toBe(path);
  });

  test('a body in base64 arrives as bytes', async () => {
    const request = await received({ changes: { body: '/wD+', isBase64Encoded: true } });

    expect(request?.body).toEqual({ kind: 'bytes', bytes: Buffer.from([0xff, 0, 0xfe]) });
  });

  test('without body there are no bytes', async () => {
    const request = await received({});

    expect(request?.body).toEqual({ kind: 'bytes', bytes: new Uint8Array() });
  });

  test('without request id one is generated', async () => {
    const { handler } = edgeWith(async ({ id }) => ({ status: 200, body: id }));

    const result = await handler(edgeEvent({ requestId: '' }));

    expect(result).toMatchObject({ body: '"made"', headers: { 'x-request-id': 'made' } });
  });
});

describe('responses', () => {
  test.each<[string, Response, Call, object]>([
    [
      'JSON is UTF-8 without escapes',
      { status: 201, body: { a: 'ü' }, headers: { Allow: 'GET' } },
      {},
      {
        statusCode: 201,
        headers: { ...jsonHeaders, allow: 'GET' },
        body: '{"a":"ü"}',
        isBase64Encoded: false,
      },
    ],
    [
      'indent is honoured',
      { status: 200, body: [1] },
      { headers: { accept: 'application/json; indent=2' } },
      { statusCode: 200, headers: jsonHeaders, body: '[\n  1\n]', isBase64Encoded: false },
    ],
    [
      '204 has neither body nor type',
      { status: 204, body: {} },
      {},
      { statusCode: 204, headers: always },
    ],
    [
      'no body is an empty one',
      { status: 202 },
      {},
      { statusCode: 202, headers: { ...always, 'content-length': '0' } },
    ],
    [
      'null is a body',
      { status: 200, body: null },
      {},
      { statusCode: 200, headers: jsonHeaders, body: 'null', isBase64Encoded: false },
    ],
    [
      'HEAD has the length and no body',
      { status: 200, body: 'ü' },
      { method: 'HEAD' },
      { statusCode: 200, headers: { ...jsonHeaders, 'content-length': '4' } },
    ],
    [
      'text of another type',
      { status: 200, content: { type: 'text/html; charset=utf-8', bytes: '<p>' } },
      {},
      {
        statusCode: 200,
        headers: { ...foreign, 'content-type': 'text/html; charset=utf-8' },
        body: '<p>',
        isBase64Encoded: false,
      },
    ],
    [
      'bytes travel in base64; headers of the connection are not taken from a response',
      {
        status: 200,
        headers: { Connection: 'close', 'Content-Length': '7', 'Content-Type': 'image/png' },
        content: { type: 'text/plain', bytes: new Uint8Array([255, 0]) },
      },
      {},
      {
        statusCode: 200,
        headers: { ...foreign, 'content-type': 'image/png' },
        body: '/wA=',
        isBase64Encoded: true,
      },
    ],
    [
      'a page of another origin may read it',
      { status: 403, body: { detail: 'x' }, headers: { vary: 'X-Own' } },
      { headers: { origin: 'https://app.example' } },
      {
        statusCode: 403,
        headers: {
          ...jsonHeaders,
          vary: `${vary}, X-Own`,
          'access-control-allow-origin': '*',
          'access-control-expose-headers': exposed,
        },
        body: '{"detail":"x"}',
        isBase64Encoded: false,
      },
    ],
  ])('%s', async (_name, response, call, expected) => {
    const result = await answering(response)(edgeEvent(call));

    expect(result).toEqual(expected);
  });

  test('a preflight gets its response before dispatch', async () => {
    const { handler } = edgeWith(async () => ({ status: 500 }));
    const headers = { origin: 'null', 'access-control-request-method': 'PUT' };

    const result = await handler(edgeEvent({ method: 'OPTIONS', headers }));

    expect(result).toEqual({
      statusCode: 200,
      headers: {
        ...always,
        'content-length': '0',
        'access-control-allow-origin': '*',
        'access-control-expose-headers': exposed,
        'access-control-allow-methods': 'DELETE, GET, OPTIONS, PATCH, POST, PUT',
        'access-control-allow-headers':
          'accept, accept-encoding, authorization, content-type, dnt, origin, user-agent, x-csrftoken, x-requested-with, x-api-key, x-user-key, x-template-response, x-template, cache-control, x-confirm-name, x-strict, last-event-id',
        'access-control-max-age': '86400',
      },
    });
  });

  test.each([
    ['one more', 'traceparent', ', traceparent'],
    ['known ones, in any case', 'Content-Type, X-API-Key', ''],
    ['several, some twice', 'sentry-trace,Baggage , sentry-trace', ', sentry-trace, baggage'],
    ['what is no name', 'a b, x:y, , é, *', ', *'],
    ['too many', column(60).join(), `, ${column(50).join(', ')}`],
  ])('a preflight that asks for %s', async (_name, asked, more) => {
    const { handler } = edgeWith(async () => ({ status: 500 }));
    const headers = {
      origin: 'null',
      'access-control-request-method': 'PUT',
      'access-control-request-headers': asked,
    };

    const result = await handler(edgeEvent({ method: 'OPTIONS', headers }));

    const allowed = result.headers['access-control-allow-headers'];
    expect(allowed).toMatch(/x-strict, last-event-id(, |$)/);
    expect(allowed?.replace(/^.*last-event-id/, '')).toBe(more);
  });

  test.each([
    [
      'its own origin and credentials',
      {
        'Access-Control-Allow-Origin': 'https://a.example',
        'Access-Control-Allow-Credentials': 'true',
      },
      ['https://a.example', 'true'],
    ],
    ...['capacitor://localhost', 'ionic://localhost', 'chrome-extension://abc'].map(
      (origin): [string, Record<string, string>, unknown[]] => [
        `the origin ${origin} and credentials`,
        { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' },
        [origin, 'true'],
      ],
    ),
    [
      'credentials for pages without an origin',
      { 'access-control-allow-origin': 'null', 'access-control-allow-credentials': 'true' },
      ['null', undefined],
    ],
    ['credentials alone', { 'access-control-allow-credentials': 'true' }, ['*', undefined]],
    [
      'credentials for all',
      { 'access-control-allow-origin': '*', 'access-control-allow-credentials': 'true' },
      ['*', undefined],
    ],
    [
      'credentials for two',
      {
        'access-control-allow-origin': 'https://a.example, https://b.example',
        'access-control-allow-credentials': 'true',
      },
      ['https://a.example, https://b.example', undefined],
    ],
  ])('a script that sends %s', async (_name, own, expected) => {
    const headers = { origin: 'https://a.example' };

    const result = await answering({ status: 200, headers: own })(edgeEvent({ headers }));

    const names = Object.keys(result.headers).filter((name) => /allow-(origin|cred)/i.test(name));
    expect(names).toEqual(names.map((name) => name.toLowerCase()));
    expect([
      result.headers['access-control-allow-origin'],
      result.headers['access-control-allow-credentials'],
    ]).toEqual(expected);
    expect(result.headers['access-control-expose-headers']).toBe(exposed);

    const without = await answering({ status: 200, headers: own })(edgeEvent({ headers: {} }));

    const [origin, credentials] = expected;
    expect(corsOf(without.headers)).toEqual({
      ...(Object.keys(own).some((name) => /origin/i.test(name)) && {
        'access-control-allow-origin': origin,
      }),
      ...(credentials === 'true' && { 'access-control-allow-credentials': credentials }),
    });
  });

  test('OPTIONS of the whole server does not reach dispatch', () => {
    const request = { method: 'OPTIONS', path: '*', headers: {} } as unknown as Request;

    expect(respondToPreflight(request)).toEqual({
      status: 200,
      headers: { allow: 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT' },
    });
  });

  test('OPTIONS without a requested method reaches dispatch', async () => {
    const handler = answering({ status: 200, body: { name: 'Class' } });

    const result = await handler(edgeEvent({ method: 'OPTIONS', headers: { origin: 'null' } }));

    expect(result.body).toBe('{"name":"Class"}');
  });
});

describe('compression', () => {
  const json = JSON.stringify(big);
  test.each([
    ['gzip', 'br, gzip, deflate', true],
    ['gzip with a weight', 'gzip;q=0.5', true],
    ['nothing', undefined, false],
    ['gzip refused', 'gzip;q=0, br', false],
    ['another', 'br', false],
  ])('a client that accepts %s', async (_name, accepted, packed) => {
    const headers: Record<string, string> = accepted ? { 'accept-encoding': accepted } : {};

    const result = await answering({ status: 200, body: big })(edgeEvent({ headers }));

    const bytes = bytesOf(result);
    expect((packed ? gunzipSync(bytes) : bytes).toString()).toBe(json);
    expect(result.headers).toEqual({
      ...jsonHeaders,
      vary: `${vary}, Accept-Encoding`,
      ...(packed ? { 'content-encoding': 'gzip' } : {}),
    });
  });

  test('a long text is compressed as well', async () => {
    const body = 'x'.repeat(100_000);
    const headers = { 'accept-encoding': 'gzip' };

    const result = await answering({ status: 200, body })(edgeEvent({ headers }));

    expect(gunzipSync(bytesOf(result)).toString()).toBe(`"${body}"`);
  });

  test.each<[string, Response]>([
    ['a small body', { status: 200, body: 'x' }],
    ['a picture', { status: 200, content: { type: 'image/png', bytes: 'x'.repeat(5000) } }],
    [
      'what is encoded already',
      {
        status: 200,
        headers: { 'content-encoding': 'br' },
        content: { type: 'text/css', bytes: 'x'.repeat(5000) },
      },
    ],
  ])('%s is unchanged', async (_name, response) => {
    const headers = { 'accept-encoding': 'gzip' };

    const result = await answering(response)(edgeEvent({ headers }));

    expect(result.headers.vary).toBe(vary);
    expect(result.headers['content-encoding']).not.toBe('gzip');
  });
});

describe('sizes', () => {
  const limit = 6_291_456;
  const tooLarge = '{"detail":"Request size limit exceeded (6291456)."}';
  test.each([
    ['text of nearly 6 MB passes', 'x'.repeat(limit - 2000), false, 200],
    ['text of 6 MB does not: the event holds more', 'x'.repeat(limit), false, 413],
    ['text whose escapes need the room does not', '"'.repeat(limit / 2), false, 413],
    ['4.7 MB in base64 do not', 'x'.repeat(limit), true, 413],
  ])('request: %s', async (_name, body, isBase64Encoded, status) => {
    const handler = answering({ status: 200 });
    const headers = { origin: 'https://app.example' };

    const result = await handler(edgeEvent({ headers, changes: { body, isBase64Encoded } }));

    expect(result.statusCode).toBe(status);
    expect(result.body).toBe(status === 413 ? tooLarge : undefined);
    expect(result.headers['access-control-allow-origin']).toBe('*');
  });

  test('a response that is too long is an error', async () => {
    const handler = answering({ status: 200, body: 'x'.repeat(limit) });

    const result = await handler(edgeEvent());

    expect(result).toEqual({
      statusCode: 413,
      headers: { ...jsonHeaders, 'x-error-code': 'response_too_large' },
      body: '{"detail":"Response size limit exceeded (6291456)."}',
      isBase64Encoded: false,
    });
  });

  test('a response that fits when compressed is not', async () => {
    const handler = answering({ status: 200, body: 'x'.repeat(limit) });

    const result = await handler(edgeEvent({ headers: { 'accept-encoding': 'gzip' } }));

    expect(result.statusCode).toBe(200);
  });
});

describe('server errors and the log', () => {
  const fault = '{"detail":"Internal server error."}';

  test('a server error is logged once with its cause and has a fixed text', async () => {
    const { handler, lines } = edgeWith(async () => {
      throw new Error('outer', { cause: new TypeError('inner') });
    });

    const result = await handler(edgeEvent({ headers: { origin: 'x' } }));

    expect(result).toMatchObject({ statusCode: 500, body: fault });
    expect(result.headers['access-control-allow-origin']).toBe('*');
    expect(lines.map(({ level }) => level)).toEqual(['error', 'info']);
    expect(lines[0]).toMatchObject({ requestId: 'r1', message: 'request failed' });
    expect(lines[0]?.error).toMatch(/Error: outer\n[\s\S]*caused by TypeError: inner/);
  });

  test.each([
    ['a value that JSON cannot carry', async () => ({ status: 200, body: 1n })],
    ['something thrown that is no error', () => Promise.reject('secret')],
  ])('%s is a server error', async (_name, dispatch: Dispatch) => {
    const { handler, lines } = edgeWith(dispatch);

    const result = await handler(edgeEvent());

    const headers = { 'x-error-code': 'server_error' };
    expect(result).toMatchObject({ statusCode: 500, body: fault, headers });
    expect(lines.at(-1)).toMatchObject({ status: 500, code: 'server_error' });
    expect(JSON.stringify(lines)).not.toContain('secret');
  });

  test('an event that is not one of the gateway is a server error as well', async () => {
    const { handler, lines } = edgeWith(async () => ({ status: 200 }));

    const result = await handler({} as APIGatewayProxyEventV2);

    expect(result).toMatchObject({ statusCode: 500, headers: { 'x-request-id': 'made' } });
    expect(lines).toMatchObject([
      { level: 'error', message: 'request failed', requestId: 'made' },
      { level: 'info', message: 'request', requestId: 'made', status: 500 },
    ]);
  });

  test('a function that runs out of time still responds', async () => {
    const { handler } = edgeWith(() => new Promise(() => {}));
    const context = { getRemainingTimeInMillis: () => 501 } as Context;

    const result = await handler(edgeEvent(), context);

    const headers = { 'x-error-code': 'server_timeout' };
    expect(result).toMatchObject({ statusCode: 504, body: fault, headers });
  });

  test('a request is one line without query, headers and keys', async () => {
    const { handler, lines } = edgeWith(async () => ({ status: 404 }));
    const link = '0123456789abcdef'.repeat(4).slice(0, 56);
    const changes = { rawPath: `/v1.1/x/p/${link}/run/`, rawQueryString: 'api_key=k' };

    await handler(edgeEvent({ method: 'POST', headers: { 'x-api-key': 'k' }, changes }));

    expect(lines).toEqual([
      {
        level: 'info',
        message: 'request',
        requestId: 'r1',
        method: 'POST',
        path: '/v1.1/x/p/(key)/run/',
        status: 404,
        durationMs: 1.5,
      },
    ]);
  });
});
