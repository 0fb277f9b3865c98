import { expect, test } from 'vitest';
import type { Request } from '../../shared/core/http/message.ts';
import { applyOverride } from '../../shared/core/http/override.ts';

const base: Request = {
  id: 'r1',
  method: 'POST',
  path: '/',
  query: new URLSearchParams('a=1'),
  headers: { 'content-type': 'text/plain;charset=UTF-8' },
  body: { kind: 'json', value: {} },
  sourceAddress: '127.0.0.1',
};
const posted = (text: string, changes: Partial<Request> = {}): Request => ({
  ...base,
  body: { kind: 'bytes', bytes: Buffer.from(text) },
  ...changes,
});

test.each([
  ['PUT', '{"_method":"PUT","x":1,"_api_key":"k"}', 'PUT', { x: 1, _api_key: 'k' }],
  ['POST itself', '{"_method":"POST","x":1}', 'POST', { x: 1 }],
  ['no method', '{"x":1}', 'POST', { x: 1 }],
  ['small letters', '{"_method":"put"}', 'POST', { _method: 'put' }],
  ['a method outside the set', '{"_method":"OPTIONS"}', 'POST', { _method: 'OPTIONS' }],
  ['no string', '{"_method":["GET"]}', 'POST', { _method: ['GET'] }],
  ['a list', '["_method"]', 'POST', ['_method']],
])('%s', (_name, text, method, value) => {
  const request = applyOverride(posted(text));

  expect(request).toEqual({
    ...base,
    method,
    body: { kind: 'json', value, bytes: Buffer.from(text) },
  });
});

test('GET uses the body as query before that of the address, without credentials', () => {
  const text = '{"_method":"GET","query":{"n":{"_gt":1}},"a":"0","_api_key":"k","_user_key":"u"}';

  const request = applyOverride(posted(text));

  expect(request.method).toBe('GET');
  expect([...request.query]).toEqual([
    ['query', '{"n":{"_gt":1}}'],
    ['a', '0'],
    ['a', '1'],
  ]);
});

test.each([
  [
    'another type',
    posted('{"_method":"PUT"}', { headers: { 'content-type': 'application/json' } }),
  ],
  ['another method', posted('{"_method":"PUT"}', { method: 'PUT' })],
  ['no type', posted('{"_method":"PUT"}', { headers: {} })],
  ['an empty body', posted('')],
  ['a body that does not parse', posted('{"_method"')],
])('%s is unchanged', (_name, request) => {
  expect(applyOverride(request)).toBe(request);
});
