import { describe, expect } from 'vitest';
import type { Call, World } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { isIsolated } from '../support/lawful.ts';
import { isOn } from '../support/medium.ts';
import { exchange } from '../support/raw-socket.ts';
import { makeEndpoint } from '../support/script-endpoint.ts';

const it = worldTest().extend('given', { scope: 'file', auto: true }, ({ world }) => setUp(world));

const keyHeaders = ['Authorization', 'X-API-KEY', 'X-USER-KEY'];
const varying = [
  'Accept',
  ...keyHeaders,
  'X-Template',
  'X-Template-Response',
  'X-Strict',
  'Origin',
];

describe('responses that are neither cached nor sniffed', () => {
  it.for<[string, Partial<Call>]>([
    ['a response with JSON', { path: '/v1.1/instances/blog-1/' }],
    ['a list', { path: '/v1.1/instances/blog-1/api_keys/' }],
    ['what is open to all', { path: '/v1.1/schema/' }],
    ['a page', { path: '/v1.1/instances/blog-1/', headers: { Accept: 'text/html' } }],
    ['the page of an error', { path: '/v1.1/none/', headers: { Accept: 'text/html' } }],
    ['an error', { path: '/v1.1/instances/blog-1/none/' }],
    ['a key that is none', { path: '/v1.1/account/', as: 'x' }],
    ['a response without body', { path: '/v1.1/instances/blog-1/groups/9/', method: 'DELETE' }],
    ['a description', { path: '/v1.1/instances/blog-1/', method: 'OPTIONS' }],
    [
      'a preflight',
      { path: '/', method: 'OPTIONS', headers: { 'Access-Control-Request-Method': 'PUT' } },
    ],
    ['the result of a run', { path: '/v1.1/instances/blog-1/endpoints/scripts/plain/run/' }],
    ['too large a body', { path: '/v1.1/instances/', body: 'x'.repeat(6_400_000) }],
    [
      'what a template renders',
      { path: '/v1.1/instances/blog-1/classes/scan/objects/?template=objects_html_table' },
    ],
  ])('%s', async ([_, call], { api, world }) => {
    const { headers } = await api.send({ path: '/', as: world.owner, ...call });

    expect(headers.get('Cache-Control')).toBe('private, no-store');
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(namesIn(headers.get('Vary'))).toEqual(expect.arrayContaining(varying));
  });

  it.for([
    ['no HTTP', 'hello\r\n\r\n', 400],
    ['an unknown method', 'FROB / HTTP/1.1\r\nHost: x\r\n\r\n', 405],
    ['a request without host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['too many headers', `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['a tunnel', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', 405],
  ] as const)('%s', async ([_, bytes, status], { api }) => {
    const response = await exchange(api.url, bytes);

    expect(response.status).toBe(status);
    expect(response.head.toLowerCase()).toContain('cache-control: private, no-store');
    expect(response.head.toLowerCase()).toContain('x-content-type-options: nosniff');
    expect(response.head.toLowerCase()).toMatch(/x-error-code: [a-z_]+/);
  });
});

/** A deployment serves them from a CDN: the template has their headers. */
describe.skipIf(isOn('roles'))('files', () => {
  it('are cached publicly, and their type is not sniffed', async ({ given: { file } }) => {
    const { headers } = await fetch(file);

    expect(headers.get('Cache-Control')).toBe('public, max-age=3600');
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
  });

  it.for([
    ['a page', 'text/html', 'a.html'],
    ['a picture with script', 'image/svg+xml', 'a.svg'],
    ['XML', 'application/xml', 'a.xml'],
    ['XHTML', 'application/xhtml+xml', 'a.xhtml'],
    ['a text', 'text/plain', 'a.txt'],
    ['a picture', 'image/png', 'a.png'],
    ['JSON', 'application/json', 'a.json'],
    ['what looks like a PDF', 'application/pdf; charset=utf-8', 'a.pdf'],
  ] as const)('%s has an origin of its own', async ([_, type, name], { world }) => {
    const address = await upload(world, new Blob(['<script>'], { type }), name);

    const responses = await Promise.all([
      fetch(address),
      fetch(address, { headers: { Range: 'bytes=0-1' } }),
      fetch(address, { method: 'HEAD' }),
      fetch(address, { headers: { 'If-None-Match': '*' } }),
    ]);

    expect(responses.map(({ status }) => status)).toEqual([200, 206, 200, 304]);
    for (const { headers } of responses) {
      expect(isIsolated(headers.get('Content-Security-Policy'))).toBe(true);
    }
  });

  it('a PDF has none, whose scripts have no origin: some programs of browsers would not show it', async ({
    world,
  }) => {
    const file = new Blob(['%PDF'], { type: 'application/pdf' });

    const { headers } = await fetch(await upload(world, file, 'a.pdf'));

    expect(headers.get('Content-Security-Policy')).toBeNull();
  });

  it('that are unchanged are not sent again', async ({ given: { file } }) => {
    const { headers } = await fetch(file);
    const again = await fetch(file, { headers: { 'If-None-Match': headers.get('ETag') ?? '' } });

    expect([again.status, again.headers.get('Cache-Control')]).toEqual([
      304,
      'public, max-age=3600',
    ]);
  });

  it.for(['GET', 'PUT', 'OPTIONS'] as const)(
    '%s of a missing one is not cached',
    async (method, { api }) => {
      const { headers } = await fetch(`${api.url}/files/none`, { method });

      expect(headers.get('Cache-Control')).toBe('private, no-store');
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    },
  );
});

describe('the response of a script', () => {
  it.for([
    [
      'keeps its own Cache-Control, in any case',
      'cache-CONTROL',
      'Cache-Control',
      'public, max-age=60',
    ],
    ['without one is not cached', 'X-Mine', 'Cache-Control', 'private, no-store'],
    ['keeps its other headers', 'X-Mine', 'X-Mine', 'public, max-age=60'],
    ['is not sniffed by browsers', 'x-content-type-options', 'X-Content-Type-Options', 'nosniff'],
  ] as const)('%s', async ([what, sent, name, value], { world }) => {
    const headers = await respond(world, what.replaceAll(/\W/g, '-'), {
      [sent]: 'public, max-age=60',
    });

    expect(headers.get(name)).toBe(value);
  });

  it('that may be cached varies by the keys, besides its own Vary', async ({ world }) => {
    const headers = await respond(world, 'varied', {
      'Cache-Control': 'public',
      vary: 'Accept-Language',
    });

    expect(namesIn(headers.get('Vary'))).toEqual(
      expect.arrayContaining([...varying, 'Accept-Language']),
    );
  });
});

/** Names in full are in test/core/response-headers.test.ts; with nginx: test/local/steered-proxy.test.ts. */
describe('headers that a script may not set', () => {
  const steering = {
    'x-accel-REDIRECT': '/private/report.txt',
    X_Accel_Redirect: '/private/report.txt',
    'X-Sendfile': '/etc/passwd',
    'X-LiteSpeed-Location': '/private/',
    'X-Reproxy-URL': 'http://127.0.0.1/',
    'X-Real-IP': '127.0.0.1',
    'X-Forwarded-For': '127.0.0.1',
    'Surrogate-Control': 'max-age=9',
    Server: 'mine',
    Trailer: 'X-A',
    Allow: 'BREW',
  };
  const headers = { ...steering, 'X-Own': 'a', ETag: '"b"' };
  const told = `Headers left out of the response: ${Object.keys(steering).join(', ')}`;
  const source = `setResponse(new HttpResponse(200, '{}', 'application/json', ${JSON.stringify(headers)}));`;
  const kept = { 'X-Own': 'a', ETag: '"b"' };
  let link: string;
  let script: number;

  it.beforeAll(async ({ world }) => {
    ({ public_link: link, script } = await makeEndpoint(world, 'steers', source, { public: true }));
  });

  it.for<[string, () => string]>([
    ['a run', () => 'endpoints/scripts/steers/run/'],
    ['a public link', () => `endpoints/scripts/p/${link}/`],
    ['a run with a template', () => 'endpoints/scripts/steers/run/?template=objects_csv'],
  ])('are not in the response to %s, and its trace names them', async ([_, path], { world }) => {
    const response = await world.own('GET', path());

    const sent = Object.entries(steering).filter(
      ([name, value]) => response.headers.get(name) === value,
    );
    expect(sent).toEqual([]);
    expect(await traceOf(world, 'endpoints/scripts/steers/')).toMatchObject({
      stderr: told,
      response: { headers: kept },
    });
  });

  it('are named in the trace of an item of a batch', async ({ world }) => {
    const path = `${world.base}endpoints/scripts/steers/run/`;

    const { body } = await world.own('POST', 'batch/', {
      requests: [{ method: 'POST', path }],
    });

    expect(body).toEqual([{ code: 200, content: {} }]);
    expect(await traceOf(world, 'endpoints/scripts/steers/')).toMatchObject({ stderr: told });
  });

  it('are named in the trace of a direct run', async ({ api, world }) => {
    await world.own('POST', `snippets/scripts/${script}/run/`, {});
    await api.platform.idle();

    expect(await traceOf(world, `snippets/scripts/${script}/`)).toMatchObject({
      stderr: told,
      response: { headers: kept },
    });
  });
});

/** Attributes in full are in test/scripts/cookies.test.ts. */
describe('a cookie of a script', () => {
  const home = '/v1.1/instances/blog-1/';

  it('is restricted to its instance', async ({ world }) => {
    const cookie = 'a=1; Domain=.example.com; Path=/v1.1/instances/other/; HttpOnly';

    const headers = await respond(world, 'cookie', { 'set-COOKIE': cookie });

    expect(headers.getSetCookie()).toEqual([`a=1; HttpOnly; Path=${home}`]);
  });

  it('may be one of several, each restricted', async ({ world }) => {
    const cookies = ['a=1; Path=/', 'b=2; Domain=.example.com; Secure', 3];

    const headers = await respond(world, 'cookies', { 'Set-Cookie': cookies, 'set-cookie': 'c=3' });

    expect(headers.getSetCookie()).toEqual([
      `a=1; Path=${home}`,
      `b=2; Secure; Path=${home}`,
      `3; Path=${home}`,
      `c=3; Path=${home}`,
    ]);
  });

  it.for([
    ['a response to HEAD', 'HEAD', 200],
    ['a response without body', 'GET', 204],
    ['a response to a page of another origin', 'GET', 418],
  ] as const)('is in %s', async ([name, method, status], { api, world }) => {
    const label = name.replaceAll(' ', '-');
    const source = `setResponse(new HttpResponse(${status}, 'x'.repeat(5000), 'text/plain', { 'Set-Cookie': ['a=1', 'b=2'] }));`;
    await makeEndpoint(world, label, source);
    const path = `${world.base}endpoints/scripts/${label}/run/`;
    const headers = { Origin: 'https://app.example', 'Accept-Encoding': 'gzip' };

    const response = await api.send({ as: world.owner, method, path, headers });

    expect([response.status, response.headers.getSetCookie()]).toEqual([
      status,
      [`a=1; Path=${home}`, `b=2; Path=${home}`],
    ]);
  });

  it('is restricted on public links too', async ({ world }) => {
    const path = 'endpoints/scripts/p/{link}/';

    const headers = await respond(world, 'cookie-public', { 'Set-Cookie': 'a=1; Path=/' }, path);

    expect(headers.getSetCookie()).toEqual([`a=1; Path=${home}`]);
  });

  it('has the path of the request, as the request names it', async ({ api, world }) => {
    await respond(world, 'cookie-v1', { 'Set-Cookie': 'a=1' });

    const path = '/v1/instances/BLOG-1/webhooks/cookie-v1/run/';
    const { headers } = await api.send({ as: world.owner, path });

    expect(headers.getSetCookie()).toEqual(['a=1; Path=/v1/instances/BLOG-1/']);
  });
});

it('is passed to scripts, without keys of the platform', async ({ api, world }) => {
  await makeEndpoint(world, 'seen', 'console.log(JSON.stringify([META, ARGS]));');
  const key = await world.apiKey();
  const user = 'a user key';

  const { body } = await api.send({
    as: world.owner,
    path: `${world.base}endpoints/scripts/seen/run/?api_key=${key}&apikey=${key}&user_key=u1&userkey=u2`,
    headers: { Cookie: 'a=1; b=2', 'X-USER-KEY': user, Authorization: `token ${key}` },
    body: { _api_key: key, _user_key: user, x: 1 },
  });

  const [meta, args] = JSON.parse(body.result.stdout);
  expect(meta.request.HTTP_COOKIE).toBe('a=1; b=2');
  expect(JSON.stringify([meta.request, args])).not.toMatch(
    new RegExp([key, world.owner, user, 'u1', 'u2'].join('|')),
  );
  expect(args.POST).toEqual({ x: 1 });
});

/** Stores a file, and returns its address. */
async function upload(world: World, file: Blob, name: string): Promise<string> {
  const body = new FormData();
  body.append('page', file, name);
  return (await world.own('POST', 'classes/scan/objects/', body)).body.page.value;
}

async function setUp(world: World) {
  await world.dataClass('scan', [{ name: 'page', type: 'file' }]);
  const file = await upload(world, new Blob(['scanned'], { type: 'text/html' }), 'a.html');
  await makeEndpoint(world, 'plain', 'console.log(1);', { public: true });
  return { file };
}

/** Creates an endpoint whose script responds with these headers, and returns its response. */
async function respond(
  world: World,
  name: string,
  headers: object,
  path = `endpoints/scripts/${name}/run/`,
) {
  const source = `setResponse(new HttpResponse(200, 'hello', 'text/html', ${JSON.stringify(headers)}));`;
  const endpoint = await makeEndpoint(world, name, source, { public: true });
  const place = path.replace('{link}', endpoint.public_link);
  return (await world.own('GET', place)).headers;
}

const namesIn = (vary: string | null) => (vary ?? '').split(', ');

const traceOf = async (world: World, path: string): Promise<object> =>
  (await world.own('GET', `${path}traces/`)).body.objects[0].result;
