import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ExactNumber,
  parseExactJson,
  writeExactJson,
} from '../../shared/values/json/exact-number.ts';
import { readDoubles, readStorable } from '../../shared/values/json/json-values.ts';
import { integerReader, readFloat, textReader } from '../../shared/values/scalars.ts';

/** Numbers of JSON that a double does not give back (docs/reference/requests.md#large-numbers). */

const readText = textReader({ trim: false, blank: true });

describe('a number', () => {
  it.each([
    ['9007199254740993'],
    ['-9007199254740993'],
    ['653247040368672768'],
    ['18446744073709551616'],
    ['12345678901234567168'], // its double exactly, but no program writes that double so
    ['1000000000000000000000'],
    ['1'.repeat(400)],
    ['12345678901234567.89'],
    ['0.1234567890123456789'],
    ['9007199254740993.0'],
    ['1234567890123456789e3'],
  ])('%s is exact', (text) => {
    const parsed = parseExactJson(`{"a":[ ${text} ]}`) as { a: unknown[] };

    expect(parsed).toEqual({ a: [new ExactNumber(text)] });
    expect(writeExactJson(parsed)).toBe(`{"a":[${text}]}`);
    expect(readText(parsed.a[0])).toEqual({ ok: true, value: text });
  });

  it.each([
    ['9007199254740992'],
    ['12345678901234567000'],
    ['123456789012345680000'],
    ['1e21'],
    ['1.0000000000000000'],
    ['0.30000000000000004'],
    ['0.00000000000000001'],
    ['-123456789012345.60000'],
    ['1E+1234567890123456'],
    ['0e1234567890123456789'],
    ['"9007199254740993"'],
    ['"a: 9007199254740993, \\" 9007199254740993"'],
    ['"\\\\"'],
  ])('%s is as JSON.parse reads it', (text) => {
    const json = `{"9007199254740993":[${text},1]}`;

    expect(parseExactJson(json)).toStrictEqual(JSON.parse(json));
    expect(writeExactJson(JSON.parse(json))).toBe(JSON.stringify(JSON.parse(json)));
  });

  it('of too many digits is as JSON.parse reads it: Python cannot read it either', () => {
    expect(parseExactJson('1'.repeat(4001))).toBe(Number.POSITIVE_INFINITY);
  });

  it('is exact at the top, next to texts, and under any key', () => {
    const texts = '"\\ud8000","\\ud83d\\ude00","\\\\ud8000"';

    expect(parseExactJson('9007199254740993')).toEqual(new ExactNumber('9007199254740993'));
    expect(writeExactJson(parseExactJson(`{"__proto__":9007199254740993,"a":[${texts}]}`))).toBe(
      `{"__proto__":9007199254740993,"a":["\\ud8000","\u{1f600}","\\\\ud8000"]}`,
    );
  });

  it('is a double to numbers, and an error in JSON that is kept', () => {
    const [integer, decimal] = [
      new ExactNumber('9007199254740993'),
      new ExactNumber('1.23456789012345678'),
    ];
    const lost = 'The integer 9007199254740993 would lose digits: send it as text.';

    expect(integerReader({ max: Infinity })(integer)).toEqual({ ok: true, value: 2 ** 53 });
    expect(readFloat(integer)).toEqual({ ok: true, value: 2 ** 53 });
    expect(readFloat(decimal)).toEqual({ ok: true, value: 1.2345678901234567 });
    expect(readStorable({ a: [integer] }, '')).toEqual({ ok: false, messages: [lost] });
    expect(readDoubles([integer])).toEqual({ ok: false, messages: [lost] });
    const kept = readStorable({ a: [decimal, -0] }, '');
    expect(kept).toStrictEqual({ ok: true, value: { a: [1.2345678901234567, -0] } });
  });
});

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map(String),
  fc
    .tuple(fc.bigInt({ min: -(2n ** 60n), max: 2n ** 60n }), fc.nat({ max: 10 ** 9 }))
    .map(([whole, fraction]) => `${whole}.${fraction}`),
);
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    number,
    fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
    fc
      .string({ unit: fc.constantFrom('"', '\\', '1234567890123456', ':', ',') })
      .map((text) => JSON.stringify(text)),
    fc.constantFrom('true', 'null'),
    fc.array(tie('json'), { maxLength: 4 }).map((all) => `[${all.join(', ')}]`),
    fc
      .uniqueArray(fc.tuple(fc.string(), tie('json')), { maxLength: 4, selector: ([name]) => name })
      .map((all) => `{${all.map(([name, each]) => `${JSON.stringify(name)}: ${each}`)}}`),
  ),
}));

describe('law', () => {
  it('JSON of a JavaScript client has no exact number, and is as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(parseExactJson(text)).toStrictEqual(JSON.parse(text));
        expect(readStorable(parseExactJson(text), '').ok).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('any JSON is written as it was parsed, and otherwise as JSON.parse reads it', () => {
    fc.assert(
      fc.property(json, (text) => {
        const parsed = parseExactJson(text);
        const written = writeExactJson(parsed);
        expect(JSON.stringify(parsed)).toBe(JSON.stringify(JSON.parse(text)));
        expect(parseExactJson(written)).toStrictEqual(parsed);
        expect(numbersOf(written)).toEqual(numbersOf(text));
      }),
      { numRuns: 1000 },
    );
  });
});

/** Returns the integers outside of texts that no double gives back, sorted: members with a number as name come first. */
function numbersOf(text: string): readonly string[] {
  const bare = text.replace(/"(?:[^"\\]|\\.)*"/g, '');
  const all = bare.match(/-?\d[\d.]*(?:e[-+]?\d+)?/gi) ?? [];
  return all.filter((each) => /^-?\d+$/.test(each) && String(Number(each)) !== each).sort();
}

it('a text takes a fraction of thousands of digits as it was written', () => {
  const text = `0.${'123'.repeat(3000)}`;
  const [number] = parseExactJson(`[${text}]`) as unknown[];

  expect(readText(number)).toEqual({ ok: true, value: text });
});

describe('a number of millions of digits', () => {
  const digits = '1'.repeat(6_000_000);
  it.each<[string, string]>([
    ['an integer', digits],
    ['a negative one', `-${digits}`],
    ['a fraction', `0.${digits}`],
    ['many zeros', `1.${'0'.repeat(6_000_000)}`],
    ['leading zeros', `0.${'0'.repeat(6_000_000)}1`],
    ['one with an exponent', `${digits}e-5999999`],
    ['an exponent', `1e${digits}`],
  ])('%s is read', (_, text) => {
    const value = parseExactJson(`[${text},1]`);

    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(`[${text},1]`)));
  });
});
