import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { choice, jsonObject, metadata } from '../../shared/values/values.ts';

const messagesOf = (result: { issues?: readonly { message: string }[] | undefined }) =>
  result.issues?.map(({ message }) => message);
const withKeys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, null]));

describe('a JSON object with limits', () => {
  it.each([
    ['8 keys', withKeys(8)],
    ['a key of 16 characters', { ['k'.repeat(16)]: 1 }],
    ['a key of 16 characters beyond the basic plane', { ['😀'.repeat(16)]: 1 }],
    ['a value of 4096 characters, with its quotes', { k: 'x'.repeat(4094) }],
    ['long keys further in', { k: { ['k'.repeat(17)]: 1 } }],
  ])('takes %s', (_, value) => {
    expect(v.parse(metadata(), value)).toEqual(value);
  });

  it.each([
    ['9 keys', withKeys(9), 'Too many keys defined (exceeds 8).'],
    [
      '9 keys, too long ones too',
      { ...withKeys(9), ['k'.repeat(17)]: 1 },
      'Too many keys defined (exceeds 8).',
    ],
    ['a key of 17 characters', { a: 1, ['k'.repeat(17)]: 1 }, 'Too long key defined (exceeds 16).'],
    [
      'a long value after another',
      { a: 1, k: 'x'.repeat(4095) },
      'Too long value defined for key k (exceeds 4096).',
    ],
    ['a number', 5, 'Metadata passed in invalid format.'],
    ['infinity', JSON.parse('{"a":1e999}'), 'Metadata passed in invalid format.'],
    ['text of null', 'null', 'Metadata passed in invalid format.'],
    ['blank text', ' ', 'Not a valid JSON string.'],
  ])('rejects %s', (_, value, message) => {
    expect(messagesOf(v.safeParse(metadata(), value))).toEqual([message]);
  });

  it('counts bytes of the whole, in UTF-8', () => {
    const config = jsonObject({ name: 'Config', maxBytes: 12 });

    expect(v.parse(config, { a: 'xxxx' })).toEqual({ a: 'xxxx' });
    expect(v.parse(config, { a: 'éé' })).toEqual({ a: 'éé' });
    expect(messagesOf(v.safeParse(config, { a: 'ééé' }))).toEqual([
      'Too big object defined (exceeds 12).',
    ]);
  });

  it('has its name in messages, and no limits unless set', () => {
    const free = jsonObject({ name: 'Config' });
    const large = { ...withKeys(1000), ['k'.repeat(1000)]: 'x'.repeat(100_000) };

    expect(v.parse(free, large)).toEqual(large);
    expect(messagesOf(v.safeParse(free, []))).toEqual(['Config passed in invalid format.']);
  });
});

describe('a choice', () => {
  it.each([
    ['write', 'write'],
    [1, 'full'],
    ['3', 'read'],
  ])('%j is %s', (input, word) => {
    expect(v.parse(choice(['full', 'write', 'read'], 1), input)).toBe(word);
  });

  it.each([
    [0, '"0" is not a valid choice.'],
    [4, '"4" is not a valid choice.'],
    ['4', '"4" is not a valid choice.'],
    ['Full', '"Full" is not a valid choice.'],
    ['', '"" is not a valid choice.'],
    [['full'], '"list" is not a valid choice.'],
  ])('%j is none', (input, message) => {
    expect(messagesOf(v.safeParse(choice(['full', 'write', 'read'], 1), input))).toEqual([message]);
  });
});
