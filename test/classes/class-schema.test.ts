import { describe, expect, it } from 'vitest';
import { readIgnoredTargets, readSchema } from '../../shared/classes/rules/class-schema.ts';
import type { FieldDefinition } from '../../shared/classes/rules/field-types.ts';

const current: readonly FieldDefinition[] = [
  { name: 'old', type: 'string' },
  { name: 'code', type: 'string', filter_index: true, unique: true },
];
const context = {
  current,
  classExists: (name: string) => name === 'author',
  ignoredTargets: new Set(['later']),
};

const text = (name: unknown) => ({ name, type: 'text' });
const field = (name: string, type: unknown, more: object = {}) => ({ name, type, ...more });
const reference = (name: string, target?: string) =>
  field(name, 'reference', target === undefined ? {} : { target });
const numbered = (count: number, type: string, more: object = {}) =>
  Array.from({ length: count }, (_, at) => field(`f${at}`, type, more));
const both = { order_index: true, filter_index: true };
const unique = { unique: true };

/** Without fields: they are stored as they were sent. */
const accepted: readonly (readonly [title: string, input: unknown, fields?: unknown])[] = [
  ['an empty list', []],
  ['empty text', '', []],
  ['JSON text', '[{"name":"a","type":"text"}]', [text('a')]],
  ['a type in upper case', [field('aB', 'STRING')], [field('aB', 'string')]],
  ['names that differ in case', [text('abc'), field('aBc', 'file')]],
  ['32 fields', numbered(32, 'text')],
  ['16 indexes', numbered(8, 'integer', both)],
  [
    'flags that are false go, but for unique',
    [field('a', 'float', { order_index: false, filter_index: false, unique: false })],
    [field('a', 'float', { unique: false })],
  ],
  [
    'unique brings its filter',
    [field('a', 'integer', { filter_index: false, unique: 'yes' })],
    [field('a', 'integer', { filter_index: true, unique: true })],
  ],
  [
    'unique is judged by truth',
    [field('a', 'integer', { unique: [] })],
    [field('a', 'integer', { unique: false })],
  ],
  [
    'a field stays unique',
    [field('code', 'string', unique)],
    [field('code', 'string', { filter_index: true, unique: true })],
  ],
  [
    'an old name of another type may be unique',
    [field('old', 'integer', unique)],
    [field('old', 'integer', { filter_index: true, unique: true })],
  ],
  [
    'targets are kept as typed',
    [
      reference('a', 'Author'),
      field('b', 'relation', { target: 'SELF' }),
      reference('c', 'user'),
      reference('d', 'Later'),
    ],
  ],
  ['names that every object inherits', [text('constructor'), text('toString')]],
];

const noCharacters = (name: string) =>
  `Wrong characters used in field name "${name}". Allowed characters are: letters, numbers and underscores. Name has to start with a letter.`;
const noType =
  'Invalid field type value. Possible types: string, text, integer, float, boolean, datetime, file, reference, relation, array, object, geopoint.';
const only = (type: string, keys: string) =>
  `Field ${type} definition can only consist of ${keys}.`;
const scalarKeys = 'name, type, order_index, filter_index, unique';
const relationKeys = 'name, type, filter_index, target';
const tooManyIndexes = 'Too many indexes defined (exceeds 16).';
const long = 'a'.repeat(65);
const filtered = { filter_index: true };

/** Schemas with an invalid last definition, by its name. */
const wrongFields: readonly (readonly [
  title: string,
  definitions: readonly unknown[],
  name: string,
  message: string,
])[] = [
  ['no name', [{ type: 'text' }], 'unknown', 'Field name and type is required.'],
  ['no type', [{ name: 'a' }], 'a', 'Field name and type is required.'],
  ['a name that is no text', [text(5)], '5', 'Invalid type of field name. Expected string.'],
  [
    'one after a valid field',
    [text('a'), text(5)],
    '5',
    'Invalid type of field name. Expected string.',
  ],
  ['a long name', [text(long)], long, 'Value of field name is too long, maximum length is 64.'],
  ['an empty name', [text('')], '', 'Value of field name is too short, minimum length is 1.'],
  ...['_a', '1a', 'a-b', 'ä', '__proto__'].map(
    (name) => [`the name ${name}`, [text(name)], name, noCharacters(name)] as const,
  ),
  ...['Owner', 'id', 'Links', 'owner_id', 'pk', 'store', 'CHECK', 'self'].map(
    (name) =>
      [
        `the reserved name ${name}`,
        [text(name)],
        name,
        `Field name "${name}" is reserved.`,
      ] as const,
  ),
  ['a type that is no text', [field('a', 1)], 'a', 'Invalid type of field type. Expected string.'],
  ['a type that every object inherits', [field('a', 'toString')], 'a', noType],
  ['an unknown type', [field('a', 'money')], 'a', noType],
  [
    'a key that the type does not have',
    [field('a', 'text', { filter_index: false })],
    'a',
    only('text', 'name, type'),
  ],
  [
    'a key that no type has',
    [field('a', 'string', { default: 1 })],
    'a',
    only('string', scalarKeys),
  ],
  ...['integer', 'string'].map(
    (type) =>
      [
        `a target of a ${type}`,
        [field('a', type, { target: 'self' })],
        'a',
        only(type, scalarKeys),
      ] as const,
  ),
  [
    'an order of arrays',
    [field('a', 'array', { order_index: true })],
    'a',
    only('array', 'name, type, filter_index'),
  ],
  ...['unique', 'order_index'].map(
    (flag) =>
      [
        `${flag} of a relation`,
        [field('a', 'relation', { target: 'self', [flag]: true })],
        'a',
        only('relation', relationKeys),
      ] as const,
  ),
  ['a name twice', [text('a'), field('a', 'file')], 'a', 'Field "a" defined more than once.'],
  [
    'an order flag that is no boolean',
    [field('a', 'string', { order_index: 1 })],
    'a',
    'Invalid type of field "order index". Expected boolean.',
  ],
  ...[null, 'true'].map(
    (value) =>
      [
        `the filter flag ${value}`,
        [field('a', 'string', { filter_index: value })],
        'a',
        'Invalid type of field "filter index". Expected boolean.',
      ] as const,
  ),
  [
    'unique on an old field',
    [field('old', 'string', unique)],
    'old',
    'Unique index can only be set on a new field. Delete field first.',
  ],
  ['18 indexes', numbered(9, 'string', both), 'f8', tooManyIndexes],
  [
    '16 indexes and a unique field',
    [...numbered(8, 'integer', both), field('z', 'string', unique)],
    'z',
    tooManyIndexes,
  ],
  ['17 unique fields', numbered(17, 'string', unique), 'f16', tooManyIndexes],
  [
    'two indexed points',
    numbered(2, 'geopoint', filtered),
    'f1',
    'Too many indexes defined on field type geopoint (exceeds 1).',
  ],
  ['no target', [reference('a')], 'a', 'Target must specify class name or "self".'],
  ...['reference', 'relation'].map(
    (type) =>
      [
        `an empty target of a ${type}`,
        [field('a', type, { target: '' })],
        'a',
        'Invalid value of target. Expected non-empty string.',
      ] as const,
  ),
  [
    'the target users',
    [reference('a', 'Users')],
    'a',
    'Target cannot be set to "users". Use "user" instead.',
  ],
  ...['reference', 'relation'].map(
    (type) =>
      [
        `a ${type} to a class that does not exist`,
        [field('a', type, { target: 'nowhere' })],
        'a',
        'Class specified by target is missing.',
      ] as const,
  ),
];

const refused: readonly (readonly [title: string, input: unknown, message: string])[] = [
  ['an object', {}, 'Schema passed in invalid format.'],
  ['text of an object', '{}', 'Schema passed in invalid format.'],
  ['text that is no JSON', 'abc', 'Not a valid JSON string.'],
  ['a list of text', ['a'], 'Schema passed in invalid format.'],
  ['a list with null', [null], 'Schema passed in invalid format.'],
  ['a list with a number', [text('a'), 1], 'Schema passed in invalid format.'],
  ['33 things', Array.from({ length: 33 }), 'Too many fields defined (exceeds 32).'],
  ...wrongFields.map(
    ([title, input, name, message]) =>
      [
        title,
        input,
        `Error processing field definition "${name}" #${input.length - 1}: ${message}`,
      ] as const,
  ),
];

describe('schemas', () => {
  it.each(accepted)('accepts: %s', (_title, input, fields = input) => {
    const reading = readSchema(input, context);

    expect(reading).toStrictEqual({ ok: true, value: fields });
  });

  it.each(refused)('rejects: %s', (_title, input, message) => {
    const reading = readSchema(input, context);

    expect(reading).toEqual({ ok: false, messages: [message] });
  });

  it.each([
    ['a list', ['A', 5, 'b'], ['a', 'b']],
    ['text of a list', '["a"]', ['a']],
    ['anything else', { a: 1 }, []],
    ['text that is no JSON', '[', []],
  ])('reads names of targets to ignore from %s', (_title, input, names) => {
    const ignored = readIgnoredTargets(input);

    expect([...ignored]).toEqual(names);
  });
});
