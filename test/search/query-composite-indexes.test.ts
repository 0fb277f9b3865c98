import { describe, expect, it } from 'vitest';
import { missingCompositeIndex } from '../../shared/search/query/composite-indexes.ts';
import { parseOrder } from '../../shared/search/query/order.ts';
import { conditionsOf, queryClass, slots } from '../support/query-class.ts';

const pairs = [
  { slot: 9, filter: 'string', order: 'sorted' },
  { slot: 10, filter: 'string', order: 'updated_at' },
];
const equal = { string: { _eq: 'a' } };
const wanted = { filter: 'string', order: 'integer' };

describe('a composite index is missing', () => {
  it.each<[string, object, string, object | undefined]>([
    ['for a value', equal, 'integer', wanted],
    ['for a value, descending', equal, '-integer', wanted],
    ['for a list of one value', { string: { _in: ['a'] } }, 'integer', wanted],
    ['for unset values', { string: { _exists: false } }, 'integer', wanted],
    ['for a value and a range of the order', { integer: { _gt: 1 }, ...equal }, 'integer', wanted],
    [
      'for the time of change',
      { integer: { _eq: 1 } },
      'updated_at',
      { filter: 'integer', order: 'updated_at' },
    ],
    ['not where it exists', equal, 'sorted', undefined],
    ['not where it exists by the time of change', equal, 'updated_at', undefined],
    ['not for a list by id', equal, '-created_at', undefined],
    ['not without conditions', {}, 'integer', undefined],
    ['not for a value of the order', { integer: { _eq: 1 } }, 'integer', undefined],
    ['not for two fields', { ...equal, float: { _eq: 1 } }, 'integer', undefined],
    ['not for two values', { string: { _in: ['a', 'b'] } }, 'integer', undefined],
    ['not for a range', { string: { _gt: 'a' } }, 'integer', undefined],
    ['not for another value', { string: { _neq: 'a' } }, 'integer', undefined],
    ['not for a unique value', { unique: { _eq: 'a' } }, 'integer', undefined],
    ['not for an owner', { owner: { _eq: 8 } }, 'integer', undefined],
    ['not for an id', { id: { _eq: 8 } }, 'integer', undefined],
    ['not for a time of change', { updated_at: { _eq: '2024-03-01' } }, 'integer', undefined],
    [
      'not for a point',
      { geopoint: { _near: { longitude: 1, latitude: 1 } } },
      'integer',
      undefined,
    ],
  ])('%s', (_, query, text, names) => {
    const compiled = queryClass({ pairs });
    const { compositeIndexes } = compiled;

    expect(
      missingCompositeIndex(conditionsOf(query), parseOrder(text, compiled), compositeIndexes),
    ).toEqual(names);
  });

  it('not where it lacks older objects', () => {
    const compiled = queryClass({ pairs, unfilledSlots: [9] });
    const { compositeIndexes } = compiled;
    const found = missingCompositeIndex(
      conditionsOf(equal),
      parseOrder('sorted', compiled),
      compositeIndexes,
    );

    expect(found).toBeUndefined();
  });

  it('not where the index of the order lacks older objects', () => {
    const unfilled = queryClass({ unfilledSlots: [slots.integer] });
    const found = missingCompositeIndex(conditionsOf(equal), parseOrder('integer', unfilled), []);

    expect(found).toBeUndefined();
  });
});
