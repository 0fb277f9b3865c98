import { gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import type { World } from '../support/api.ts';
import { hostileTest } from '../support/hostile-world.ts';
import { accepted } from '../support/lawful.ts';
import { proofTo } from '../support/mails.ts';
import { abandon, exchange } from '../support/raw-socket.ts';

/*
 * Hostile input: the response is always one of the contract, never a server error, and a rejected request changes
 * nothing.
 */

const it = hostileTest()
  .extend('apiKey', { scope: 'file' }, ({ world }) => world.apiKey({ ignore_acl: true }))
  .extend('newName', { scope: 'file' }, () => openNames());
const base = '/v1.1/instances/blog-1/';
const objects = `${base}classes/book/objects/`;

describe('names', () => {
  const inherited = ['constructor', 'tostring', 'valueof', 'hasownproperty', 'isprototypeof'];

  it.for(['constructor', 'hasownproperty'])(
    'an instance may be called %s',
    async (name, { attack }) => {
      const path = `/v1.1/instances/${name}/`;
      expect((await attack({ path })).status).toBe(404);

      accepted(await attack({ path: '/v1.1/instances/', body: { name } }), 201);

      expect((await attack({ path })).body.name).toBe(name);
      expect((await attack({ path: `${path}classes/` })).body.objects).toHaveLength(1);
      expect((await attack({ method: 'DELETE', path })).status).toBe(204);
      expect((await attack({ path: `${path}classes/` })).status).toBe(404);
    },
  );

  it.for(inherited)('a class may be called %s', async (name, { world, call, attack, apiKey }) => {
    const path = `${base}classes/${name}/`;
    for (const as of [world.owner, apiKey]) {
      expect((await call({ as, path })).status).toBe(404);
      expect((await call({ as, path: `${path}objects/` })).status).toBe(404);
      expect((await call({ as, path: `${path}objects/1/` })).status).toBe(404);
      expect((await call({ as, path: `${path}objects/`, body: {} })).status).toBe(404);
    }

    const schema = [{ name: 'title', type: 'string' }];
    accepted(await attack({ path: `${base}classes/`, body: { name, schema } }), 201);
    const made = accepted(await attack({ path: `${path}objects/`, body: { title: 'x' } }), 201);

    for (const as of [world.owner, apiKey]) {
      expect((await call({ as, path: made.links.self })).body).toEqual(made);
      expect((await call({ as, path: `${path}objects/` })).body.objects).toEqual([made]);
    }
    expect((await attack({ method: 'DELETE', path })).status).toBe(204);
    expect((await attack({ path: made.links.self })).status).toBe(404);
  });

  it.for(['__proto__', '__defineGetter__', '_', 'a_'])(
    'no class may be called %s',
    async (name, { world, call, attack, apiKey }) => {
      const body = { name, schema: [] };

      const made = await attack({ path: `${base}classes/`, body });

      expect(made.status).toBe(400);
      for (const below of ['', 'objects/', 'objects/1/']) {
        const path = `${base}classes/${name}/${below}`;
        for (const as of [world.owner, apiKey]) {
          expect((await call({ as, path })).status).toBe(404);
          expect((await call({ as, method: 'PUT', path, body: {} })).status).not.toBe(200);
        }
      }
    },
  );

  const fields = [
    'constructor',
    'toString',
    'valueOf',
    'hasOwnProperty',
    'then',
    'toJSON',
    'length',
  ];

  it('fields may have the names of inherited object members', async ({ attack, newName }) => {
    const name = newName();
    const schema = fields.map((field) => ({ name: field, type: 'string', filter_index: true }));
    const path = `${base}classes/${name}/objects/`;
    accepted(await attack({ path: `${base}classes/`, body: { name, schema } }), 201);

    const empty = accepted(await attack({ path, body: {} }), 201);
    const values = Object.fromEntries(fields.map((field) => [field, `a ${field}`]));
    const full = accepted(await attack({ path, body: values }), 201);
    const patched = await attack({ method: 'PATCH', path: full.links.self, body: { toJSON: 'b' } });
    const trimmed = await attack({ path: `${path}?fields=constructor,toString,__proto__` });

    expect(empty).toMatchObject(Object.fromEntries(fields.map((field) => [field, null])));
    expect(full).toMatchObject(values);
    expect(patched.body).toMatchObject({ ...values, toJSON: 'b' });
    expect(trimmed.body.objects).toEqual([
      { constructor: null, toString: null },
      { constructor: 'a constructor', toString: 'a toString' },
    ]);
  });

  const wrong = ['__proto__', '_x', 'a-b', 'ä', '', ' ', 'x'.repeat(65), 'a\0', 7, null, {}];
  it.for<unknown[]>([...wrong.map((name) => [name]), ['a', ['a']]])(
    'no field may be called %j',
    async ([shown, name = shown], { attack, newName }) => {
      const schema = [{ name, type: 'string' }];

      const response = await attack({
        path: `${base}classes/`,
        body: { name: newName(), schema },
      });

      expect([response.status, Object.keys(response.body)]).toEqual([400, ['schema']]);
    },
  );

  const words = ['constructor', '__proto__', 'toString', 'self', 'SELF ', 7, null, {}, ''];
  it.for(words.map((word) => [word]))(
    'no field may have the type or the target %j',
    async ([word], { attack, newName }) => {
      for (const field of [
        { name: 'a', type: word },
        { name: 'a', type: 'reference', target: word },
        { name: 'a', type: 'string', [String(word)]: true },
      ]) {
        const body = { name: newName(), schema: [field] };
        const response = await attack({ path: `${base}classes/`, body });
        if (field.target !== 'self')
          expect([400], JSON.stringify(field)).toContain(response.status);
      }
    },
  );
});

describe('bodies', () => {
  const json = { 'Content-Type': 'application/json' };
  const text = { 'Content-Type': 'text/plain' };
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const parts = { 'Content-Type': 'multipart/form-data; boundary=b' };
  const part = (name: string, value = 'x') =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const parseError = {
    detail: expect.stringMatching(/^(JSON|Form|Multipart form) parse error - /),
  };

  const badEnd = Buffer.from('ff0d0a2d2d622d2d0d0a', 'hex');
  const malformed: readonly [string, Record<string, string>, () => string | Uint8Array][] = [
    ['100,000 brackets', json, () => '['.repeat(100_000)],
    ['100,000 levels, closed', json, () => '{"a":'.repeat(100_000) + 1 + '}'.repeat(100_000)],
    ['201 levels', json, () => `{"description":${'['.repeat(200)}${']'.repeat(200)}}`],
    ['bytes that are no UTF-8', json, () => Buffer.from('7b2261223a22ff227d', 'hex')],
    ['an encoded surrogate', json, () => Buffer.from('7b2261223a22eda080227d', 'hex')],
    ['a byte order mark of another kind', json, () => Buffer.from('fffe7b007d00', 'hex')],
    ['a raw line break in a text', json, () => '{"description": "a\nb"}'],
    ['a raw NUL in a text', json, () => '{"description": "\0"}'],
    ['a trailing comma', json, () => '{"description": "x",}'],
    ['NaN', json, () => '{"description": NaN}'],
    ['a comment', json, () => '{} // x'],
    ['two values', json, () => '{}{}'],
    ['gzip that does not', json, () => gzipSync('{}')],
    ['text of no JSON', text, () => '_method=GET'],
    ['an unknown charset', { 'Content-Type': 'application/json; charset=klingon' }, () => '{}'],
    ['a charset with a line', { 'Content-Type': 'application/json; charset="' }, () => '{'],
    ['no boundary', { 'Content-Type': 'multipart/form-data' }, () => part('description')],
    ['an empty boundary', { 'Content-Type': 'multipart/form-data; boundary=' }, () => part('a')],
    ['another boundary', parts, () => part('description').replaceAll('--b', '--c')],
    ['a truncated head', parts, () => part('description').slice(0, 20)],
    ['a truncated value', parts, () => part('description').slice(0, -4)],
    ['10,000 parts', parts, () => `${part('description').repeat(10_000)}--b--\r\n`],
    ['a part of bad bytes', parts, () => Buffer.concat([Buffer.from(part('title', '')), badEnd])],
    ['an escape of a bad byte', form, () => 'title=%&title=%ff&%00=%00&=&&==='],
  ];

  it('compressed, which nothing reads, are unsupported', async ({ attack }) => {
    const headers = { ...json, 'Content-Encoding': 'gzip' };

    const response = await attack({ path: objects, headers, body: gzipSync('{}') });

    const detail = 'Unsupported content encoding "gzip" in request.';
    expect([response.status, response.body]).toEqual([415, { detail }]);
  });

  it.for(malformed)('%s', async ([_, headers, body], { attack }) => {
    for (const path of [`${base}api_keys/`, objects, '/v1.1/account/register/']) {
      const response = await attack({ path, headers, body: body() });
      expect([response.status, response.body]).toEqual([400, parseError]);
    }
  });

  it.for<[string, number, number]>([
    ['over what a function takes', 6_300_000, 6_291_456],
    ['over what the gateway takes', 10_500_000, 10_485_760],
  ])('JSON %s is too large', async ([_, bytes, limit], { attack }) => {
    const body = `{"description":"${'x'.repeat(bytes)}"}`;

    const response = await attack({ path: `${base}api_keys/`, headers: json, body });

    expect([response.status, response.body]).toEqual([
      413,
      { detail: `Request size limit exceeded (${limit}).` },
    ]);
  });

  it.for([
    'application/xml',
    'image/png',
    'application/jsonp',
    'application/json-patch',
    'multipart/mixed; boundary=b',
    'text/html',
    'x',
    '/',
    ';charset=utf-8,',
    '__proto__',
    'application/json, text/plain',
  ])('of type %s are unsupported', async (type, { attack }) => {
    const response = await attack({ path: objects, headers: { 'Content-Type': type }, body: '{"' });

    if (type.startsWith(';')) expect(response.status).toBe(400);
    else
      expect([response.status, response.body]).toEqual([
        415,
        { detail: `Unsupported media type "${type}" in request.` },
      ]);
  });

  it.for<[string, Record<string, string>, () => string | Uint8Array]>([
    ['a name of a megabyte', parts, () => `${part('n'.repeat(1_000_000))}--b--\r\n`],
    ['names of prototypes', parts, () => `${part('__proto__')}${part('constructor')}--b--\r\n`],
    ['no name', parts, () => '--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n'],
    ['a NUL in a name', parts, () => `${part('a\0b')}--b--\r\n`],
    ['an empty form', parts, () => '--b--\r\n'],
    ['brackets', form, () => '__proto__[polluted]=1&constructor[prototype][polluted]=1&a[]=1'],
    ['bad escapes', form, () => 'title=%&title=%zz&%00=%00&=&&==='],
    ['10,000 fields', form, () => 'a=1&'.repeat(10_000)],
    [
      'a key of prototypes',
      json,
      () => '{"__proto__":{"polluted":1},"constructor":1,"toString":1}',
    ],
    ['keys twice', json, () => '{"title":"a","title":"b"}'],
    ['a byte order mark', json, () => Buffer.from('efbbbf7b7d', 'hex')],
    ['an override with prototypes', text, () => '{"_method":"POST","__proto__":{"polluted":1}}'],
    ['an override that is none', text, () => '{"_method":"__proto__"}'],
    [
      'UTF-16',
      { 'Content-Type': 'application/json; charset=utf-16le' },
      () => Buffer.from('{"title":"ü"}', 'utf16le'),
    ],
  ])('unusual but valid: %s', async ([_, headers, body], { attack }) => {
    const response = await attack({ path: objects, headers, body: body() });

    expect(response.status).toBe(201);
    expect(Object.keys(response.body)).not.toContain('polluted');
  });

  it('an override with 10,000 keys is a long query', async ({ attack }) => {
    const keys = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`key-${n}`, n]));
    const body = JSON.stringify({ ...keys, _method: 'GET', page_size: 1 });

    const response = await attack({ path: objects, headers: text, body });

    expect([response.status, response.body.objects.length]).toEqual([200, 1]);
    expect(response.body.next.length).toBeLessThan(200);
  });

  it('text that cannot be encoded is refused, all other text is returned unchanged', async ({
    call,
    attack,
    apiKey,
  }) => {
    const sent = {
      title: 'a\0b\u2028\ud83d\ude00',
      text: '\u0000\uffff\u{10ffff}',
      isbn: '\0'.repeat(128),
    };

    const made = accepted(await attack({ path: objects, body: sent }), 201);
    const lone = await attack({ path: objects, headers: json, body: '{"title":"<\\ud800>"}' });
    const read = await call({ as: apiKey, path: made.links.self });
    const again = await attack({ path: objects, body: { isbn: sent.isbn } });

    expect(made).toMatchObject(sent);
    expect(read.body).toEqual(made);
    expect([lone.status, lone.body]).toEqual([
      400,
      { title: ['Not valid text: \\ud800 is half of a character.'] },
    ]);
    expect([again.status, again.body]).toEqual([400, { isbn: ['This field must be unique.'] }]);
  });

  it.for([
    ['2147483647', 201],
    ['2147483648', 400],
    ['-2147483648', 201],
    ['-2147483649', 400],
    ['9007199254740993', 400],
    ['1e999', 400],
    ['1e2', 201],
    ['1.5', 400],
    ['-0', 201],
    ['"0x10"', 400],
  ])('an integer field and %s', async ([value, status], { attack }) => {
    const response = await attack({ path: objects, headers: json, body: `{"pages":${value}}` });

    expect(response.status).toBe(status);
    if (status === 201)
      expect(response.text).toContain(`"pages":${value === '-0' ? 0 : Number(value)}`);
  });

  it.for(['1e999', '-1e999', '"1e999"', '"NaN"', '"Infinity"', '{"_increment":1e999}'])(
    'a number field rejects %s',
    async (value, { attack }) => {
      for (const method of ['POST', 'PATCH']) {
        const path = method === 'POST' ? objects : `${objects}1/`;
        const body = `{"price":${value}}`;
        const response = await attack({ method, path, headers: json, body });
        expect([response.status, Object.keys(response.body)]).toEqual([400, ['price']]);
      }
    },
  );
});

describe('paths and queries', () => {
  it.for<[string, string, number]>([
    ['a bad escape', '/v1.1/%zz/', 400],
    ['no UTF-8', '/v1.1/instances/%ff/', 400],
    ['NUL', '/v1.1/instances/%00/', 404],
    ['an escaped slash', '/v1.1/instances%2Fblog-1/', 404],
    ['an escaped slash in small letters', '/v1.1/instances/blog-1%2fclasses/', 404],
    ['an escaped slash at the end', '/v1.1/instances%2f', 404],
    ['an escaped version', '/v1%2e1/instances/blog-1/', 200],
    ['a twice escaped slash', '/v1.1/instances%252Fblog-1/', 404],
    ['two slashes', '/v1.1//instances/', 404],
    ['two slashes first', '//v1.1/instances/', 404],
    ['dots', '/v1.1/./instances/', 404],
    ['dots up', '/v1.1/x/../instances/', 404],
    ['a name of 5,000 letters', `/v1.1/instances/${'x'.repeat(5000)}/`, 404],
    ['1,000 segments', `/v1.1${'/a'.repeat(1000)}/`, 404],
    ['a line break', '/v1.1/%0d%0aSet-Cookie:%20a=b/', 404],
    ['upper case', '/v1.1/instances/BLOG-1/', 200],
    ['upper case of a word', '/v1.1/INSTANCES/', 404],
    ['a letter whose lower case is ASCII', '/v1.1/instances/%E2%84%AAelvin/', 404],
    ['an address of another host', 'http://example.com/v1.1/instances/blog-1/', 200],
  ])('a path with %s', async ([_, path, status], { attack }) => {
    const response = await attack({ path });

    expect(response.status).toBe(status);
    expect(response.headers).not.toHaveProperty('set-cookie');
  });

  it('10,000 parameters are more than the gateway accepts', async ({ api }) => {
    const target = `${objects}?${'a=1&'.repeat(10_000)}`;

    const { status, body } = await exchange(api.url, `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);

    expect([status, body]).toEqual([431, { detail: 'Request headers are too large.' }]);
  });

  it('2,000 parameters are not', async ({ attack }) => {
    const { status } = await attack({ path: `${objects}?${'a=1&'.repeat(2000)}page_size=1` });

    expect(status).toBe(200);
  });
});

describe('headers', () => {
  const line = 'GET /v1.1/instances/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n';
  const notOurs = { detail: 'No such API Key.' };
  const broken = { detail: 'Malformed request.' };

  it.for<[string, string]>([
    ['only signs', ';;;,,,/'],
    ['a bad quality', '*/*;q=abc'],
    ['a quality below', 'text/html;q=-1'],
    ['a prototype', '__proto__/constructor'],
    ['1,000 ranges', 'a/b,'.repeat(1000)],
    ['an indent without end', `application/json; indent=${'9'.repeat(400)}`],
    ['a bad indent', 'application/json; indent=-1; indent=x'],
    ['everything refused', '*/*;q=0'],
  ])('Accept with %s', async ([_, accept], { attack }) => {
    for (const path of ['/v1.1/instances/', objects, '/v1.1/nothing/']) {
      await attack({ path, headers: { Accept: accept } });
    }
  });

  it.for<[string, Record<string, string>]>([
    ['names of prototypes', { constructor: 'x', toString: 'y', hasOwnProperty: 'z' }],
    ['odd encodings', { 'Accept-Encoding': 'gzip;q=x, br, *;q=0, __proto__' }],
    ['a strange origin', { Origin: 'null' }],
    ['a host that is none', { Host: '../..' }],
    ['cookies', { Cookie: '__proto__=1; a; =; ;;' }],
    ['a forwarded address', { 'X-Forwarded-For': '1.2.3.4, evil' }],
    ['a request id of the client', { 'X-Request-Id': 'mine', 'X-Amzn-Trace-Id': 'mine' }],
    ['an override that we do not have', { 'X-HTTP-Method-Override': 'DELETE' }],
  ])('%s', async ([_, headers], { attack }) => {
    const { status, headers: answered } = await attack({ path: '/v1.1/instances/', headers });

    expect(status).toBe(200);
    expect(answered['x-request-id']).not.toBe('mine');
  });

  it.for<[string, Record<string, string>]>([
    ['a prototype', { 'X-API-KEY': '__proto__' }],
    ['5,000 letters', { 'X-API-KEY': 'a'.repeat(5000) }],
    ['56 digits', { 'X-API-KEY': '0'.repeat(56) }],
    ['a kind that there is none of', { 'X-API-KEY': `ff${'0'.repeat(54)}` }],
    ['Latin letters', { 'X-API-KEY': 'ÿ'.repeat(56) }],
    ['one word too few', { Authorization: '0'.repeat(56) }],
    ['a user key of nothing', { 'X-API-KEY': 'x', 'X-USER-KEY': '__proto__' }],
  ])('a key of %s is invalid', async ([_, headers], { call }) => {
    for (const path of ['/v1.1/instances/', objects]) {
      expect((await call({ path, headers })).status).toBe(403);
    }
  });

  it.for<[string, (key: string) => string, number, unknown]>([
    ['a header twice', (key) => `${line}${key}${key}\r\n`, 403, notOurs],
    ['a line break in a value', () => `${line}X-API-KEY: a\r\n b\r\n\r\n`, 400, broken],
    ['a bare line feed', () => `${line}X-A: a\nX-B: b\r\n\r\n`, 400, broken],
    ['a NUL in a value', () => `${line}X-A: a\0b\r\n\r\n`, 400, broken],
    ['a blank before the colon', () => `${line}X-API-KEY : a\r\n\r\n`, 400, broken],
    ['a length of nonsense', () => `${line}Content-Length: x\r\n\r\n`, 400, broken],
    ['a negative length', () => `${line}Content-Length: -1\r\n\r\n`, 400, broken],
    ['two lengths', () => `${line}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, 400, broken],
    [
      'a length and chunks',
      () => `${line}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      broken,
    ],
    ['a bad chunk', () => `${line}Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n`, 400, broken],
    ['HTTP of the future', () => 'GET / HTTP/9.9\r\nHost: x\r\n\r\n', 400, broken],
    [
      'a verb in lower case',
      () => line.replace('GET', 'get').concat('\r\n'),
      405,
      { detail: 'Method "get" not allowed.' },
    ],
    [
      'a verb of nobody',
      () => line.replace('GET', 'STEAL').concat('\r\n'),
      405,
      { detail: 'Method "STEAL" not allowed.' },
    ],
    [
      'TRACE',
      (key) => `${line.replace('GET', 'TRACE')}${key}\r\n`,
      405,
      { detail: 'Method "TRACE" not allowed.' },
    ],
    [
      'CONNECT',
      (key) => `${line.replace('GET', 'CONNECT')}${key}\r\n`,
      405,
      { detail: 'Method "CONNECT" not allowed.' },
    ],
    [
      'an expectation of nonsense',
      (key) => `${line}${key}Expect: a pony\r\n\r\n`,
      200,
      expect.anything(),
    ],
    [
      'an upgrade',
      (key) =>
        `${line.replace('close', 'Upgrade')}${key}Upgrade: websocket\r\n\r\n`.replace(
          'Host',
          'Connection: close\r\nHost',
        ),
      200,
      expect.anything(),
    ],
  ])('%s', async ([_, sent, status, body], { api, world }) => {
    const response = await exchange(api.url, sent(keyLine(world)));

    expect([response.status, response.body]).toEqual([status, body]);
  });

  it('a chunked body is a body', async ({ api, world }) => {
    const head = `POST ${objects} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${keyLine(world)}`;
    const chunks = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
    const body = [...'{"title":"x"}'].map((letter) => `1\r\n${letter}\r\n`);

    const response = await exchange(api.url, `${head}${chunks}`, ...body, '0\r\n\r\n');

    expect([response.status, response.body]).toEqual([
      201,
      expect.objectContaining({ title: 'x' }),
    ]);
  });

  it('a body that was announced may follow after 100 Continue', async ({ api, world }) => {
    const head = `POST ${objects} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${keyLine(world)}`;
    const rest = 'Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}';

    const { text } = await exchange(api.url, head + rest);

    expect(text).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 Created\r\n/);
  });

  it('500 requests on one socket get their responses in order', async ({ api }) => {
    const requests = Array.from(
      { length: 500 },
      (_, n) => `GET /v1.1/${n}/ HTTP/1.1\r\nHost: x\r\n\r\n`,
    );

    const { text } = await exchange(api.url, ...requests, `${line}\r\n`);

    const found = text.match(/HTTP\/1.1 (\d+)/g);
    expect(found).toEqual([...requests.map(() => 'HTTP/1.1 404'), 'HTTP/1.1 403']);
  });

  it('a client that disconnects early affects no other client', async ({
    api,
    world,
    call,
    store,
  }) => {
    const head = `POST ${objects} HTTP/1.1\r\nHost: x\r\n${keyLine(world)}Content-Length: 100\r\n\r\n{"title"`;
    const before = store.commits;

    await Promise.all(Array.from({ length: 20 }, () => abandon(api.url, head)));

    expect((await call({ as: world.owner, path: objects })).status).toBe(200);
    expect(store.commits).toBe(before);
  });
});

describe('the log', () => {
  it('contains no key, password, query or body', async ({ api, world, attack, apiKey }) => {
    const key = await world.apiKey();
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const account = { email: 'private@example.com', password: 'secret-password' };
    const made = await attack({ path: '/v1.1/account/register/', body: account });

    await attack({ path: '/v1.1/account/auth/', body: account });
    await attack({ path: '/v1.1/account/auth/', body: { ...account, password: 'secret-wrong' } });
    await attack({
      path: '/v1.1/account/auth/',
      headers: form,
      body: 'password=secret-form&email=x',
    });
    await attack({ path: `${objects}?api_key=${key}&query=secret-query`, as: undefined });
    await attack({ path: `${objects}?secret-name=${key}` });
    await attack({ path: `/v1.1/instances/blog-1/${key}/` });
    await attack({ path: `/v1.1/${key.toUpperCase()}/x/${key}/` });
    await attack({
      path: objects,
      headers: { Authorization: `token ${key}`, Cookie: 'secret-cookie' },
    });
    await attack({ path: objects, body: { title: 'secret-title', _api_key: key } });
    await attack({
      path: objects,
      headers: { 'Content-Type': 'text/plain' },
      body: '{"secret-json',
    });
    await attack({ path: `/v1.1/%zz/?secret-query=${key}` });
    const guest = { email: 'guest@example.com' };
    const invited = await attack({ path: `${base}invitations/`, body: guest });
    const { uid, token } = proofTo(api, 'private@example.com');
    await attack({ path: '/v1.1/account/activate/', body: { uid, token: `${token}0` } });
    await attack({ path: `/v1.1/account/activate/?token=${token}`, body: { uid, token } });
    await attack({
      path: '/v1.1/account/invitations/accept/',
      body: { invitation_key: invited.body.key },
    });
    await exchange(api.url, `GET /?api_key=${key} HTTP/1.1\r\nsecret-broken\r\n\r\n`);

    // without a sender the log is the mailbox: mails contain keys
    const lines = api.logged.filter(({ message }) => message !== 'mail');
    const log = JSON.stringify(lines).toLowerCase();
    const secrets = [
      world.owner,
      apiKey,
      key,
      made.body.account_key,
      'secret-',
      'a password',
      invited.body.key,
      String(token),
    ];
    expect(secrets.filter((secret) => log.includes(secret))).toEqual([]);
    expect(log).toContain('/v1.1/account/auth/');
  });
});

function openNames(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `c${count}`;
  };
}

/** The header with the key of the owner. */
const keyLine = ({ owner }: World) => `X-API-KEY: ${owner}\r\n`;
