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

const accepted: readonly (readonly [title: string, input: unknown, fields: unknown])[] = [
  ['an empty list', [], []],
  ['empty text', '', []],
  ['JSON text', '[{"name":"a","type":"text"}]', [{ name: 'a', type: 'text' }]],
  ['a type in upper case', [{ name: 'aB', type: 'STRING' }], [{ name: 'aB', type: 'string' }]],
  [
    'names that differ in case',
    [
      { name: 'abc', type: 'text' },
      { name: 'aBc', type: 'file' },
    ],
    [
      { name: 'abc', type: 'text' },
      { name: 'aBc', type: 'file' },
    ],
  ],
  [
    'flags that are false go, but for unique',
    [{ name: 'a', type: 'float', order_index: false, filter_index: false, unique: false }],
    [{ name: 'a', type: 'float', unique: false }],
  ],
  [
    'unique brings its filter',
    [{ name: 'a', type: 'integer', filter_index: false, unique: 'yes' }],
    [{ name: 'a', type: 'integer', filter_index: true, unique: true }],
  ],
  [
    'unique is judged by truth',
    [{ name: 'a', type: 'integer', unique: [] }],
    [{ name: 'a', type: 'integer', unique: false }],
  ],
  [
    'a field stays unique',
    [{ name: 'code', type: 'string', unique: true }],
    [{ name: 'code', type: 'string', filter_index: true, unique: true }],
  ],
  [
    'an old name of another type may be unique',
    [{ name: 'old', type: 'integer', unique: true }],
    [{ name: 'old', type: 'integer', filter_index: true, unique: true }],
  ],
  [
    'targets are kept as typed',
    [
      { name: 'a', type: 'reference', target: 'Author' },
      { name: 'b', type: 'relation', target: 'SELF' },
      { name: 'c', type: 'reference', target: 'user' },
      { name: 'd', type: 'reference', target: 'Later' },
    ],
    [
      { name: 'a', type: 'reference', target: 'Author' },
      { name: 'b', type: 'relation', target: 'SELF' },
      { name: 'c', type: 'reference', target: 'user' },
      { name: 'd', type: 'reference', target: 'Later' },
    ],
  ],
  [
    'names that every object inherits',
    [
      { name: 'constructor', type: 'text' },
      { name: 'toString', type: 'text' },
    ],
    [
      { name: 'constructor', type: 'text' },
      { name: 'toString', type: 'text' },
    ],
  ],
];

/** Schemas with an invalid last definition. */
const wrongFields: readonly (readonly [
  title: string,
  definitions: readonly unknown[],
  message: string,
])[] = [
  ['no name', [{ type: 'text' }], '"unknown" #0: Field name and type is required.'],
  ['no type', [{ name: 'a' }], '"a" #0: Field name and type is required.'],
  [
    'a name that is no text',
    [{ name: 5, type: 'text' }],
    '"5" #0: Invalid type of field name. Expected string.',
  ],
  [
    'a name that is no text, after a valid field',
    [
      { name: 'a', type: 'text' },
      { name: 5, type: 'text' },
    ],
    '"5" #1: Invalid type of field name. Expected string.',
  ],
  [
    'a long name',
    [{ name: 'a'.repeat(65), type: 'text' }],
    `"${'a'.repeat(65)}" #0: Value of field name is too long, maximum length is 64.`,
  ],
  [
    'an empty name',
    [{ name: '', type: 'text' }],
    '"" #0: Value of field name is too short, minimum length is 1.',
  ],
  ...['_a', '1a', 'a-b', 'ä', '__proto__'].map(
    (name) =>
      [
        `the name ${name}`,
        [{ name, type: 'text' }],
        `"${name}" #0: Wrong characters used in field name "${name}". Allowed characters are: letters, numbers and underscores. Name has to start with a letter.`,
      ] as const,
  ),
  [
    'a reserved name in any case',
    [{ name: 'Owner', type: 'text' }],
    '"Owner" #0: Field name "Owner" is reserved.',
  ],
  ...['id', 'Links', 'owner_id', 'pk', 'store', 'CHECK', 'self'].map(
    (name) =>
      [
        `the reserved name ${name}`,
        [{ name, type: 'text' }],
        `"${name}" #0: Field name "${name}" is reserved.`,
      ] as const,
  ),
  [
    'a type that is no text',
    [{ name: 'a', type: 1 }],
    '"a" #0: Invalid type of field type. Expected string.',
  ],
  [
    'a type that every object inherits',
    [{ name: 'a', type: 'toString' }],
    '"a" #0: Invalid field type value. Possible types: string, text, integer, float, boolean, datetime, file, reference, relation, array, object, geopoint.',
  ],
  [
    'an unknown type',
    [{ name: 'a', type: 'money' }],
    '"a" #0: Invalid field type value. Possible types: string, text, integer, float, boolean, datetime, file, reference, relation, array, object, geopoint.',
  ],
  [
    'a key that the type does not have',
    [{ name: 'a', type: 'text', filter_index: false }],
    '"a" #0: Field text definition can only consist of name, type.',
  ],
  [
    'a key that no type has',
    [{ name: 'a', type: 'string', default: 1 }],
    '"a" #0: Field string definition can only consist of name, type, order_index, filter_index, unique.',
  ],
  [
    'a target of a number',
    [{ name: 'a', type: 'integer', target: 'self' }],
    '"a" #0: Field integer definition can only consist of name, type, order_index, filter_index, unique.',
  ],
  [
    'an order of arrays',
    [{ name: 'a', type: 'array', order_index: true }],
    '"a" #0: Field array definition can only consist of name, type, filter_index.',
  ],
  [
    'a unique relation',
    [{ name: 'a', type: 'relation', unique: true, target: 'self' }],
    '"a" #0: Field relation definition can only consist of name, type, filter_index, target.',
  ],
  [
    'a target of a type without one',
    [{ name: 'a', type: 'string', target: 'self' }],
    '"a" #0: Field string definition can only consist of name, type, order_index, filter_index, unique.',
  ],
  [
    'an order of relations',
    [{ name: 'a', type: 'relation', target: 'self', order_index: true }],
    '"a" #0: Field relation definition can only consist of name, type, filter_index, target.',
  ],
  [
    'a name twice',
    [
      { name: 'a', type: 'text' },
      { name: 'a', type: 'file' },
    ],
    '"a" #1: Field "a" defined more than once.',
  ],
  [
    'an order flag that is no boolean',
    [{ name: 'a', type: 'string', order_index: 1 }],
    '"a" #0: Invalid type of field "order index". Expected boolean.',
  ],
  [
    'a filter flag that is no boolean',
    [{ name: 'a', type: 'string', filter_index: null }],
    '"a" #0: Invalid type of field "filter index". Expected boolean.',
  ],
  [
    'a filter flag that is text',
    [{ name: 'a', type: 'string', filter_index: 'true' }],
    '"a" #0: Invalid type of field "filter index". Expected boolean.',
  ],
  [
    'unique on an old field',
    [{ name: 'old', type: 'string', unique: true }],
    '"old" #0: Unique index can only be set on a new field. Delete field first.',
  ],
  [
    'seventeen indexes',
    Array.from({ length: 9 }, (_, i) => ({
      name: `f${i}`,
      type: 'string',
      order_index: true,
      filter_index: true,
    })),
    '"f8" #8: Too many indexes defined (exceeds 16).',
  ],
  [
    'sixteen indexes and a unique field',
    [
      ...Array.from({ length: 8 }, (_, i) => ({
        name: `f${i}`,
        type: 'integer',
        order_index: true,
        filter_index: true,
      })),
      { name: 'z', type: 'string', unique: true },
    ],
    '"z" #8: Too many indexes defined (exceeds 16).',
  ],
  [
    'seventeen unique fields',
    Array.from({ length: 17 }, (_, i) => ({ name: `f${i}`, type: 'string', unique: true })),
    '"f16" #16: Too many indexes defined (exceeds 16).',
  ],
  [
    'two indexed points',
    [
      { name: 'a', type: 'geopoint', filter_index: true },
      { name: 'b', type: 'geopoint', filter_index: true },
    ],
    '"b" #1: Too many indexes defined on field type geopoint (exceeds 1).',
  ],
  [
    'no target',
    [{ name: 'a', type: 'reference' }],
    '"a" #0: Target must specify class name or "self".',
  ],
  [
    'an empty target',
    [{ name: 'a', type: 'reference', target: '' }],
    '"a" #0: Invalid value of target. Expected non-empty string.',
  ],
  [
    'an empty target of a relation',
    [{ name: 'a', type: 'relation', target: '' }],
    '"a" #0: Invalid value of target. Expected non-empty string.',
  ],
  [
    'the target users',
    [{ name: 'a', type: 'reference', target: 'Users' }],
    '"a" #0: Target cannot be set to "users". Use "user" instead.',
  ],
  [
    'a class that is not there',
    [{ name: 'a', type: 'relation', target: 'nowhere' }],
    '"a" #0: Class specified by target is missing.',
  ],
];

const refused: readonly (readonly [title: string, input: unknown, message: string])[] = [
  ['an object', {}, 'Schema passed in invalid format.'],
  ['text of an object', '{}', 'Schema passed in invalid format.'],
  ['text that is no JSON', 'abc', 'Not a valid JSON string.'],
  ['a list of text', ['a'], 'Schema passed in invalid format.'],
  ['a list with null', [null], 'Schema passed in invalid format.'],
  ['a list with a number', [{ name: 'a', type: 'text' }, 1], 'Schema passed in invalid format.'],
  ['33 things', Array.from({ length: 33 }), 'Too many fields defined (exceeds 32).'],
  ...wrongFields.map(
    ([title, input, message]) =>
      [title, input, `Error processing field definition ${message}`] as const,
  ),
];

describe('schemas', () => {
  it.each(accepted)('accepts: %s', (_title, input, fields) => {
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
