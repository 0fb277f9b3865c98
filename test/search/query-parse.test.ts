import { describe, expect, it } from 'vitest';
import { parseQueries } from '../../shared/search/query/parse.ts';
import { errorOf, queryClass } from '../support/query-class.ts';

const compiled = queryClass();

/** Parses a query, given as JSON or, for a string, as it is. */
function parseQuery(query: unknown) {
  const text = typeof query === 'string' ? query : JSON.stringify(query);
  return parseQueries([text], compiled);
}

const queryError = (query: unknown) => errorOf(() => parseQuery(query));

const long = (length: number) => 'x'.repeat(length);
const many = (length: number, value: unknown = 1) => Array.from({ length }, () => value);
const keys = (count: number, value: unknown = {}) =>
  Object.fromEntries(many(count).map((_, at) => [`k${at}`, value]));
const is = (query: unknown) => ({ relation: { _is: query } });

const invalidFormat = 'Query passed in invalid format.';
const forms: readonly [name: string, query: unknown, message: string][] = [
  ['null', null, invalidFormat],
  ['a list', [], invalidFormat],
  ['a text', '"a"', invalidFormat],
  ['a number', 1, invalidFormat],
  ['levels without end', `{"string":${'['.repeat(500)}${']'.repeat(500)}}`, invalidFormat],
  ['17 keys', keys(17), 'Too many keys defined (exceeds 16).'],
  ['a key of 65 characters', { [long(65)]: {} }, 'Too long key defined (exceeds 64).'],
  [
    'a value of 8193 characters',
    { string: { _eq: long(8193 - '{"_eq":""}'.length) } },
    'Too long value defined for key string (exceeds 8192).',
  ],
  ['a nested list', is([]), invalidFormat],
  ['a nested null', is(null), invalidFormat],
  ['17 nested keys', is(keys(17)), 'Too many keys defined (exceeds 16).'],
  ['a long nested key', is({ [long(65)]: {} }), 'Too long key defined (exceeds 64).'],
  ['a nested query in a nested query', is(is({})), 'Double nested queries are not allowed.'],
  ['five nested queries', keys(5, { _is: {} }), 'Too many nested queries defined (exceeds 4).'],
];

const sixteen =
  'id created_at updated_at revision owner group channel channel_room string integer float boolean datetime reference array relation'.split(
    ' ',
  );

describe('a query of an invalid form', () => {
  it.each(forms)('%s', (_, query, message) => {
    expect(queryError(query)).toEqual([400, { query: [message] }]);
  });

  it('is rejected when it is nested in several copies', () => {
    const copies = [1, 2, 3, 4, 5].map((id) => JSON.stringify(is({ id: { _eq: id } })));

    expect(() => parseQueries(copies.slice(1), compiled)).not.toThrow();
    expect(errorOf(() => parseQueries(copies, compiled))).toEqual([
      400,
      { query: ['Too many nested queries defined (exceeds 4).'] },
    ]);
  });

  it.each([
    ['16 keys', Object.fromEntries(sixteen.map((name) => [name, {}]))],
    ['an empty query', {}],
    ['no lookups', { string: {} }],
    ['a value of 8192 characters', { integer: { _in: many(128) }, array: { _contains: [] } }],
  ])('is not %s', (_, query) => {
    expect(() => parseQuery(query)).not.toThrow();
  });
});

const kind = (lookup: string, field: string) =>
  `Invalid value type provided for "${lookup}" lookup of field "${field}".`;
const failed = (lookup: string, field: string, message: string) =>
  `Validation of value provided for "${lookup}" lookup of field "${field}" failed: ${message}`;
const notIndexed = (field: string) =>
  `Field "${field}" cannot be used in a query as it is not indexed.`;

const integer = 'A valid integer is required.';
const datetime =
  'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm:ss.uuuuuuZ.';
const notName = 'Enter a valid value consisting of letters, numbers, underscores, hyphens.';
const tooBig = 'Ensure this value is less than or equal to 2147483647.';
const tooLong = 'Ensure this value has at most 128 characters (it has 129).';
const near = (value: object) => ({ geopoint: { _near: { longitude: 1, latitude: 1, ...value } } });

type ErrorRow = readonly [query: unknown, message: string];
/** Queries with a message. */
const all = (message: string, queries: readonly unknown[]) =>
  queries.map((query): ErrorRow => [query, message]);
/** Values of a lookup; by default they are of the wrong type. */
const values = (
  lookup: string,
  field: string,
  inputs: readonly unknown[],
  message = kind(lookup, field),
) => inputs.map((input): ErrorRow => [{ [field]: { [`_${lookup}`]: input } }, message]);
/** Values of a lookup whose validation fails. */
const wrong = (lookup: string, field: string, inputs: readonly unknown[], message: string) =>
  values(lookup, field, inputs, failed(lookup, field, message));
const unknownLookup = (lookup: string, field: string, input: unknown = {}): ErrorRow => [
  { [field]: { [lookup]: input } },
  `Invalid lookup "${lookup}" defined for field "${field}".`,
];
const tooMany = (lookup: string, field: string) =>
  `Too many values provided for "${lookup}" lookup of field "${field}". Max 128.`;

const errors: readonly ErrorRow[] = [
  ...all('Not a valid JSON string.', ['{', 'a']),
  ...['missing', 'String', 'links', 'constructor', '__proto__'].map(
    (name): ErrorRow => [`{"${name}":{}}`, `Invalid field name defined: "${name}".`],
  ),
  ...['plain', 'text', 'file', 'object', 'sorted'].flatMap((field) =>
    values('eq', field, [1], notIndexed(field)),
  ),
  ...['owner_permissions', 'group_permissions', 'other_permissions'].flatMap((field) =>
    values('eq', field, ['read'], notIndexed(field)),
  ),
  ...all(
    'Invalid field "string" lookup type. Expected JSON object.',
    [null, 1, 'a', []].map((lookups) => ({ string: lookups })),
  ),
  unknownLookup('_foo', 'string', 1),
  unknownLookup('eq', 'string', 1),
  unknownLookup('constructor', 'string', 1),
  unknownLookup('_startswith', 'integer', '1'),
  unknownLookup('_exists', 'array', true),
  unknownLookup('_eq', 'array', []),
  unknownLookup('_in', 'relation', [1]),
  unknownLookup('_eq', 'geopoint'),
  unknownLookup('_near', 'string'),
  unknownLookup('_is', 'id'),
  unknownLookup('_is', 'owner'),
  [{ channel: { _contains: 'a' } }, 'contains is not supported on this field type.'],
  [{ channel_room: { _ieq: 'a' } }, 'ieq is not supported on this field type.'],

  ...['string', 'integer', 'float', 'boolean', 'datetime', 'reference', 'id', 'owner'].flatMap(
    (field) => values('eq', field, [null, [], {}]),
  ),
  ...wrong('gt', 'integer', ['x', 1.5, true], integer),
  ...wrong('gt', 'integer', [2147483648], tooBig),
  ...wrong('eq', 'id', [2147483648], tooBig),
  ...wrong('neq', 'owner', ['2147483648'], tooBig),
  ...wrong('lt', 'reference', ['x'], integer),
  ...wrong('lte', 'float', ['x'], 'A valid number is required.'),
  ...wrong('eq', 'boolean', ['yes', 2], 'Not a valid boolean.'),
  ...values('eq', 'datetime', [5, true]),
  ...wrong('eq', 'created_at', ['', '5', 'now', '2024-02-30', '2024-01-01T25:00'], datetime),
  ...wrong('eq', 'created_at', ['2024-01-01T00:00:00+'], datetime),
  ...wrong('eq', 'datetime', ['0001-01-01T00:00+00:01', '9999-12-31T23:59-00:01'], datetime),
  ...wrong('eq', 'datetime', ['2024-01-01T00:00+14:60', '2024-01-01T00:00-2400'], datetime),
  ...wrong('eq', 'string', [true], 'Not a valid string.'),
  ...wrong('eq', 'string', [long(129)], tooLong),
  ...wrong('like', 'string', [long(129)], tooLong),
  ...values('contains', 'string', [['a'], null]),
  ...wrong('eq', 'channel', [1], notName),
  ...values('in', 'string', ['a', null, ['a', null]]),
  ...wrong('nin', 'integer', [[1, 'x']], integer),
  ...values('in', 'integer', [many(129)], tooMany('in', 'integer')),
  ...values('exists', 'integer', [0, 1, 'true', null, {}]),
  ...values('exists', 'geopoint', [{ longitude: 1, latitude: 1 }]),
  ...values('contains', 'array', ['a', [null], [[]], [long(129)]]),
  ...values('contains', 'array', [many(129)], tooMany('contains', 'array')),
  ...values('contains', 'relation', [['1'], [1.5]]),
  ...values('near', 'geopoint', [null, [], 'a', {}, { longitude: 1 }, { latitude: 1 }]),
  ...all(
    'Invalid longitude/latitude values.',
    [{ longitude: 180 }, { longitude: -180 }, { latitude: 90 }, { latitude: '1' }].map(near),
  ),
  ...all(
    'Invalid distance value.',
    [
      { distance_in_miles: -1 },
      { distance_in_miles: 24902 },
      { distance_in_miles: null },
      { distance_in_kilometers: 40075.1 },
      { distance_in_kilometers: '1' },
      { distance_in_kilometers: 1, distance_in_miles: -1 },
    ].map(near),
  ),
];

describe('a query is rejected', () => {
  it.each(errors)('%j', (query, message) => {
    expect(queryError(query)).toEqual([400, { query: message }]);
  });

  it('while the index of its field is being built', () => {
    const migrating = queryClass({ status: 'migrating', unfilledSlots: [0] });

    expect(errorOf(() => parseQueries(['{"string":{}}'], migrating))).toEqual([
      400,
      { query: notIndexed('string') },
    ]);
    expect(() => parseQueries(['{"integer":{}}'], migrating)).not.toThrow();
  });
});

describe('copies of a query', () => {
  it('apply together, equal ones once, and an empty one is ignored', () => {
    const texts = ['{"id":{"_gt":1}}', '', '{"id":{"_lt":9}}', '{"id":{"_gt":1}}'];

    const { conditions } = parseQueries(texts, compiled);

    expect(conditions).toMatchObject([
      { kind: 'compare', comparison: 'gt', value: 1 },
      { kind: 'compare', comparison: 'lt', value: 9 },
    ]);
  });
});

const read: readonly (readonly [field: string, value: unknown, read: unknown])[] = [
  ['integer', '5', 5],
  ['integer', '5.0', 5],
  ['integer', -0, 0],
  ['float', '1e3', 1000],
  ['float', true, 1],
  ['reference', '7', 7],
  ['id', '7', 7],
  ['string', 5, '5'],
  ['string', 1e21, '1e+21'],
  ['string', 'é'.repeat(128), 'é'.repeat(128)],
  ['channel', 'NEWS', 'news'],
  ...['t', 'True', '1', 1, true].map((word) => ['boolean', word, true] as const),
  ...['f', 'False', '0', 0, false].map((word) => ['boolean', word, false] as const),
  ['datetime', '2024-03-01', '2024-03-01T00:00:00.000000Z'],
  ['datetime', '2024-3-1', '2024-03-01T00:00:00.000000Z'],
  ['datetime', '2024-03-01T10:11', '2024-03-01T10:11:00.000000Z'],
  ['datetime', '2024-03-01 10:11:12', '2024-03-01T10:11:12.000000Z'],
  ['datetime', '2024-03-01T10:11:12.5Z', '2024-03-01T10:11:12.500000Z'],
  ['datetime', '2024-03-01T10:11:12.1234567Z', '2024-03-01T10:11:12.123456Z'],
  ['datetime', '2024-03-01T00:30:00.25+01:00', '2024-02-29T23:30:00.250000Z'],
  ['datetime', '2024-03-01T23:30:00-0130', '2024-03-02T01:00:00.000000Z'],
  ['created_at', '0099-01-01T01:00+02', '0098-12-31T23:00:00.000000Z'],
];

describe('the value of a lookup', () => {
  it.each(read)('of %s: %j is %j', (field, value, read) => {
    const { conditions } = parseQueries([JSON.stringify({ [field]: { _eq: value } })], compiled);

    expect(conditions).toMatchObject([{ kind: 'compare', value: read }]);
  });

  it.each([
    [{}, 160.9344],
    [{ distance_in_miles: 0 }, 0],
    [{ distance_in_kilometers: 40075 }, 40075],
    [{ distance_in_miles: 1, distance_in_kilometers: 1 }, 1.609344],
  ])('is a distance: %j is %d km', (distance, kilometers) => {
    const { conditions } = parseQueries([JSON.stringify(near(distance))], compiled);

    expect(conditions).toMatchObject([{ kind: 'near', circle: { kilometers } }]);
  });
});
