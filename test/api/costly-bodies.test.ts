import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { routes } from '../../functions/api.ts';
import { createDispatch } from '../../shared/core/pipeline/dispatch.ts';
import { type Handler, toHandler } from '../../shared/platforms/aws/gateway.ts';
import { responseTemplates } from '../../shared/templates/response-templates.ts';
import { clientEvent } from '../aws-emulator/gateway-event.ts';
import { api } from '../support/api-fixture.ts';
import { useWorld, world } from '../support/world-fixture.ts';

useWorld();

/*
 * What a body may cost before the request is authenticated, and what parsing may cost in total.
 */

let path: string;
let key: string;
/** As behind a gateway, which passes on whole bodies. */
let handler: Handler;

beforeAll(async () => {
  path = `${await world.dataClass('note', [
    { name: 'text', type: 'text' },
    { name: 'any', type: 'object' },
    { name: 'scan', type: 'file' },
  ])}objects/`;
  key = await world.apiKey({ ignore_acl: true });
  handler = toHandler({
    ...api.platform,
    dispatch: createDispatch(routes, api.platform, { renderer: responseTemplates }),
  });
});
afterEach(() => vi.restoreAllMocks());

const json = { 'Content-Type': 'application/json' };
const text = { 'Content-Type': 'text/plain' };
const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
const nested = (characters: number) => `[${'[],'.repeat(Math.floor(characters / 3))}[]]`;
const tooMuch = { detail: 'JSON parse error - more than 200000 brackets, commas and colons' };
const over64 = { detail: 'Request size limit exceeded (65536).' };

describe('the structure of JSON is limited', () => {
  it.each([
    ['as JSON', json],
    ['as text', text],
    ['without a type', {}],
  ])('%s', async (_, headers) => {
    const body = Buffer.from(`{"any":${nested(200_100)}}`);

    const response = await api.send({ as: key, method: 'POST', path, headers, body });

    expect([response.status, response.body]).toEqual([400, tooMuch]);
  });

  it('brackets inside strings are not counted', async () => {
    const body = { ignored: `\\"${'[]{},:'.repeat(50_000)}`, text: 'a' };

    const response = await api.send({ as: key, path, body });

    expect(response.status).toBe(201);
  });

  it('in the text of a field too', async () => {
    const response = await api.send({ as: key, path, body: { any: `{"a":${nested(200_100)}}` } });

    expect([response.status, response.body]).toEqual([400, { any: ['Not a valid object.'] }]);
  });

  it('for all text bodies of a batch together', async () => {
    const body = `{"any":{"a":${nested(45_000)}}}`;
    const requests = Array.from({ length: 5 }, () => ({ method: 'POST', path, body }));

    const response = await world.call(world.owner, 'POST', 'batch/', { requests });

    expect([response.status, response.body]).toEqual([400, tooMuch]);
  });

  it('for a form by its fields', async () => {
    const body = 'a&'.repeat(100_001);

    const response = await api.send({ as: key, path, headers: form, body });

    expect([response.status, response.body]).toEqual([
      400,
      { detail: 'Form parse error - more than 100000 fields' },
    ]);
  });
});

const filler = 'x'.repeat(70_000);

describe('a body without a valid credential outside of it', () => {
  it.each<[string, Record<string, string>, () => string]>([
    ['JSON', json, () => JSON.stringify({ _api_key: key, text: filler })],
    ['text', text, () => JSON.stringify({ _api_key: key, text: filler })],
    ['an override', text, () => JSON.stringify({ _method: 'GET', _api_key: key, text: filler })],
    ['a form', form, () => `_api_key=${key}&text=${filler}`],
    ['JSON without a key', json, () => JSON.stringify({ text: filler })],
  ])('may have 64 KB: %s', async (_, headers, body) => {
    const response = await api.send({ method: 'POST', path, headers, body: body() });
    const behindGateway = await send(path, headers, body());

    expect([response.status, response.body]).toEqual([413, over64]);
    expect([behindGateway.statusCode, JSON.parse(behindGateway.body ?? '')]).toEqual([413, over64]);
  });

  it('may contain the key if it is smaller', async () => {
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

  it('may be larger where its first part is a valid key', async () => {
    const body = parts({ _api_key: key, text: 'a' }, 'x'.repeat(1_000_000));

    const response = await api.send({ path, body });

    expect([response.status, response.body.text]).toEqual([201, 'a']);
  });

  it.each([
    ['that is forged', () => parts({ _api_key: '0'.repeat(56) }, filler)],
    ['that comes late', () => parts({ text: filler, _api_key: key }, 'x')],
  ])('may not be larger with a key %s', async (_, body) => {
    const response = await api.send({ path, body: body() });

    expect([response.status, response.body]).toEqual([413, over64]);
  });

  it.each([
    ['in a header', () => ({ headers: { ...json, 'X-API-KEY': key }, path })],
    ['in Authorization', () => ({ headers: { ...json, Authorization: `token ${key}` }, path })],
    ['in the query', () => ({ headers: json, path: `${path}?api_key=${key}` })],
  ])('may be larger with a valid key %s', async (_, call) => {
    const body = JSON.stringify({ text: 'a', ignored: filler });

    const response = await api.send({ method: 'POST', body, ...call() });

    expect(response.status).toBe(201);
  });
});

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

describe('nothing is parsed before path, size and key are known', () => {
  const forged = '00'.repeat(28);
  it.each<[string, () => string, Record<string, string>, number]>([
    ['an unknown path', () => '/v1.1/nowhere/', {}, 404],
    ['a path without its last slash', () => path.slice(0, -1), {}, 404],
    ['a forged key', () => path, { 'x-api-key': forged }, 403],
    ['a forged key in the query', () => `${path}?api_key=${forged}`, {}, 403],
    ['a forged link', () => `${world.base}endpoints/scripts/p/${forged}/`, {}, 404],
  ])('%s', async (_, to, headers, status) => {
    const parse = vi.spyOn(JSON, 'parse');
    const body = `{"mark":"${'x'.repeat(1000)}"}`;
    const [at = '', query = ''] = to().split('?');
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
