import { gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { expected, type World } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { type MadeEndpoint, makeEndpoint } from '../support/script-endpoint.ts';

/** Script endpoints whose runs get the exact bytes of a body: docs/reference/scripts.md#raw-bodies. */

const it = worldTest().extend('hook', { scope: 'file', auto: true }, ({ world }) =>
  makeEndpoint(world, 'hook', echo, { public: true, raw: true }),
);

const echo = 'console.log(JSON.stringify({ ARGS, META }))';
const maxBytes = 524_288;
const at = 'endpoints/scripts/';

describe('the record', () => {
  it('shows raw only where it is true', async ({ world }) => {
    const plain = await makeEndpoint(world, 'plain', echo, { raw: false });
    expect(plain).not.toHaveProperty('raw');

    const change = (method: string, body: object) =>
      world.own(method, `${at}plain/`, body).then((response) => expected(response, 200));
    expect(await change('PATCH', { raw: true })).toEqual({ ...plain, raw: true });
    expect(await change('PUT', { script: plain.script })).toEqual({ ...plain, raw: true });
    expect(await change('PUT', { script: plain.script, raw: false })).toEqual(plain);
    expect(expected(await world.own('GET', `${at}plain/`), 200)).toEqual(plain);
  });

  it('takes a flag', async ({ world, hook }) => {
    const body = { name: 'wrong', script: hook.script, raw: 'maybe' };

    const { status, body: error } = await world.own('POST', at, body);

    expect([status, Object.keys(error)]).toEqual([400, ['raw']]);
  });

  it('keeps it through a rename and a reset of the link', async ({ world }) => {
    await makeEndpoint(world, 'moving', echo, { raw: true });

    expected(await world.own('POST', `${at}moving/rename/`, { new_name: 'moved' }), 200);
    const reset = expected(await world.own('POST', `${at}moved/reset_link/`), 200);

    expect(reset).toMatchObject({ name: 'moved', raw: true });
  });
});

const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
const json = { 'Content-Type': 'application/json' };
const text = { 'Content-Type': 'text/plain' };
const multipart = { 'Content-Type': 'multipart/form-data; boundary=x' };
const part = (content: Buffer) =>
  Buffer.concat([
    Buffer.from('--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n'),
    content,
    Buffer.from('\r\n--x--\r\n'),
  ]);
const noText = Buffer.from([0x22, 0xff, 0xfe, 0x00, 0x22]);

describe('a run has the exact bytes, and the members if the body can be parsed', () => {
  it.for<[name: string, body: string | Buffer, headers: Record<string, string>, POST: object]>([
    ['JSON with spaces', '{ "a" :1.0}\n', json, { a: 1 }],
    ['JSON with keys', '{"_api_key":"x","a":1}', json, { a: 1 }],
    ['JSON in UTF-16', Buffer.from('{"a":1}', 'utf16le'), utf16(), { a: 1 }],
    ['JSON as text/plain', '{"a" : 1}', text, { a: 1 }],
    ['a list', '[1 ]', json, [1]],
    ['invalid JSON', '{"a":', json, {}],
    ['JSON that is neither object nor list', 'null', json, {}],
    ['text that is no JSON', 'a=b', text, {}],
    ['bytes that are no text', noText, json, {}],
    ['a form', 'a=1&b=%20', form, { a: '1', b: ' ' }],
    ['JSON that is declared a form', '{"a":1}', form, {}],
    ['multipart', part(Buffer.from('hi')), multipart, { f: 'hi' }],
    ['multipart with a file that is no text', part(noText), multipart, {}],
    ['multipart that ends early', '--x\r\n', multipart, {}],
    ['another type', '<a/>', { 'Content-Type': 'application/xml' }, {}],
    ['a compressed body', gzipSync('{"a":1}'), { ...json, 'Content-Encoding': 'gzip' }, {}],
    ['an empty body', '', json, {}],
  ])('%s', async ([_, body, headers, POST], { api, world, hook }) => {
    const names = [`${world.base}${at}hook/run/`, linkOf(world, hook)];
    const v1 = [`${world.base.replace('/v1.1/', '/v1/')}webhooks/hook/run/`];

    for (const path of [...names, ...v1]) {
      const run = await api.send({ as: world.owner, method: 'POST', path, body, headers });
      const { ARGS } = seen(run.body);

      expect([run.status, ARGS.POST]).toEqual([200, POST]);
      expect(Buffer.from(ARGS.RAW, 'base64')).toEqual(Buffer.from(body));
    }
  });

  it('a GET has an empty text', async ({ api, world, hook }) => {
    const { body } = await api.send({ path: `${linkOf(world, hook)}?RAW=x` });

    expect(seen(body).ARGS).toEqual({ RAW: '', GET: { RAW: 'x' }, POST: {} });
  });

  it('a member of the body does not take its place', async ({ api, world, hook }) => {
    const sent = { method: 'POST', path: linkOf(world, hook), body: '{"RAW":"x"}', headers: json };

    const { ARGS } = seen((await api.send(sent)).body);

    expect(ARGS).toEqual({
      RAW: Buffer.from(sent.body).toString('base64'),
      GET: {},
      POST: { RAW: 'x' },
    });
  });

  it('a body that names the method GET is run with its bytes', async ({ api, world, hook }) => {
    const sent = '{"_method":"GET","a":"1"}';
    const path = linkOf(world, hook);

    const { body } = await api.send({ method: 'POST', path, body: sent, headers: text });

    expect(seen(body).ARGS).toMatchObject({
      GET: { a: '1' },
      RAW: Buffer.from(sent).toString('base64'),
    });
  });

  it('META has no keys, and neither type nor length', async ({ api, world }) => {
    const path = `${world.base}${at}hook/run/`;
    const headers = { ...json, 'X-Signature': 'v1', Authorization: 'Basic x' };
    const sent = { as: world.owner, method: 'POST', path, body: '{}', headers };

    const { request } = seen((await api.send(sent)).body).META;

    expect(request.HTTP_X_SIGNATURE).toBe('v1');
    const hidden = ['HTTP_X_API_KEY', 'HTTP_AUTHORIZATION', 'HTTP_CONTENT_TYPE'];
    expect(hidden.filter((name) => name in request)).toEqual([]);
  });

  it('an endpoint without it has no RAW, and rejects what it cannot parse', async ({
    api,
    world,
  }) => {
    const { public_link } = await makeEndpoint(world, 'strict', echo, { public: true });
    const path = `${world.base}${at}p/${public_link}/`;
    const post = (body: string) => api.send({ method: 'POST', path, body, headers: json });

    expect(seen((await post('{"a":1}')).body).ARGS).toEqual({ a: 1, GET: {}, POST: { a: 1 } });
    expect((await post('{"a":')).status).toBe(400);
  });
});

describe('in a batch', () => {
  const runItem = async (world: World, request: object) => {
    const requests = [{ method: 'POST', path: `${world.base}${at}hook/run/`, ...request }];
    const [item] = expected(await world.own('POST', 'batch/', { requests }), 200);
    return item;
  };
  const batch = (world: World, body: unknown) => runItem(world, { body });

  it.for<[string, object, number]>([
    ['a GET', { method: 'GET' }, 200],
    ['a GET whose body is ignored', { method: 'GET', body: { a: 1 } }, 200],
    ['a POST without a body', {}, 200],
    ['a POST with an empty text', { body: '' }, 200],
    ['a PUT, which the path does not have', { method: 'PUT' }, 405],
  ])('%s has no bytes', async ([, request, code], { world }) => {
    const item = await runItem(world, request);

    expect(item.code).toBe(code);
    if (code === 200) expect(seen(item.content).ARGS).toEqual({ RAW: '', GET: {}, POST: {} });
  });

  it('an item of a public link has none either', async ({ world, hook }) => {
    const item = await runItem(world, { method: 'GET', path: `${linkOf(world, hook)}?a=1` });

    expect(seen(item.content).ARGS).toEqual({ RAW: '', a: '1', GET: { a: '1' }, POST: {} });
  });

  it('an empty object is one', async ({ world }) => {
    const { content } = await batch(world, {});

    expect(Buffer.from(seen(content).ARGS.RAW, 'base64').toString()).toBe('{}');
  });

  it('the bytes are the JSON text of the value', async ({ world }) => {
    const { content } = await batch(world, { a: 1, b: 'ä' });

    expect(Buffer.from(seen(content).ARGS.RAW, 'base64').toString()).toBe('{"a":1,"b":"ä"}');
  });

  it('they have the same limit', async ({ world }) => {
    const members = Array.from({ length: 11 }, (_, n) => [`a${n}`, 'x'.repeat(49_000)]);

    expect(await batch(world, Object.fromEntries(members))).toEqual({
      code: 413,
      content: { detail: `Request size limit exceeded (${maxBytes}).` },
    });
  });
});

describe('the limit', () => {
  it.for([
    [maxBytes, 200],
    [maxBytes + 1, 413],
  ] as const)('%d bytes are %d', async ([bytes, status], { api, world }) => {
    const source = 'console.log(Buffer.from(ARGS.RAW, "base64").length)';
    const name = `sized-${status}`;
    const { public_link } = await makeEndpoint(world, name, source, { public: true, raw: true });
    const path = `${world.base}${at}p/${public_link}/`;
    const headers = { 'Content-Type': 'application/octet-stream' };

    const run = await api.send({ method: 'POST', path, body: Buffer.alloc(bytes, 7), headers });

    expect(run.status).toBe(status);
    if (status === 200) expect(run.body.result.stdout).toBe(String(bytes));
    else expect(run.body).toEqual({ detail: `Request size limit exceeded (${maxBytes}).` });
  });
});

describe('the trace', () => {
  it('leaves the bytes out and says so; the run cannot be repeated', async ({ api, world }) => {
    await makeEndpoint(world, 'traced', 'setTimeout(() => {}, 40)', { raw: true });
    const sent = { body: '{"a": 1}', headers: json };
    const path = `${world.base}${at}traced/`;
    expected(
      await api.send({ as: world.owner, method: 'POST', path: `${path}run/`, ...sent }),
      200,
    );

    const traces = await world.read(`${at}traced/traces/`);
    const again = await world.own(
      'POST',
      `${traces.objects[0].links.self.replace(world.base, '')}retry/`,
    );

    expect(traces.objects[0].args).toEqual({ GET: {}, POST: { a: 1 }, RAW: '(not kept: 8 bytes)' });
    expect([again.status, again.body]).toEqual([
      400,
      { detail: 'The arguments of the run were not kept.' },
    ]);
  });
});

function utf16() {
  return { 'Content-Type': 'application/json; charset=utf-16le' };
}

function linkOf(world: World, { public_link }: MadeEndpoint): string {
  return `${world.base}${at}p/${public_link}/`;
}

function seen({ result }: { readonly result: { readonly stdout: string } }) {
  return JSON.parse(result.stdout);
}
