import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileClass } from '../../shared/classes/rules/compiled-class.ts';
import type { ClassFieldType, FieldDefinition } from '../../shared/classes/rules/field-types.ts';
import {
  compositeIndexPrefix,
  encodeNumber,
  encodeText,
  encodeValue,
  slotKeys,
} from '../../shared/table/index-keys.ts';
import type { Json } from '../../shared/values/json/json.ts';

/** Compares in the order of the store: by code point, which is the order of bytes. */
function compareText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Compares values of one kind; text by code point. */
function compareValues(a: Json, b: Json): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  return Number(a) < Number(b) ? -1 : Number(a) > Number(b) ? 1 : 0;
}

const wellFormedText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.string({
    unit: fc.constantFrom(
      '\u0000',
      '\u0001',
      '\u0002',
      '~',
      '"',
      'a',
      '\uffff',
      '😀',
      '\u{10ffff}',
    ),
    maxLength: 4,
  }),
);

const times = fc
  .record({
    at: fc.date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    }),
    micros: fc.integer({ min: 0, max: 999 }),
  })
  .map(({ at, micros }) => at.toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`));

const numbers = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 5e-324, -5e-324, 2.2250738585072014e-308, 1, -1, 1.7e308, -1.7e308),
);

const kinds: readonly (readonly [ClassFieldType, fc.Arbitrary<Json>])[] = [
  ['integer', fc.oneof(fc.integer(), fc.integer({ min: -3, max: 3 }))],
  ['float', numbers],
  ['boolean', fc.boolean()],
  ['datetime', times],
  ['reference', fc.integer({ min: 1 })],
  ['string', wellFormedText],
];

function compiledWith(fields: readonly FieldDefinition[], slots: readonly (number | undefined)[]) {
  return compileClass(
    {
      schema: fields,
      storage: fields.map(({ name }, i) => {
        const slot = slots[i];
        return slot === undefined ? { storage: `1_${name}` } : { storage: `1_${name}`, slot };
      }),
      revision: 1,
      epoch: 1,
    },
    () => '',
  );
}

describe('index keys', () => {
  it.each(kinds)('keep the order of %s, null last, then of ids', (type, values) => {
    const compiled = compiledWith([{ name: 'a', type, order_index: true }], [0]);
    const keyOf = (value: Json, id: number) =>
      slotKeys(compiled, value === null ? {} : { '1_a': value }, id).slot0 ?? '';
    const value = fc.option(values, { nil: null, freq: 10 });
    const ids = fc.integer({ min: 1, max: 2147483647 });

    fc.assert(
      fc.property(value, value, ids, ids, (a, b, idA, idB) => {
        const order = compareValues(a, b) || Math.sign(idA - idB);
        expect(Math.sign(compareText(keyOf(a, idA), keyOf(b, idB)))).toBe(Math.sign(order));
      }),
      { numRuns: 3000 },
    );
  });

  it.each<[number, string]>([
    [0, '8000000000000000'],
    [-0, '8000000000000000'],
    [1, 'bff0000000000000'],
    [-1, '400fffffffffffff'],
    [5e-324, '8000000000000001'],
    [-5e-324, '7ffffffffffffffe'],
  ])('number %d', (value, code) => {
    expect(encodeNumber(value)).toBe(code);
  });

  it.each<[string, string]>([
    ['', '"'],
    ['a"~', '"a"~'],
    ['\u0000', '"\u0001\u0001'],
    ['\u0001\u0000', '"\u0001\u0002\u0001\u0001'],
  ])('text %j', (text, code) => {
    expect(encodeText(text)).toBe(code);
  });

  it('has a key for every slot', () => {
    const fields: readonly FieldDefinition[] = [
      { name: 'a', type: 'string', filter_index: true },
      { name: 'b', type: 'text' },
      { name: 'c', type: 'boolean', filter_index: true },
      { name: 'd', type: 'geopoint', filter_index: true },
      { name: 'e', type: 'datetime', order_index: true },
      { name: 'f', type: 'array', filter_index: true },
    ];
    const compiled = compiledWith(fields, [3, undefined, 0, 1, 15]);
    const values = {
      '1_a': 'x',
      '1_c': true,
      '1_d': { longitude: 1, latitude: 1 },
      '1_f': [1],
    };

    const keys = slotKeys(compiled, values, 42);

    expect(keys).toEqual({
      slot0: '1\u00000000000042',
      slot1: 's00twy01mtw0\u00000000000042',
      slot3: '"x\u00000000000042',
      slot15: '~\u00000000000042',
    });
  });

  it('has a short prefix for each value in a composite index', () => {
    const texts = ['', 'a', 'a\u0000', 'x'.repeat(63), 'x'.repeat(64), 'x'.repeat(128)];
    const codes = [...texts, null].map((text) => compositeIndexPrefix('string', text));

    expect(new Set(codes).size).toBe(codes.length);
    expect(
      codes.filter((code) => codes.some((one) => one !== code && code.startsWith(one))),
    ).toEqual([]);
    const longest = [compositeIndexPrefix('string', '\u{10ffff}'.repeat(128)), ...codes];
    expect(Math.max(...longest.map((code) => Buffer.byteLength(code)))).toBeLessThan(200);
    expect(codes.every((code) => code.endsWith('\u0000'))).toBe(true);
  });

  it('has no order of lists', () => {
    expect(() => encodeValue('array', [1])).toThrow('values of type array have no order');
  });
});
