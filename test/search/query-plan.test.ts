import { describe, expect, it } from 'vitest';
import { parseOrder } from '../../shared/search/query/order.ts';
import {
  idBounds,
  type ObjectReader,
  planCount,
  planList,
} from '../../shared/search/query/plan.ts';
import { conditionsOf, queryClass, slots } from '../support/query-class.ts';

const admin: ObjectReader = { kind: 'bypasses-acl' };
const user: ObjectReader = { kind: 'bound', user: 7 };
const apiKey: ObjectReader = { kind: 'bound', user: undefined };

const all = { kind: 'all' };
const visible = { kind: 'rights', user: 7 };
const shared = { kind: 'rights', user: undefined };
const changed = { kind: 'index', index: 'updated', type: 'datetime', limits: [] };
const index = (type: 'string' | 'integer' | 'boolean', part: object = {}) => ({
  kind: 'index',
  index: slots[type],
  type,
  limits: [],
  ...part,
});
const unique = { kind: 'index', index: slots.unique, type: 'string', limits: [], points: ['a'] };

const inOrder = (path: object) => ({ path, isSorted: true });
const unordered = (path: object) => ({ path, isSorted: false });

type State = Parameters<typeof queryClass>[0];

function plans(
  query: object,
  orderBy: string | undefined,
  reader: ObjectReader,
  state: State = {},
) {
  const compiled = queryClass(state);
  return planList({
    conditions: conditionsOf(query, compiled),
    order: parseOrder(orderBy, compiled),
    reader,
    compositeIndexes: compiled.compositeIndexes,
  });
}

const equal = { string: { _eq: 'a' } };
const equals = index('string', { points: ['a'] });
const above = { integer: { _gt: 1 } };
const aboves = index('integer', { limits: [{ kind: 'above', value: 1 }] });
const few = { id: { _eq: 5 } };

describe('a list by id reads', () => {
  it.each<[string, object, ObjectReader, readonly object[]]>([
    ['all objects', {}, admin, [inOrder(all)]],
    ['what a user sees', {}, user, [inOrder(visible)]],
    ['what an API key sees', {}, apiKey, [inOrder(shared)]],
    ['only the named objects', few, admin, [unordered({ kind: 'ids', ids: [5] })]],
    ['only the named objects for a user', few, user, [unordered({ kind: 'ids', ids: [5] })]],
    ['only the object with a unique value', { unique: { _eq: 'a' } }, user, [unordered(unique)]],
    ['objects with a value, which are by id', equal, admin, [inOrder(equals)]],
    ['these, or what a user sees', equal, user, [inOrder(equals), inOrder(visible)]],
    [
      'objects of an owner, or what a user sees',
      { owner: { _eq: 8 } },
      user,
      [inOrder({ kind: 'owned', owners: [8] }), inOrder(visible)],
    ],
    ['all objects, or a range', above, admin, [inOrder(all), unordered(aboves)]],
    ['what a user sees, or a range', above, user, [inOrder(visible), unordered(aboves)]],
    ['all objects if most have a value', { string: { _exists: true } }, admin, [inOrder(all)]],
  ])('%s', (_, query, reader, expected) => {
    expect(plans(query, undefined, reader)).toEqual(expected);
    expect(plans(query, '-created_at', reader)).toEqual(expected);
  });
});

const byInteger = inOrder(index('integer'));

describe('a list by a field reads', () => {
  it.each<[string, object, string, ObjectReader, readonly object[]]>([
    ['its index', {}, 'integer', admin, [byInteger]],
    ['its index backwards', {}, '-integer', admin, [byInteger]],
    ['its index, or what a user sees', {}, 'integer', user, [byInteger, unordered(visible)]],
    ['the index by time of change', {}, 'updated_at', admin, [inOrder(changed)]],
    ['a range of its index', above, 'integer', admin, [inOrder(aboves)]],
    ['a range, or what a user sees', above, 'integer', user, [inOrder(aboves), unordered(visible)]],
    [
      'its objects with a value',
      { integer: { _eq: 1 } },
      'integer',
      admin,
      [inOrder(index('integer', { points: [1] }))],
    ],
    ['its index, or objects with a value', equal, 'integer', admin, [byInteger, unordered(equals)]],
    [
      'its index, objects with a value, or what a user sees',
      equal,
      'integer',
      user,
      [byInteger, unordered(equals), unordered(visible)],
    ],
    [
      'a range of its index, or objects with a value',
      { ...equal, ...above },
      'integer',
      admin,
      [inOrder(aboves), unordered(equals)],
    ],
    [
      'its index, or objects of an owner',
      { owner: { _eq: 8 } },
      'updated_at',
      admin,
      [inOrder(changed), unordered({ kind: 'owned', owners: [8] })],
    ],
    ['only the named objects', few, 'integer', user, [unordered({ kind: 'ids', ids: [5] })]],
    [
      'its index only, if most have a value',
      { string: { _exists: true } },
      'integer',
      admin,
      [byInteger],
    ],
  ])('%s', (_, query, orderBy, reader, expected) => {
    expect(plans(query, orderBy, reader)).toEqual(expected);
  });

  it.each<[string, object, ObjectReader, readonly object[]]>([
    ['all objects', {}, admin, [unordered(all)]],
    ['what a user sees', {}, user, [unordered(visible)]],
    ['objects with a value', equal, admin, [unordered(equals)]],
    ['these, or what a user sees', equal, user, [unordered(equals), unordered(visible)]],
  ])('%s if its index lacks older objects', (_, query, reader, expected) => {
    expect(plans(query, 'integer', reader, { unfilledSlots: [slots.integer] })).toEqual(expected);
  });
});

const pairs = [
  { slot: 9, filter: 'string', order: 'integer' },
  { slot: 10, filter: 'boolean', order: 'updated_at' },
];
const composite = (value: unknown, order: object = index('integer')) =>
  inOrder({ kind: 'composite', slot: 9, type: 'string', value, order });

describe('a list by a field with composite indexes reads', () => {
  it.each<[string, object, string, ObjectReader, readonly object[]]>([
    ['that of a value and the order', equal, 'integer', admin, [composite('a')]],
    ['that, or what a user sees', equal, '-integer', user, [composite('a'), unordered(visible)]],
    ['that of unset values', { string: { _exists: false } }, 'integer', admin, [composite(null)]],
    ['a range of it', { ...equal, ...above }, 'integer', admin, [composite('a', aboves)]],
    [
      'that of the time of change',
      { boolean: { _eq: true } },
      'updated_at',
      admin,
      [inOrder({ kind: 'composite', slot: 10, type: 'boolean', value: true, order: changed })],
    ],
    [
      'that of the second value, or objects with the first',
      { boolean: { _eq: true }, ...equal },
      'integer',
      admin,
      [composite('a'), unordered(index('boolean', { points: [true] }))],
    ],
    [
      'none for another order',
      equal,
      'boolean',
      admin,
      [inOrder(index('boolean')), unordered(equals)],
    ],
    ['none without a value', {}, 'integer', admin, [byInteger]],
    [
      'none for two values',
      { string: { _in: ['a', 'b'] } },
      'integer',
      admin,
      [byInteger, unordered(index('string', { points: ['a', 'b'] }))],
    ],
    [
      'none for a range',
      { string: { _gt: 'a' } },
      'integer',
      admin,
      [byInteger, unordered(index('string', { limits: [{ kind: 'above', value: 'a' }] }))],
    ],
    [
      'none for an owner',
      { owner: { _eq: 8 } },
      'integer',
      admin,
      [byInteger, unordered({ kind: 'owned', owners: [8] })],
    ],
  ])('%s', (_, query, orderBy, reader, expected) => {
    expect(plans(query, orderBy, reader, { pairs })).toEqual(expected);
  });

  it('none that lacks older objects', () => {
    expect(plans(equal, 'integer', admin, { pairs, unfilledSlots: [9] })).toEqual([
      byInteger,
      unordered(equals),
    ]);
  });
});

describe('a count reads', () => {
  it.each<[string, object, ObjectReader, readonly object[]]>([
    ['all objects', {}, admin, [all]],
    ['what a user sees', {}, user, [visible]],
    ['a range', above, admin, [aboves]],
    ['a range, or what a user sees', above, user, [aboves, visible]],
    ['only the named objects', few, user, [{ kind: 'ids', ids: [5] }]],
    ['only the object with a unique value', { unique: { _eq: 'a' } }, apiKey, [unique]],
  ])('%s', (_, query, reader, paths) => {
    const found = planCount({ conditions: conditionsOf(query), reader });

    expect(found).toEqual(paths.map(unordered));
  });
});

const none = Number.POSITIVE_INFINITY;

describe('the ids of a list are', () => {
  it.each<[string, object, object]>([
    ['all', {}, { above: -1, below: none }],
    ['above one', { _gt: 5 }, { above: 5, below: none }],
    ['from one on', { _gte: '5' }, { above: 4, below: none }],
    ['below one', { _lt: 5 }, { above: -1, below: 5 }],
    ['up to one', { _lte: 5 }, { above: -1, below: 6 }],
    ['within the narrowest bounds', { _gt: 2, _gte: 5, _lt: 9, _lte: 7 }, { above: 4, below: 8 }],
    ['all, but one', { _neq: 5 }, { above: -1, below: none }],
    ['all set ones', { _exists: true }, { above: -1, below: none }],
  ])('%s', (_, id, expected) => {
    const others = { revision: { _gt: 3, _lt: 4 }, integer: { _gt: 3 } };

    expect(idBounds(conditionsOf({ id, ...others }))).toEqual(expected);
  });
});
