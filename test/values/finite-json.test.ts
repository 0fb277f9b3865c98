import { describe, expect, it } from 'vitest';
import { ExactNumber } from '../../shared/values/json/exact-number.ts';
import { parseFiniteJson } from '../../shared/values/json/finite-json.ts';

describe('JSON that is sent on', () => {
  it.each([
    ['1e400', 'a number is too large'],
    ['{"a":[{"b":-1E+400}]}', 'the number b is too large'],
    ['[1,1e309]', 'the number 1 is too large'],
    [`{"a":${'9'.repeat(5000)}}`, 'the number a is too large'],
  ])('%s is an error: it would be sent as null', (text, message) => {
    expect(() => parseFiniteJson(text)).toThrow(new SyntaxError(message));
  });

  it.each(['1e308', '1e-400', '"1e400"', '{"a1e400":[null]}'])('%s is as it was', (text) => {
    expect(parseFiniteJson(text)).toEqual(JSON.parse(text));
  });

  it('may have any digits that a text field keeps', () => {
    const digits = '9'.repeat(400);

    expect(parseFiniteJson(`[${digits}]`)).toEqual([new ExactNumber(digits)]);
  });
});
