import { describe, expect, it, vi } from 'vitest';
import type { QueriedObject } from '../../shared/search/query/fields.ts';
import { matcherOf } from '../../shared/search/query/match.ts';
import { parseQueries } from '../../shared/search/query/parse.ts';
import type { Json } from '../../shared/values/json/json.ts';
import { queryClass } from '../support/query-class.ts';

const compiled = queryClass();

function object(values: object): QueriedObject {
  return {
    id: 5,
    revision: 2,
    owner: 7,
    group: null,
    channel: 'news',
    channel_room: null,
    created_at: '2024-03-01T10:00:00.000000Z',
    updated_at: '2024-03-01T10:00:00.000001Z',
    value: (storage) => (values as Readonly<Record<string, Json>>)[storage],
  };
}

/** Checks whether a query with one lookup matches an object with these values. */
function holds(values: object, field: string, lookups: object): boolean {
  const { conditions } = parseQueries([JSON.stringify({ [field]: lookups })], compiled);
  return matcherOf(conditions)(object(values));
}

type Row = readonly [value: unknown, lookups: object, expected: boolean];

const one = '2024-03-01T10:00:00.000000Z';
const two = '2024-03-01T10:00:00.000001Z';
/** Types of scalar values: a lesser value, a greater one, and a lookup for the lesser. */
const scalars = [
  ['integer', -2, 10, -2],
  ['float', -2.5, 10, '-2.5'],
  ['boolean', false, true, 'f'],
  ['datetime', one, two, '2024-03-01T11:00:00+01:00'],
  ['string', '\uFFFD', '\u{1F600}', '\uFFFD'],
  ['string', '10', '9', 10],
  ['reference', 9, 10, '9'],
] as const;

describe.each(scalars)('a comparison of %s', (field, less, more, given) => {
  const rows: readonly Row[] = [
    [less, { _eq: given }, true],
    [more, { _eq: given }, false],
    [null, { _eq: given }, false],
    [less, { _neq: given }, false],
    [more, { _neq: given }, true],
    [null, { _neq: given }, true],
    [less, { _gt: given }, false],
    [more, { _gt: given }, true],
    [null, { _gt: given }, false],
    [less, { _gte: given }, true],
    [less, { _lt: given }, false],
    [less, { _lt: more }, true],
    [null, { _lt: more }, false],
    [less, { _lte: given }, true],
    [more, { _lte: given }, false],
    [null, { _lte: more }, false],
    [less, { _in: [more, given] }, true],
    [more, { _in: [given] }, false],
    [null, { _in: [given] }, false],
    [less, { _in: [] }, false],
    [less, { _nin: [given] }, false],
    [more, { _nin: [given] }, true],
    [null, { _nin: [given] }, true],
    [less, { _nin: [] }, true],
    [less, { _exists: true }, true],
    [less, { _exists: false }, false],
    [null, { _exists: true }, false],
    [null, { _exists: false }, true],
    [less, { _gte: given, _lt: more }, true],
    [more, { _gte: given, _lt: more }, false],
  ];

  it.each(rows)('%j is %j: %s', (value, lookups, expected) => {
    expect(holds(value === null ? {} : { [field]: value }, field, lookups)).toBe(expected);
  });
});

const texts: readonly [lookup: string, given: string, fitting: string[], others: string[]][] = [
  ['_startswith', 'Ab', ['Ab', 'Abc'], ['ab', 'A', 'xAb']],
  ['_startswith', '%', ['%a'], ['a']],
  ['_startswith', '', ['', 'a'], []],
  ['_istartswith', 'aB', ['Ab', 'ABC'], ['xab']],
  ['_endswith', 'Ab', ['Ab', 'xAb'], ['ab', 'Abc']],
  ['_iendswith', 'aB', ['xAb', 'AB'], ['abc']],
  ['_contains', 'b_', ['ab_c'], ['abc', 'aB_']],
  ['_icontains', 'ÄB', ['xäbx', 'xÄbx'], ['ab']],
  ['_ieq', 'Straße', ['straße', 'STRAßE'], ['strasse', 'straße ']],
  ['_ieq', 'ΟΔΟΣ', ['οδος', 'οδοσ'], ['οδο']],
  ['_istartswith', 'ΟΔΟΣ', ['οδοσα'], []],
  ['_like', 'a%c', ['ac', 'abc', 'a\nc', 'acc'], ['abcd', 'xac', 'aC']],
  ['_like', 'a_c', ['abc', 'a\u{1F600}c', 'a\nc'], ['ac', 'abbc']],
  ['_like', '%', ['', 'a'], []],
  ['_like', '', [''], ['a']],
  ['_like', 'a\\%', ['a%'], ['ab', 'a\\%']],
  ['_like', 'a\\_\\\\', ['a_\\'], ['ab\\']],
  ['_like', 'a\\', ['a\\'], ['a']],
  ['_like', '.*[', ['.*['], ['a[']],
  ['_like', '%a%b%', ['ab', 'xaxbx', 'aab'], ['ba', 'a']],
  ['_ilike', 'A%c', ['abC', 'Ac'], ['b']],
];

describe('text', () => {
  it.each(texts)('%s %j', (lookup, given, fitting, others) => {
    const fits = (string: string) => holds({ string }, 'string', { [lookup]: given });

    expect([fitting.filter(fits), others.filter(fits)]).toEqual([fitting, []]);
    expect(holds({}, 'string', { [lookup]: given })).toBe(false);
  });

  it('with many wildcards is fast', () => {
    const pattern = '%a'.repeat(63); // too many combinations for a test, if each were tried

    const found = holds({ string: `${'a'.repeat(127)}b` }, 'string', { _like: pattern });

    expect(found).toBe(false);
  });
});

const lists: readonly [field: string, value: unknown, lookups: object, expected: boolean][] = [
  ['array', ['a', 1, true], { _contains: ['a', 1] }, true],
  ['array', ['a', 1, true], { _contains: ['1'] }, false],
  ['array', ['a', 1], { _contains: [true] }, false],
  ['array', ['1', 'true'], { _contains: [1] }, false],
  ['array', ['a'], { _contains: ['a', 'b'] }, false],
  ['array', [], { _contains: [] }, true],
  ['array', undefined, { _contains: [] }, false],
  ['relation', [1, 2], { _contains: [2] }, true],
  ['relation', [1, 2], { _contains: [2, 3] }, false],
  ['relation', [1], { _contains: [] }, true],
  ['relation', undefined, { _contains: [] }, false],
  ['relation', [1], { _exists: true }, true],
  ['relation', undefined, { _exists: false }, true],
  ['geopoint', { longitude: 1, latitude: 1 }, { _exists: true }, true],
  ['geopoint', undefined, { _exists: true }, false],
];

describe('a list or a point', () => {
  it.each(lists)('%s %j is %j: %s', (field, value, lookups, expected) => {
    expect(holds(value === undefined ? {} : { [field]: value }, field, lookups)).toBe(expected);
  });

  const berlin = { longitude: 13.405, latitude: 52.52 };
  const paris = { longitude: 2.3522, latitude: 48.8566 };
  it.each([
    [paris, { ...berlin, distance_in_kilometers: 877 }, false],
    [paris, { ...berlin, distance_in_kilometers: 878 }, true],
    [paris, { ...berlin, distance_in_miles: 545 }, false],
    [paris, { ...berlin, distance_in_miles: 546 }, true],
    [paris, berlin, false],
    [berlin, { ...berlin, distance_in_kilometers: 0 }, true],
    // across the date line, and over the pole
    [{ longitude: 179.9, latitude: 0 }, { longitude: -179.9, latitude: 0 }, true],
    [{ longitude: 180, latitude: 89.9 }, { longitude: 0, latitude: 89.9 }, true],
    [{ longitude: -180, latitude: 0 }, { longitude: 179.99, latitude: 0 }, true],
  ])('%j is near %j: %s', (point, near, expected) => {
    expect(holds({ geopoint: point }, 'geopoint', { _near: near })).toBe(expected);
  });
});

describe('a system field', () => {
  it.each([
    ['id', { _eq: 5 }, true],
    ['id', { _in: ['4', 6] }, false],
    ['id', { _exists: true }, true],
    ['created_at', { _eq: '2024-03-01T10:00:00Z' }, true],
    ['updated_at', { _gt: '2024-03-01T10:00:00Z' }, true],
    ['revision', { _lt: 2 }, false],
    ['owner', { _eq: 7 }, true],
    ['group', { _eq: 7 }, false],
    ['group', { _neq: 7 }, true],
    ['group', { _exists: false }, true],
    ['channel', { _eq: 'News' }, true],
    ['channel_room', { _nin: ['a'] }, true],
    ['channel_room', { _eq: 'a' }, false],
  ])('%s %j: %s', (field, lookups, expected) => {
    expect(holds({}, field, lookups)).toBe(expected);
  });
});

it('a pattern is matched only where a text has its letters, in their order', () => {
  const walked = vi.spyOn(Array, 'from');
  const like = { _like: 'a%b_c%d' };
  const texts = ['', 'abc', 'dcba', 'a-b-c-', 'xyz'];

  const held = texts.map((text) => holds({ string: text }, 'string', like));
  const calls = walked.mock.calls.filter(([text]) => texts.includes(String(text)));
  walked.mockRestore();

  expect([held, calls]).toEqual([[false, false, false, false, false], []]);
  expect(holds({ string: 'a-b-c-d' }, 'string', like)).toBe(true);
});
