import { describe, expect, test } from 'vitest';
import { isRequestTooLarge, isTextBody } from '../../shared/core/http/event-size.ts';

type Headers = Record<string, string>;
const json = 'application/json; charset=utf-8';
const form = 'application/x-www-form-urlencoded';

/** A large body has 4,800,000 bytes: less than 6 MB as text, more in base64. */
describe.each<[string, Headers, string | Buffer, isText: boolean]>([
  ['JSON', { 'content-type': json }, 'ü', true],
  ['JSON in upper case', { 'content-type': 'Application/JSON' }, 'aa', true],
  ['text', { 'content-type': 'text/csv' }, 'ü', true],
  ['XML', { 'content-type': 'application/xml' }, 'aa', true],
  ['a body without a type', {}, 'aa', true],
  ['JSON that is no UTF-8', { 'content-type': json }, Buffer.from([0x61, 0xff]), false],
  ['a form', { 'content-type': form }, 'aa', false],
  ['a picture', { 'content-type': 'image/png' }, 'aa', false],
  ['JSON with a content encoding', { 'content-type': json, 'content-encoding': 'x' }, 'aa', false],
])('%s', (_, headers, part, isText) => {
  test(isText ? 'is passed on as text' : 'is passed on in base64', () => {
    expect(isTextBody({ headers }, Buffer.from(part))).toBe(isText);
  });

  test(isText ? 'may have 4.8 MB' : 'may not have 4.8 MB', () => {
    const bytes = Buffer.alloc(4_800_000, part);

    expect(isTooLarge(headers, bytes)).toBe(!isText);
  });
});

test.each<[string, string, number, string, boolean]>([
  ['text of nearly 6 MB', 'text/plain', 6_290_000, 'a', false],
  ['text of 6 MB', 'text/plain', 6_291_456, 'a', true],
  ['quotation marks that nearly need 6 MB', 'text/plain', 3_145_000, '"', false],
  ['quotation marks that need over 6 MB', 'text/plain', 3_146_000, '"', true],
  ['control characters that nearly need 6 MB', 'text/plain', 1_048_000, '\u0001', false],
  ['control characters that need over 6 MB', 'text/plain', 1_049_000, '\u0001', true],
  ['bytes that nearly need 6 MB in base64', 'image/png', 4_717_000, 'a', false],
  ['bytes that need over 6 MB in base64', 'image/png', 4_719_000, 'a', true],
])('%s', (_, type, length, part, isExpected) => {
  expect(isTooLarge({ 'content-type': type }, Buffer.alloc(length, part))).toBe(isExpected);
});

function isTooLarge(headers: Headers, bytes: Buffer): boolean {
  return isRequestTooLarge({
    id: 'r1',
    method: 'POST',
    path: '/',
    query: new URLSearchParams(),
    headers,
    body: { kind: 'bytes', bytes },
    sourceAddress: '10.0.0.1',
  });
}
