import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { className } from '../../shared/classes/rules/class-name.ts';
import {
  choice,
  datetime,
  email,
  flag,
  float,
  integer,
  jsonObject,
  metadata,
  text,
  type ValueSchema,
} from '../../shared/values/values.ts';

/** An input, and its value. */
type Accepted = readonly [
  title: string,
  schema: ValueSchema<unknown>,
  input: unknown,
  value: unknown,
];
/** An input, and its messages. */
type Refused = readonly [
  title: string,
  schema: ValueSchema<unknown>,
  input: unknown,
  ...messages: readonly string[],
];

function deepList(depth: number): unknown {
  return JSON.parse('['.repeat(depth) + ']'.repeat(depth));
}

const address = email({ max: 254 });
const kinds = choice(['none', 'read']);
const atMost = (count: number) => `Ensure this field has no more than ${count} characters.`;
const noHalf = 'Not valid text: \\ud800 is half of a character.';
const noText = 'Not a valid string.';
const noEmail = 'Enter a valid email address.';
const noInteger = 'A valid integer is required.';
const noMetadata = 'Metadata passed in invalid format.';
const nineKeys = Object.fromEntries([...'abcdefghi'].map((key) => [key, 1]));
const longKey = { [`k${'e'.repeat(16)}`]: 1 };
const manyParts = `${'a.'.repeat(2_900_000)}a@example.org`;

const accepted: readonly Accepted[] = [
  ['text is trimmed', text(), '  a b ', 'a b'],
  ['text keeps its spaces when told', text({ trim: false }), ' a ', ' a '],
  ['a number becomes text', text(), 5, '5'],
  ['a fraction becomes text', text(), 5.5, '5.5'],
  ['a tiny number becomes text with two digits of exponent', text(), 0.00001, '1e-05'],
  ['a huge number becomes text', text(), 1e21, '1e+21'],
  ['blank text passes when allowed', text({ blank: true }), '   ', ''],
  ['length counts code points', text({ max: 3 }), '😀😀😀', '😀😀😀'],
  ['NUL is legal', text(), 'a\u0000b', 'a\u0000b'],
  ['an address is lower-cased and trimmed', address, ' Ann@Example.ORG ', 'ann@example.org'],
  ['localhost is a host', address, 'a.b+c@localhost', 'a.b+c@localhost'],
  ['a whole number', integer(), 7, 7],
  ['numeric text', integer(), ' 5 ', 5],
  ['numeric text with zero fraction', integer(), '5.00', 5],
  ['signs', integer(), '+5', 5],
  ['minus zero is zero', integer(), -0, 0],
  ['the bounds are inclusive', integer({ min: 1, max: 3 }), '3', 3],
  ['a float', float(), 0.1, 0.1],
  ['float text', float(), '-1.5e3', -1500],
  ['float text that begins with a point', float(), '.5', 0.5],
  ['a boolean is a float', float(), true, 1],
  ['minus zero is the float zero', float(), '-0.0', 0],
  ['true', flag(), true, true],
  ['the number one', flag(), 1, true],
  ['the word On', flag(), 'On', true],
  ['the word NO', flag(), 'NO', false],
  ['a word', kinds, 'read', 'read'],
  ['its number', kinds, 0, 'none'],
  ['its number as text', kinds, '1', 'read'],
  [
    'a time with short fraction',
    datetime(),
    '2024-02-29T23:59:59.1Z',
    '2024-02-29T23:59:59.100000Z',
  ],
  ['a time without fraction', datetime(), '0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000000Z'],
  ['metadata', metadata(), { a: [1, { b: null }] }, { a: [1, { b: null }] }],
  ['metadata as text', metadata(), '{"a":1}', { a: 1 }],
  ['empty text is empty metadata', metadata(), '', {}],
  ['what only looks like a surrogate', metadata(), { a: '\\ud800' }, { a: '\\ud800' }],
  ['a class name', className(), ' Book_2 ', 'book_2'],
];

const refused: readonly Refused[] = [
  ['a boolean is no text', text(), true, noText],
  ['half of a character', text(), 'a\ud800b\udc00', noHalf],
  ['half of a character inside metadata', metadata(), { a: [{ '\ud800': 1 }] }, noHalf],
  ['a list is no text', text(), ['a'], noText],
  ['infinity is no text', text(), JSON.parse('1e999'), noText],
  ['blank text', text(), '  ', 'This field may not be blank.'],
  ['text too long', text({ max: 3 }), '😀😀😀😀', atMost(3)],
  ['text too short', text({ min: 5 }), '😀😀😀😀', 'Ensure this field has at least 5 characters.'],
  ['no address', address, 'ann', noEmail],
  ['no host', address, 'ann@', noEmail],
  ['dots in a row', address, 'a..b@example.org', noEmail],
  ['no domain', address, 'a@example', noEmail],
  ['an address too long and wrong', email({ max: 4 }), 'ann@-b.org', atMost(4), noEmail],
  ['an address of millions of parts', address, manyParts, atMost(254)],
  ['a fraction is no integer', integer(), 5.5, noInteger],
  ['a boolean is no integer', integer(), true, noInteger],
  ['empty text is no integer', integer(), '', noInteger],
  ['an exponent is no integer', integer(), '1e3', noInteger],
  ['infinity is no integer', integer(), JSON.parse('1e999'), noInteger],
  ['long text', integer(), '1'.repeat(1001), 'String value too large.'],
  [
    'a number of a thousand digits',
    integer({ max: 9 }),
    '1'.repeat(1000),
    'Ensure this value is less than or equal to 9.',
  ],
  ['too small', integer({ min: 0 }), -1, 'Ensure this value is greater than or equal to 0.'],
  ['nan', float(), 'nan', 'A valid number is required.'],
  ['infinite', float(), 'Infinity', 'A valid number is required.'],
  ['infinite by size', float(), '1e999', 'A valid number is required.'],
  ['hexadecimal', float(), '0x10', 'A valid number is required.'],
  ['Yes is none of the words', flag(), 'Yes', '"Yes" is not a valid boolean.'],
  ['two', flag(), 2, '"2" is not a valid boolean.'],
  ['a list is no boolean', flag(), [true], '"list" is not a valid boolean.'],
  ['deep lists in a message', flag(), deepList(10_000), '"list" is not a valid boolean.'],
  ['another word', kinds, 'furry', '"furry" is not a valid choice.'],
  ['a number too high', kinds, 2, '"2" is not a valid choice.'],
  ['a boolean is no choice', kinds, true, '"True" is not a valid choice.'],
  [
    'an inherited name is no choice',
    choice(['none']),
    'toString',
    '"toString" is not a valid choice.',
  ],
  ...[
    '2023-02-29T00:00:00.0Z',
    '1900-02-29T00:00:00.0Z',
    '2024-04-31T00:00:00.0Z',
    '2024-13-01T00:00:00.0Z',
    '2024-00-01T00:00:00.0Z',
    '2024-01-01T24:00:00.0Z',
    '2024-01-01T00:00:60.0Z',
    '0000-01-01T00:00:00.0Z',
    '2024-01-01T00:00:00.1234567Z',
    '2024-01-01T00:00:00.0+00:00',
    '2024-01-01 00:00:00.0Z',
    '2024-01-01T00:00:00.0Z\n',
    5,
  ].map(
    (input) =>
      [
        `${input} is no time`,
        datetime(),
        input,
        'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm:ss.uuuuuuZ.',
      ] as const,
  ),
  ['a list is no metadata', metadata(), [], noMetadata],
  ['text of text is no metadata', metadata(), '"a"', noMetadata],
  ['text that is no JSON', metadata(), '{', 'Not a valid JSON string.'],
  ['too deep', metadata(), { a: deepList(10_000) }, noMetadata],
  ['too many keys', metadata(), nineKeys, 'Too many keys defined (exceeds 8).'],
  ['too long a key', metadata(), longKey, 'Too long key defined (exceeds 16).'],
  [
    'too long a value, its quotes counted',
    metadata(),
    { k: 'x'.repeat(4095) },
    'Too long value defined for key k (exceeds 4096).',
  ],
  [
    'too big in all',
    jsonObject({ name: 'Config', maxBytes: 8 }),
    { abc: 123 },
    'Too big object defined (exceeds 8).',
  ],
  [
    'a class name wrong in every way but length',
    className(),
    '_a-',
    'Value has to start with a letter.',
    'Value has to end with a letter or a number.',
    'Enter a valid value consisting of letters, numbers, underscores.',
  ],
  [
    'a reserved class name, in any case',
    className(),
    'Users',
    'Unable to use that value. Please choose a different one.',
  ],
  [
    'a class name too long',
    className(),
    'a'.repeat(51),
    'Ensure this value has at most 50 characters (it has 51).',
  ],
  ['no class name', className(), ' ', 'This field may not be blank.'],
];

describe('values of fields', () => {
  it.each(accepted)('%s', (_title, schema, input, value) => {
    const result = v.safeParse(schema, input);

    expect(result).toMatchObject({ success: true, output: value });
    expect(result.output).toEqual(value);
  });

  it.each(refused.map(([title, schema, input, ...texts]) => ({ title, schema, input, texts })))(
    'rejects: $title',
    ({ schema, input, texts }) => {
      const result = v.safeParse(schema, input);

      expect(result.issues?.map((issue) => issue.message)).toEqual(texts);
    },
  );

  it('keeps a key named __proto__ as data', () => {
    const result = v.parse(metadata(), '{"__proto__":{"admin":true}}');

    expect(JSON.stringify(result)).toBe('{"__proto__":{"admin":true}}');
    expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false);
  });
});
