import { describe, expect, it } from 'vitest';
import {
  characterCount,
  integerReader,
  type NumberRange,
  quoteValue,
  readDatetime,
  readFloat,
  type TextRules,
  textReader,
  toBoolean,
} from '../../shared/values/scalars.ts';

const value = (read: unknown) => ({ ok: true, value: read });
const message = (text: string) => ({ ok: false, messages: [text] });

describe('a text', () => {
  it.each<[unknown, string]>([
    [0, '0'],
    [-5, '-5'],
    [0.0001, '0.0001'],
    [0.00012, '0.00012'],
    [0.000099, '9.9e-05'],
    [-0.00001, '-1e-05'],
    [1.5e-10, '1.5e-10'],
    [1e-100, '1e-100'],
    [1e20, '100000000000000000000'],
    [1e21, '1e+21'],
    [-1.5e100, '-1.5e+100'],
  ])('of the number %d is %s', (input, text) => {
    expect(textReader()(input)).toEqual(value(text));
  });

  const max3 = message('Ensure this field has no more than 3 characters.');
  const min2 = message('Ensure this field has at least 2 characters.');
  const within = { min: 2, max: 3 };

  it.each<[string, TextRules, unknown]>([
    ['ab', within, value('ab')],
    ['abc', within, value('abc')],
    ['😀😀', within, value('😀😀')],
    ['😀😀😀', within, value('😀😀😀')],
    [' abc ', within, value('abc')],
    ['a', within, min2],
    ['😀', within, min2],
    [' a ', within, min2],
    ['abcd', within, max3],
    ['😀😀😀😀', within, max3],
    ['a', { max: 3 }, value('a')],
    ['abcd', { min: 2 }, value('abcd')],
    [' a ', { ...within, trim: false }, value(' a ')],
    [' a  ', { ...within, trim: false }, max3],
    ['', { ...within, blank: true }, value('')],
    ['', within, message('This field may not be blank.')],
  ])('"%s" with %j', (input, rules, reading) => {
    expect(textReader(rules)(input)).toEqual(reading);
  });

  it.each([
    ['', 0],
    ['abc', 3],
    ['😀', 1],
    ['a😀b😀', 4],
    ['😀😀', 2],
    ['\ud83d', 1],
    ['\ude00\ud83d', 2],
    ['\ud83da', 2],
  ])('%j has %d characters', (text, count) => {
    expect(characterCount(text)).toBe(count);
  });

  it.each([
    ['a\ud800', message('Not valid text: \\ud800 is half of a character.')],
    ['\ud800\udc00\udc01', message('Not valid text: \\udc01 is half of a character.')],
    ['😀', value('😀')],
  ])('%j is kept as it is, or refused', (text, reading) => {
    expect(textReader()(text)).toEqual(reading);
  });
});

const notInteger = message('A valid integer is required.');
const notNumber = message('A valid number is required.');
const tooLarge = message('String value too large.');

describe('an integer', () => {
  it.each<[unknown, NumberRange, unknown]>([
    [5, {}, value(5)],
    ['5', {}, value(5)],
    ['-5', {}, value(-5)],
    ['5.', {}, value(5)],
    ['5.000', {}, value(5)],
    [' \t5.0\n ', {}, value(5)],
    ['0012', {}, value(12)],
    ['-0', {}, value(0)],
    [1, { min: 1, max: 3 }, value(1)],
    [3, { min: 1, max: 3 }, value(3)],
    [0, { min: 1 }, message('Ensure this value is greater than or equal to 1.')],
    [4, { max: 3 }, message('Ensure this value is less than or equal to 3.')],
    [9_007_199_254_740_991, {}, value(9_007_199_254_740_991)],
    [-9_007_199_254_740_991, {}, value(-9_007_199_254_740_991)],
    [2 ** 53, {}, message('Ensure this value is less than or equal to 9007199254740991.')],
    [-(2 ** 53), {}, message('Ensure this value is greater than or equal to -9007199254740991.')],
    ['5.5', {}, notInteger],
    ['.5', {}, notInteger],
    ['5a', {}, notInteger],
    ['a5', {}, notInteger],
    ['+-5', {}, notInteger],
    ['5 5', {}, notInteger],
    ['0x10', {}, notInteger],
    [0.5, {}, notInteger],
    [[5], {}, notInteger],
    [null, {}, notInteger],
  ])('%j within %j', (input, range, reading) => {
    expect(integerReader(range)(input)).toEqual(reading);
  });

  it('has at most 1,000 characters as text', () => {
    expect(integerReader()('1'.padStart(1000, '0'))).toEqual(value(1));
    expect(integerReader()('1'.padStart(1001, '0'))).toEqual(tooLarge);
  });
});

describe('a float', () => {
  it.each<[unknown, unknown]>([
    [0.5, value(0.5)],
    ['0.5', value(0.5)],
    [' 5 ', value(5)],
    ['5.', value(5)],
    ['+.5', value(0.5)],
    ['-12.25', value(-12.25)],
    ['1e3', value(1000)],
    ['1.5E+10', value(1.5e10)],
    ['25e-1', value(2.5)],
    [true, value(1)],
    [false, value(0)],
    [-0, value(0)],
    ['', notNumber],
    ['.', notNumber],
    ['e5', notNumber],
    ['1e', notNumber],
    ['1e+', notNumber],
    ['1 2', notNumber],
    ['a1', notNumber],
    ['1a', notNumber],
    ['1,5', notNumber],
    [['1'], notNumber],
    [{}, notNumber],
    [null, notNumber],
  ])('%j', (input, reading) => {
    expect(readFloat(input)).toEqual(reading);
  });

  it('has at most 1,000 characters as text', () => {
    expect(readFloat('1'.padStart(1000, '0'))).toEqual(value(1));
    expect(readFloat('1'.padStart(1001, '0'))).toEqual(tooLarge);
  });
});

describe('a boolean', () => {
  it.each([
    true,
    1,
    't',
    'T',
    'y',
    'Y',
    'yes',
    'YES',
    'true',
    'True',
    'TRUE',
    'on',
    'On',
    'ON',
    '1',
  ])('%j is true', (input) => {
    expect(toBoolean(input)).toBe(true);
  });

  it.each([
    ...[false, 0, 'f', 'F', 'n', 'N', 'no', 'NO'],
    ...['false', 'False', 'FALSE', 'off', 'Off', 'OFF', '0'],
  ])('%j is false', (input) => {
    expect(toBoolean(input)).toBe(false);
  });

  it.each(['', ' ', 'Yes', 'No', 'tRUE', ' true', '2', 2, null, undefined, [], [true], {}])(
    '%j is none',
    (input) => {
      expect(toBoolean(input)).toBeUndefined();
    },
  );
});

describe('a value in a message', () => {
  it.each([
    ['a', 'a'],
    [1.5, '1.5'],
    [true, 'True'],
    [false, 'False'],
    [null, 'NoneType'],
    [['a'], 'list'],
    [{ a: 1 }, 'dict'],
  ])('%j is %s', (input, text) => {
    expect(quoteValue(input)).toBe(text);
  });
});

describe('a point in time', () => {
  it.each([
    ['2024-01-31T23:59:59Z', '2024-01-31T23:59:59.000000Z'],
    ['9999-12-31T00:00:00.123456Z', '9999-12-31T00:00:00.123456Z'],
    ['0001-01-01T00:00:00.5Z', '0001-01-01T00:00:00.500000Z'],
    ['2000-02-29T00:00:00.050Z', '2000-02-29T00:00:00.050000Z'],
  ])('%s is read as %s', (input, text) => {
    expect(readDatetime(input)).toEqual(value(text));
  });

  const days = (lengths: readonly number[], beyond: number) =>
    lengths.map((length, at) => {
      const [month, day] = [at + 1, length + beyond].map((part) => String(part).padStart(2, '0'));
      return `2023-${month}-${day}T12:00:00Z`;
    });
  const lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

  it.each(days(lengths, 0))('%s is the last day of its month', (input) => {
    expect(readDatetime(input).ok).toBe(true);
  });

  it.each([
    ...days(lengths, 1),
    '2024-02-30T00:00:00Z',
    '2100-02-29T00:00:00Z',
    '2024-01-00T00:00:00Z',
    '2024-00-10T00:00:00Z',
    '2024-13-10T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '2024-01-01T24:00:00Z',
    '2024-01-01T00:60:00Z',
    '2024-01-01T00:00:60Z',
    '2024-01-01T00:00:00.Z',
    '2024-01-01T00:00:00',
    '2024-01-01T00:00Z',
    '2024-1-1T00:00:00Z',
    '2024-01-01t00:00:00z',
    '2024-01-01',
    '+2024-01-01T00:00:00Z',
    ' 2024-01-01T00:00:00Z',
    '2024-01-01T00:00:00Z ',
    '',
  ])('%j is none', (input) => {
    expect(readDatetime(input)).toEqual(
      message(
        'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm:ss.uuuuuuZ.',
      ),
    );
  });
});
