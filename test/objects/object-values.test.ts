import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  changedFields,
  compileClass,
  isTooLarge,
  type StoredValues,
  showValues,
} from '../../shared/classes/rules/compiled-class.ts';
import type { FieldDefinition } from '../../shared/classes/rules/field-types.ts';
import { parseValues, settleTargets } from '../../shared/objects/rules/object-values.ts';
import { isSameJson } from '../../shared/values/json/json-values.ts';

const schema: readonly FieldDefinition[] = [
  { name: 'string', type: 'string' },
  { name: 'text', type: 'text' },
  { name: 'integer', type: 'integer' },
  { name: 'float', type: 'float' },
  { name: 'boolean', type: 'boolean' },
  { name: 'datetime', type: 'datetime' },
  { name: 'file', type: 'file' },
  { name: 'reference', type: 'reference', target: 'Author' },
  { name: 'relation', type: 'relation', target: 'self' },
  { name: 'array', type: 'array' },
  { name: 'object', type: 'object' },
  { name: 'geopoint', type: 'geopoint' },
];
const book = compileClass(
  {
    schema,
    storage: schema.map(({ name }) => ({ storage: `3_${name}` })),
    revision: 4,
    epoch: 1,
  },
  () => 'https://files.example',
);
const storageName = (field: string) => `3_${field}`;
const ownFile = `public/1/2/${'0a'.repeat(20)}.png`;
const ownUrl = `https://files.example/1/2/${'0a'.repeat(20)}.png`;

/** Reads one field of a JSON body; `current` undefined: on a create. Returns the stored value or the messages. */
function readOne(field: string, input: unknown, current?: unknown, isForm = false): unknown {
  const before = current === undefined ? undefined : asStored({ [field]: current });
  const parsed = parseValues(book, { [field]: input }, { current: before, isForm });
  return parsed.errors[field] ?? parsed.values[storageName(field)] ?? null;
}

function asStored(values: Record<string, unknown>): StoredValues {
  const entries = Object.entries(values).filter(([, value]) => value !== null);
  return JSON.parse(
    JSON.stringify(Object.fromEntries(entries.map(([k, x]) => [storageName(k), x]))),
  );
}

function nested(depth: number): unknown {
  return JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);
}

const notInteger = ['A valid integer is required.'];
const tooLarge = ['Ensure this value is less than or equal to 2147483647.'];
const notNumber = ['A valid number is required.'];
const notBoolean = ['Not a valid boolean.'];
const notDatetime = [
  'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm:ss.uuuuuuZ.',
];
const notFile = ['The submitted data was not a file. Check the encoding type on the form.'];
const notArray = ['Not a valid array.'];
const badMember = ['Array can only contain strings, booleans, integers and floats.'];
const notRelation = ['Not a valid relation.'];
const badIds = ['Relation can only contain integers (object ids).'];
const notObject = ['Not a valid object.'];
const notPoint = ['Not a valid geopoint.'];
const noTarget = ['Target with specified id does not exist.'];
const time = '2024-03-01T10:00:00.100000Z';
const thousand = Array.from({ length: 1000 }, (_, i) => i + 1);

type Row = [field: string, input: unknown, result: unknown];
const rejected = (field: string, messages: readonly string[], inputs: readonly unknown[]) =>
  inputs.map((input): Row => [field, input, messages]);

describe('reading a value on create', () => {
  it.each<Row>([
    ['string', ' a ', ' a '],
    ['string', '', ''],
    ['string', 5, '5'],
    ['string', ' a\tä😀 ', ' a\tä😀 '],
    ['string', '😀'.repeat(128), '😀'.repeat(128)],
    ['string', {}, ['Not a valid string.']],
    ['string', [], ['Not a valid string.']],
    ['text', 'x'.repeat(32_000), 'x'.repeat(32_000)],
    ['string', 'x'.repeat(129), ['Ensure this field has no more than 128 characters.']],
    ['string', true, ['Not a valid string.']],
    ['text', {}, ['Not a valid string.']],
    ['text', 'x'.repeat(32001), ['Ensure this field has no more than 32000 characters.']],
    ['text', '{"_increment":1}', '{"_increment":1}'],
    ['integer', '5', 5],
    ['integer', -5, -5],
    ['integer', 5.0, 5],
    ['integer', '5.0', 5],
    ['integer', 2147483647, 2147483647],
    ['integer', '1'.repeat(1001), ['String value too large.']],
    ['integer', -2147483648, -2147483648],
    ['integer', 2147483648, tooLarge],
    ['integer', '-2147483649', ['Ensure this value is greater than or equal to -2147483648.']],
    ['float', '3.5', 3.5],
    ['float', 3.25, 3.25],
    ['float', '3.5e2', 350],
    ['float', true, 1],
    ['float', -0, 0],
    ['float', false, 0],
    ['boolean', 'yes', true],
    ['boolean', 'On', true],
    ['boolean', false, false],
    ['boolean', 0, false],
    ['boolean', 'Null', null],
    ['boolean', '', null],
    ['datetime', '2024-03-01T10:00:00.1Z', time],
    ['datetime', { type: 'datetime', value: time }, time],
    ['datetime', { type: 'datetime', value: null }, null],
    ['datetime', JSON.stringify({ type: 'datetime', value: time }), time],
    ['datetime', '2024-03-01T10:00:00Z', '2024-03-01T10:00:00.000000Z'],
    ['file', 'https://example.org/a.png', ['File URL is invalid.']],
    ['file', { type: 'file', value: 'a' }, ['File URL is invalid.']],
    ['reference', '7', 7],
    ['reference', { type: 'reference', target: 'Author', value: 7 }, 7],
    ['reference', { type: 'reference', value: null }, null],
    ['relation', [3, 1, 3, -1, 1e15], [1, 3]],
    ['relation', '[2,1]', [1, 2]],
    ['relation', { type: 'relation', target: 'self', value: [2] }, [2]],
    ['relation', '{"type":"relation","value":null}', null],
    ['relation', [], null],
    ['relation', thousand, thousand],
    ['relation', [...thousand, 1001], ['Relation length limit exceeded (1000).']],
    ['array', ['a', 1, 1.5, true], ['a', 1, 1.5, true]],
    ['array', '["a"]', ['a']],
    ['array', [], []],
    ['array', ['\ud800'], ['Not valid text: \\ud800 is half of a character.']],
    ['object', { a: { b: [null] } }, { a: { b: [null] } }],
    ['object', '{"a":1}', { a: 1 }],
    ['object', {}, {}],
    ['object', { constructor: 1 }, { constructor: 1 }],
    ['object', { '\ud800': 1 }, ['Not valid text: \\ud800 is half of a character.']],
    ['object', { a: [{ b: '\ud800' }] }, ['Not valid text: \\ud800 is half of a character.']],
    ['string', 'a\ud800', ['Not valid text: \\ud800 is half of a character.']],
    ['object', nested(100), nested(100)],
    ['geopoint', { longitude: -180, latitude: '90', type: 'x' }, { longitude: -180, latitude: 90 }],
    ['geopoint', '{"longitude":1,"latitude":2}', { longitude: 1, latitude: 2 }],
    [
      'geopoint',
      { type: 'geopoint', longitude: '1.5', latitude: 0 },
      { longitude: 1.5, latitude: 0 },
    ],
    ['geopoint', { longitude: -180, latitude: 90 }, { longitude: -180, latitude: 90 }],
    ...rejected('integer', notInteger, ['x', '5.5', 5.5, [1], true, '', { _increment: 1 }, {}]),
    ...rejected('float', notNumber, ['', 'x', 'Infinity', {}, [], 'NaN', { _increment: 1 }]),
    ...rejected('boolean', notBoolean, [2, {}, 'Yes', []]),
    ...rejected('datetime', notDatetime, [
      { type: 'reference', value: time },
      '2024-03-01',
      { type: 'file', value: time },
      '2001-02-29T00:00:00.0Z',
      '2001-05-06T07:08:09.0+02:00',
      5,
      {},
      '',
    ]),
    ...rejected('file', notFile, [{ a: 1 }, 5]),
    ...rejected('reference', notInteger, ['x', '', 1.5, true, {}, [7]]),
    ...rejected('reference', noTarget, [0, -1, 1e15, 1e20]),
    ...rejected('relation', notRelation, [5, true, '5', { _add: 1 }]),
    ...rejected('relation', notArray, ['', 'abc', { a: 1 }]),
    ...rejected('relation', badIds, [['1'], [1.5], [null], [true]]),
    ...rejected('array', badMember, [[null], [[]], [{}], [[1]], [JSON.parse('1e999')]]),
    ...rejected('array', notArray, ['', {}, { _add: 1 }, 'abc', 5]),
    ...rejected('object', notObject, [
      '',
      'x',
      5,
      [],
      '[1]',
      '{',
      nested(101),
      { a: JSON.parse('1e999') },
    ]),
    ...rejected('geopoint', notPoint, [
      { longitude: 180.1, latitude: 0 },
      { longitude: 0, latitude: -90.1 },
      { longitude: 0 },
      { longitude: true, latitude: 0 },
      [1, 2],
      '',
      5,
      [],
      {},
      { longitude: 181, latitude: 0 },
    ]),
  ])('%s %j', (field, input, result) => {
    expect(readOne(field, input)).toEqual(result);
  });

  it.each(schema.map(({ name }) => name))('null unsets %s', (field) => {
    expect(readOne(field, null, 1)).toBe(null);
  });

  it.each<[field: string, result: unknown]>([
    ...(['string', 'text'] as const).map((field) => [field, ''] as [string, unknown]),
    ...schema.slice(2).map(({ name }) => [name, null] as [string, unknown]),
  ])('empty text in a form for %s', (field, result) => {
    expect(readOne(field, '', undefined, true)).toBe(result);
  });
});

describe('values nested ten thousand deep', () => {
  it.each(schema.map(({ name }) => name))('are rejected without a server error by %s', (field) => {
    const text = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
    const list = JSON.parse('['.repeat(10_000) + ']'.repeat(10_000));
    const inputs = [JSON.parse(text), text, list, { type: field, value: list }, { _add: list }];

    const errors = inputs.map(
      (input) => parseValues(book, { [field]: input }, { current: {}, isForm: false }).errors,
    );

    expect(errors.map(Object.keys)).toEqual(inputs.map(() => [field]));
  });
});

describe('operators', () => {
  it.each<[field: string, current: unknown, input: unknown, result: unknown]>([
    ['integer', 5, { _increment: 2 }, 7],
    ['integer', 5, '{"_increment": -7}', -2],
    ['integer', null, { _increment: '2' }, 2],
    ['integer', -2147483648, { _increment: 4294967295 }, 2147483647],
    ['integer', 5, { _increment: 1e20 }, tooLarge],
    ['integer', 2147483647, { _increment: 1 }, tooLarge],
    ['integer', 5, { _increment: 1.5 }, notInteger],
    ['integer', 5, { _increment: 1, a: 1 }, notInteger],
    ['integer', 5, { _add: 1 }, notInteger],
    ['integer', 5, {}, notInteger],
    ['integer', 5, JSON.parse('{"__proto__":{"_increment":1}}'), notInteger],
    ['float', 0.5, { _increment: 0.25 }, 0.75],
    ['float', null, '{"_increment":1e300}', 1e300],
    ['float', 1.7e308, { _increment: 1.7e308 }, notNumber],
    ['float', 1, { _increment: null }, notNumber],
    ['float', 1, { _add: 1 }, notNumber],
    ['float', 1, {}, notNumber],
    ['array', [1], { _add: 1 }, [1, 1]],
    ['array', null, { _add: ['a', 'a'] }, ['a', 'a']],
    ['array', [1, '1'], { _addunique: [1, true, 2] }, [1, '1', true, 2]],
    ['array', [1, '1', 1, true], { _remove: 1 }, ['1', true]],
    ['array', [1, 2], { _remove: [1, 2] }, []],
    ['array', [1], { _remove: 1, _addunique: [2, 1], _add: [1, 3] }, [3, 2]],
    ['array', [1], '{"_add":[2]}', [1, 2]],
    ['array', [1], { _add: null }, badMember],
    ['array', [1], { _add: [[1]] }, badMember],
    ['array', [1], { _add: [null] }, badMember],
    ['array', [1], { _add: 1, _increment: 1 }, notArray],
    ['array', [1], { _increment: 1 }, notArray],
    ['array', [1], {}, notArray],
    ['relation', [5, 9], { _add: [7, 5] }, [5, 7, 9]],
    ['relation', [5, 9], { _remove: 5 }, [9]],
    ['relation', [5], { _remove: [5] }, null],
    ['relation', null, '{"_add":4}', [4]],
    ['relation', thousand, { _add: 1001 }, ['Relation length limit exceeded (1000).']],
    ['relation', thousand, { _add: 1001, _remove: 1 }, [...thousand.slice(1), 1001]],
    ['relation', [1], { _add: [2, 3], _remove: [1, 2] }, [3]],
    ['relation', [5], { _addunique: 5 }, notArray],
    ['relation', [5], { _add: '5' }, badIds],
    ['relation', [5], { _remove: ['5'] }, badIds],
    ['relation', [5], {}, notArray],
    ['file', ownFile, ownUrl, ownFile],
    ['file', ownFile, { type: 'file', value: ownUrl }, ownFile],
    ['file', ownFile, { type: 'file', value: 'other' }, ['File URL is invalid.']],
    ['file', ownFile, { type: 'file', value: null }, null],
  ])('%s %j with %j', (field, current, input, result) => {
    expect(readOne(field, input, current)).toEqual(result);
  });

  it('never change the stored value', () => {
    const current = Object.freeze({
      '3_array': Object.freeze([1]),
      '3_relation': Object.freeze([1]),
    });
    const body = { array: { _add: 2 }, relation: { _add: 2 } };

    const parsed = parseValues(book, body, { current, isForm: false });

    expect(parsed.values).toEqual({ '3_array': [1, 2], '3_relation': [1, 2] });
  });
});

describe('reading a body', () => {
  it('keeps fields that were not sent, drops dead values, ignores unknown keys', () => {
    const current = { '3_integer': 1, '3_text': 'a', '1_gone': 1, '4_gone': 1, '5_newer': 1 };

    const parsed = parseValues(book, { text: 'b', other: 1 }, { current, isForm: false });

    expect(parsed).toEqual({
      values: { '3_integer': 1, '3_text': 'b', '5_newer': 1 },
      errors: {},
      targets: [],
      files: [],
    });
  });

  it('returns the messages of all fields together', () => {
    const body = { integer: 'a', text: 'fine', array: 5 };

    const parsed = parseValues(book, body, { current: undefined, isForm: false });

    expect(parsed.errors).toEqual({ integer: notInteger, array: notArray });
  });

  it('ignores inherited members of a body', () => {
    const names = ['constructor', 'toString', 'hasOwnProperty'];
    const compiled = compileClass(
      {
        schema: names.map((name) => ({ name, type: 'string' })),
        storage: names.map((name) => ({ storage: `1_${name}` })),
        revision: 1,
        epoch: 1,
      },
      () => 'https://files.example',
    );

    const empty = parseValues(compiled, {}, { current: undefined, isForm: false });
    const filled = parseValues(compiled, { toString: 'x' }, { current: {}, isForm: false });

    expect(empty).toEqual({ values: {}, errors: {}, targets: [], files: [] });
    expect(Object.entries(showValues(compiled, filled.values))).toEqual([
      ['constructor', null],
      ['toString', 'x'],
      ['hasOwnProperty', null],
    ]);
  });

  it('keeps a key named __proto__ inside an object as data', () => {
    const body = JSON.parse('{"object":{"__proto__":{"admin":true},"😀":1}}');

    const parsed = parseValues(book, body, { current: undefined, isForm: false });

    expect(JSON.stringify(parsed.values)).toBe('{"3_object":{"__proto__":{"admin":true},"😀":1}}');
    expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false);
  });
});

describe('references of values', () => {
  const body = { reference: 7, relation: [3, 1, 2] };

  it.each<[string, (ReadonlySet<number> | undefined)[], unknown, unknown]>([
    [
      'all are there',
      [new Set([7]), new Set([1, 2, 3])],
      { '3_reference': 7, '3_relation': [1, 2, 3] },
      {},
    ],
    [
      'a relation loses ids that are not there',
      [new Set([7]), new Set([3, 2])],
      { '3_reference': 7, '3_relation': [2, 3] },
      {},
    ],
    ['an empty relation is not set', [new Set([7]), new Set()], { '3_reference': 7 }, {}],
    [
      'a reference must be there',
      [new Set(), new Set([1])],
      { '3_reference': 7, '3_relation': [1] },
      { reference: noTarget },
    ],
    [
      'classes must be there',
      [undefined, undefined],
      { '3_reference': 7, '3_relation': [1, 2, 3] },
      {
        reference: ['Target class does not exist.'],
        relation: ['Target class does not exist.'],
      },
    ],
  ])('%s', (_title, found, values, errors) => {
    const parsed = parseValues(book, body, { current: undefined, isForm: false });

    const settled = settleTargets(parsed, found);

    expect(parsed.targets.map(({ target, ids }) => [target, ids])).toEqual([
      ['Author', [7]],
      ['self', [1, 2, 3]],
    ]);
    expect(settled).toEqual({ values, errors });
  });

  it('are not requested when nothing was sent', () => {
    const current = { '3_reference': 7, '3_relation': [1] };

    const parsed = parseValues(book, { reference: null }, { current, isForm: false });

    expect(parsed).toEqual({ values: { '3_relation': [1] }, errors: {}, targets: [], files: [] });
  });
});

describe('serialization of an object', () => {
  it('returns each type in its form', () => {
    const bare = {
      string: 's',
      text: 't',
      integer: 1,
      float: 1.5,
      boolean: false,
      array: [],
      object: {},
    };
    const geopoint = { longitude: 1, latitude: 2 };
    const wrapped = { datetime: time, file: ownFile, reference: 7, relation: [1, 2], geopoint };

    const shown = showValues(book, asStored({ ...bare, ...wrapped }), { id: 1 });

    expect(Object.keys(shown)).toEqual(['id', ...schema.map(({ name }) => name)]);
    expect(shown).toEqual({
      id: 1,
      ...bare,
      datetime: { type: 'datetime', value: time },
      file: { type: 'file', value: ownUrl },
      reference: { type: 'reference', target: 'Author', value: 7 },
      relation: { type: 'relation', target: 'self', value: [1, 2] },
      geopoint: { type: 'geopoint', ...geopoint },
    });
  });

  it('returns unset fields as null', () => {
    const shown = showValues(book, {});

    expect(shown).toEqual(Object.fromEntries(schema.map(({ name }) => [name, null])));
  });

  it('returns the same values after they are read back', () => {
    const wrapped = { datetime: time, file: ownFile, reference: 7, relation: [1] };
    const values = asStored({ ...wrapped, array: ['a'] });

    const parsed = parseValues(book, showValues(book, values), { current: values, isForm: false });

    expect(parsed.values).toEqual(values);
    expect(changedFields(book, values, parsed.values)).toEqual([]);
  });
});

describe('arbitrary JSON', () => {
  const operations = fc.dictionary(
    fc.constantFrom('_increment', '_add', '_addunique', '_remove', 'type', 'value', '__proto__'),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const input = fc.oneof(
    fc.jsonValue(),
    fc.jsonValue().map((value) => JSON.stringify(value)),
    fc.array(fc.integer()),
    operations,
    fc.string({ unit: 'binary' }),
  );
  const body = fc.record(Object.fromEntries(schema.map(({ name }) => [name, input])), {
    requiredKeys: [],
  });

  it('is read without a server error, and accepted values can be stored, returned and read again', () => {
    fc.assert(
      fc.property(body, body, fc.boolean(), (first, second, isForm) => {
        const { values } = parseValues(book, first, { current: undefined, isForm });
        const update = parseValues(book, second, { current: values, isForm });
        const shown = showValues(book, update.values);
        const again = parseValues(book, shown, { current: update.values, isForm: false });

        expect(isSameJson(JSON.parse(JSON.stringify(update.values)), update.values)).toBe(true);
        expect(again.errors).toEqual({});
        expect(changedFields(book, update.values, again.values)).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('size and change', () => {
  // 103, and 6 and the storage name for each value
  const room = 32768 - 103 - 6 - '3_text'.length;

  it.each<[string, StoredValues, boolean]>([
    ['nothing', {}, false],
    ['text that just fits', { '3_text': 'x'.repeat(room) }, false],
    ['one more', { '3_text': 'x'.repeat(room + 1) }, true],
    ['bytes count, not characters', { '3_text': 'ä'.repeat(room / 2 + 1) }, true],
    ['one long text', { '3_text': 'x'.repeat(31000) }, false],
    ['objects count as JSON', { '3_object': { a: 'x'.repeat(room) } }, true],
  ])('%s', (_title, values, isOver) => {
    expect(isTooLarge(book, values)).toBe(isOver);
  });

  it.each<[string, StoredValues, StoredValues, string[]]>([
    ['nothing', { '3_integer': 1 }, { '3_integer': 1 }, []],
    ['the order of keys', { '3_object': { a: 1, b: 2 } }, { '3_object': { b: 2, a: 1 } }, []],
    ['the order of members', { '3_array': [1, 2] }, { '3_array': [2, 1] }, ['array']],
    ['a member more', { '3_array': [1] }, { '3_array': [1, 2] }, ['array']],
    ['kinds', { '3_array': [1] }, { '3_array': [true] }, ['array']],
    ['a list and an object', { '3_object': { a: [] } }, { '3_object': { a: {} } }, ['object']],
    [
      'an inherited name',
      { '3_object': { constructor: 1 } },
      { '3_object': { toString: 1 } },
      ['object'],
    ],
    ['set and unset', { '3_integer': 1 }, { '3_float': 1 }, ['integer', 'float']],
    ['a dead value', { '1_gone': 1 }, {}, []],
  ])('changes: %s', (_title, before, after, names) => {
    expect(changedFields(book, before, after).map(({ name }) => name)).toEqual(names);
  });
});
