import { afterEach, describe, expect, vi } from 'vitest';
import { routes } from '../../functions/api.ts';
import { createDispatch } from '../../shared/core/pipeline/dispatch.ts';
import { type Handler, toHandler } from '../../shared/platforms/aws/gateway.ts';
import { responseTemplates } from '../../shared/templates/response-templates.ts';
import { clientEvent } from '../aws-emulator/gateway-event.ts';
import type { World } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';

/*
 * What a body may cost before the request is authenticated, and what parsing may cost in total.
 */

const it = worldTest().extend('given', { scope: 'file', auto: true }, ({ world }) => setUp(world));

const json = { 'Content-Type': 'application/json' };
const text = { 'Content-Type': 'text/plain' };
const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
const tooMuch = { detail: 'JSON parse error - more than 200000 brackets, commas and colons' };
const over64 = { detail: 'Request size limit exceeded (65536).' };
const filler = 'x'.repeat(70_000);

afterEach(() => vi.restoreAllMocks());

describe('the structure of JSON is limited', () => {
  it.for([
    ['as JSON', json],
    ['as text', text],
    ['without a type', {}],
  ] as const)('%s', async ([_, headers], { api, given: { key, path } }) => {
    const body = Buffer.from(`{"any":${nested(200_100)}}`);

    const response = await api.send({ as: key, method: 'POST', path, headers, body });

    expect([response.status, response.body]).toEqual([400, tooMuch]);
  });

  it('brackets inside strings are not counted', async ({ api, given: { key, path } }) => {
    const body = { ignored: `\\"${'[]{},:'.repeat(50_000)}`, text: 'a' };

    const response = await api.send({ as: key, path, body });

    expect(response.status).toBe(201);
  });

  it('in the text of a field too', async ({ api, given: { key, path } }) => {
    const response = await api.send({ as: key, path, body: { any: `{"a":${nested(200_100)}}` } });

    expect([response.status, response.body]).toEqual([400, { any: ['Not a valid object.'] }]);
  });

  it('for all text bodies of a batch together', async ({ world, given: { path } }) => {
    const body = `{"any":{"a":${nested(45_000)}}}`;
    const requests = Array.from({ length: 5 }, () => ({ method: 'POST', path, body }));

    const response = await world.own('POST', 'batch/', { requests });

    expect([response.status, response.body]).toEqual([400, tooMuch]);
  });

  it('for a form by its fields', async ({ api, given: { key, path } }) => {
    const body = 'a&'.repeat(100_001);

    const response = await api.send({ as: key, path, headers: form, body });

    expect([response.status, response.body]).toEqual([
      400,
      { detail: 'Form parse error - more than 100000 fields' },
    ]);
  });
});

describe('a body without a valid credential outside of it', () => {
  it.for<[string, Record<string, string>, (given: Given) => string]>([
    ['JSON', json, ({ key }: Given) => JSON.stringify({ _api_key: key, text: filler })],
    ['text', text, ({ key }: Given) => JSON.stringify({ _api_key: key, text: filler })],
    [
      'an override',
      text,
      ({ key }: Given) => JSON.stringify({ _method: 'GET', _api_key: key, text: filler }),
    ],
    ['a form', form, ({ key }: Given) => `_api_key=${key}&text=${filler}`],
    ['JSON without a key', json, () => JSON.stringify({ text: filler })],
  ])('may have 64 KB: %s', async ([_, headers, body], { given, api, given: { path, send } }) => {
    const response = await api.send({ method: 'POST', path, headers, body: body(given) });
    const behindGateway = await send(path, headers, body(given));

    expect([response.status, response.body]).toEqual([413, over64]);
    expect([behindGateway.statusCode, JSON.parse(behindGateway.body ?? '')]).toEqual([413, over64]);
  });

  it('may contain the key if it is smaller', async ({ api, given: { key, path } }) => {
    const body = JSON.stringify({ _api_key: key, text: 'a', ignored: 'x'.repeat(60_000) });

    const response = await api.send({ method: 'POST', path, headers: json, body });

    expect(response.status).toBe(201);
  });

  const parts = (first: Readonly<Record<string, string>>, file: string) => {
    const sent = new FormData();
    for (const [name, value] of Object.entries(first)) sent.append(name, value);
    sent.append('scan', new Blob([file]), 'scan.txt');
    return sent;
  };

  it('may be larger where its first part is a valid key', async ({ api, given: { key, path } }) => {
    const body = parts({ _api_key: key, text: 'a' }, 'x'.repeat(1_000_000));

    const response = await api.send({ path, body });

    expect([response.status, response.body.text]).toEqual([201, 'a']);
  });

  it.for([
    ['that is forged', () => parts({ _api_key: '0'.repeat(56) }, filler)],
    ['that comes late', ({ key }: Given) => parts({ text: filler, _api_key: key }, 'x')],
  ] as const)(
    'may not be larger with a key %s',
    async ([_, body], { given, api, given: { path } }) => {
      const response = await api.send({ path, body: body(given) });

      expect([response.status, response.body]).toEqual([413, over64]);
    },
  );

  it.for([
    ['in a header', ({ key, path }: Given) => ({ headers: { ...json, 'X-API-KEY': key }, path })],
    [
      'in Authorization',
      ({ key, path }: Given) => ({ headers: { ...json, Authorization: `token ${key}` }, path }),
    ],
    ['in the query', ({ path, key }: Given) => ({ headers: json, path: `${path}?api_key=${key}` })],
  ] as const)('may be larger with a valid key %s', async ([_, call], { given, api }) => {
    const body = JSON.stringify({ text: 'a', ignored: filler });

    const response = await api.send({ method: 'POST', body, ...call(given) });

    expect(response.status).toBe(201);
  });
});

describe('nothing is parsed before path, size and key are known', () => {
  const forged = '00'.repeat(28);
  it.for<[string, (given: Given) => string, Record<string, string>, number]>([
    ['an unknown path', () => '/v1.1/nowhere/', {}, 404],
    ['a path without its last slash', ({ path }: Given) => path.slice(0, -1), {}, 404],
    ['a forged key', ({ path }: Given) => path, { 'x-api-key': forged }, 403],
    ['a forged key in the query', ({ path }: Given) => `${path}?api_key=${forged}`, {}, 403],
    ['a forged link', ({ world }: Given) => `${world.base}endpoints/scripts/p/${forged}/`, {}, 404],
  ])('%s', async ([_, to, headers, status], { given, given: { handler } }) => {
    const parse = vi.spyOn(JSON, 'parse');
    const body = `{"mark":"${'x'.repeat(1000)}"}`;
    const [at = '', query = ''] = to(given).split('?');
    const event = clientEvent({ method: 'POST', path: at, query });

    const response = await handler({
      ...event,
      headers: { ...event.headers, 'content-type': 'text/plain', ...headers },
      body,
    });

    expect(response.statusCode).toBe(status);
    expect(parse.mock.calls.filter(([text]) => text.includes('mark'))).toEqual([]);
  });
});

async function setUp(world: World) {
  const { api } = world;
  /** Like the gateway of a deployment. */
  function send(to: string, headers: Record<string, string>, body: string) {
    const event = clientEvent({ method: 'POST', path: to });
    const sent = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    return handler({
      ...event,
      headers: { ...event.headers, ...Object.fromEntries(sent) },
      body: Buffer.from(body).toString('base64'),
      isBase64Encoded: true,
    });
  }
  const path = `${await world.dataClass('note', [
    { name: 'text', type: 'text' },
    { name: 'any', type: 'object' },
    { name: 'scan', type: 'file' },
  ])}objects/`;
  const key = await world.apiKey({ ignore_acl: true });
  /** As behind a gateway, which passes on whole bodies. */
  const handler: Handler = toHandler({
    ...api.platform,
    dispatch: createDispatch(routes, api.platform, { renderer: responseTemplates }),
  });
  return { key, path, send, handler, world };
}

type Given = Awaited<ReturnType<typeof setUp>>;

const nested = (characters: number) => `[${'[],'.repeat(Math.floor(characters / 3))}[]]`;
