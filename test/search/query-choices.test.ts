import { describe, expect, it } from 'vitest';
import { bestOf, choicesOf, costs } from '../../shared/search/query/choices.ts';
import { conditionsOf, queryClass, slots } from '../support/query-class.ts';

const many = (length: number) => Array.from({ length }, (_, at) => at);
const choices = (query: object) => choicesOf(conditionsOf(query));
const near = (kilometers: number) => ({
  _near: { longitude: 10, latitude: 51, distance_in_kilometers: kilometers },
});

const index = (field: 'string' | 'integer' | 'unique' | 'geopoint', part: object = {}) => ({
  kind: 'index',
  index: slots[field],
  type: field === 'unique' ? 'string' : field,
  limits: [],
  ...part,
});
const changed = { kind: 'index', index: 'updated', type: 'datetime', limits: [] };
const time = '2024-03-01T10:00:00.000000Z';

describe('values of a field are looked up', () => {
  it.each<[string, object, object]>([
    ['by id', { id: { _eq: 5 } }, { kind: 'ids', ids: [5] }],
    ['by any number of ids', { id: { _in: many(26) } }, { kind: 'ids', ids: many(26) }],
    ['by owner', { owner: { _in: [7, 8] } }, { kind: 'owned', owners: [7, 8] }],
    ['by one value', { string: { _eq: 'a' } }, index('string', { points: ['a'] })],
    ['by several', { string: { _in: ['a', 'b'] } }, index('string', { points: ['a', 'b'] })],
    ['once by equal ones', { integer: { _in: [3, 3, 5] } }, index('integer', { points: [3, 5] })],
    ['by 25 values', { integer: { _in: many(25) } }, index('integer', { points: many(25) })],
    [
      'by the shortest list',
      { integer: { _in: [1, 2, 3], _eq: 2, _gt: 0 } },
      index('integer', { points: [2] }),
    ],
    ['by a unique value', { unique: { _eq: 'a' } }, index('unique', { points: ['a'] })],
    ['by the time of change', { updated_at: { _eq: time } }, { ...changed, points: [time] }],
    ['as unset', { string: { _exists: false } }, index('string', { points: [null] })],
    [
      'as unset rather than set',
      { integer: { _gt: 1, _exists: false } },
      index('integer', { points: [null] }),
    ],
  ])('%s', (_, query, path) => {
    expect(choices(query)).toMatchObject([{ path }]);
  });
});

const set = { kind: 'set' };

describe('a range of an index is read', () => {
  it.each<[string, object, readonly object[], keyof typeof costs]>([
    ['above', { _gt: 'a' }, [{ kind: 'above', value: 'a' }], 'open'],
    ['from', { _gte: 'a' }, [{ kind: 'from', value: 'a' }], 'open'],
    ['below', { _lt: 'a' }, [{ kind: 'below', value: 'a' }], 'open'],
    ['up to', { _lte: 'a' }, [{ kind: 'upTo', value: 'a' }], 'open'],
    [
      'above and below',
      { _gt: 'a', _lt: 'c' },
      [
        { kind: 'above', value: 'a' },
        { kind: 'below', value: 'c' },
      ],
      'closed',
    ],
    [
      'from and up to',
      { _gte: 'a', _lte: 'c' },
      [
        { kind: 'from', value: 'a' },
        { kind: 'upTo', value: 'c' },
      ],
      'closed',
    ],
    [
      'from among set values',
      { _gte: 'a', _exists: true },
      [{ kind: 'from', value: 'a' }, set],
      'open',
    ],
    ['with a prefix', { _startswith: 'ab' }, [{ kind: 'prefix', value: 'ab' }], 'prefix'],
    [
      'with the prefix of a pattern',
      { _like: 'ab%c_' },
      [{ kind: 'prefix', value: 'ab' }],
      'prefix',
    ],
    ['with a pattern as prefix', { _like: 'a\\%b' }, [{ kind: 'prefix', value: 'a%b' }], 'prefix'],
    [
      'with a prefix above a value',
      { _gt: 'aa', _startswith: 'a' },
      [
        { kind: 'above', value: 'aa' },
        { kind: 'prefix', value: 'a' },
      ],
      'prefix',
    ],
    ['as set', { _exists: true }, [set], 'set'],
    ['as set: an empty prefix', { _startswith: '' }, [set], 'set'],
    ['as set: a prefix in either case', { _istartswith: 'a' }, [set], 'set'],
    ['as set: a pattern with no prefix', { _like: '%a' }, [set], 'set'],
    ['as set: an end', { _endswith: 'a' }, [set], 'set'],
    ['as set: a part', { _contains: 'a' }, [set], 'set'],
    ['as set: a text in either case', { _ieq: 'a' }, [set], 'set'],
    ['above, and not equal', { _gt: 'a', _neq: 'b' }, [{ kind: 'above', value: 'a' }], 'open'],
    ['above, and not among', { _gt: 'a', _nin: ['b'] }, [{ kind: 'above', value: 'a' }], 'open'],
  ])('%s', (_, string, limits, cost) => {
    expect(choices({ string })).toMatchObject([
      { field: { name: 'string' }, path: index('string', { limits }), cost: costs[cost] },
    ]);
  });

  it('by the time of change', () => {
    const limits = [{ kind: 'above', value: time }];

    expect(choices({ updated_at: { _gt: time } })).toMatchObject([
      { path: { ...changed, limits } },
    ]);
  });
});

describe('the surroundings of a point', () => {
  const cells = { kind: 'cells', slot: slots.geopoint, cells: [{ first: 'u0', last: 'u3' }] };

  it.each<[string, object, object]>([
    ['are read in cells', near(400), cells],
    ['are read in cells, as they are set', { _exists: true, ...near(400) }, cells],
    [
      'are all set points if they are most of the earth',
      { _exists: true, ...near(15_000) },
      index('geopoint', { limits: [set] }),
    ],
  ])('%s', (_, geopoint, path) => {
    expect(choices({ geopoint })).toMatchObject([{ path }]);
  });

  it('have no path if they are most of the earth', () => {
    expect(choices({ geopoint: near(15_000) })).toEqual([]);
  });
});

describe('no index is read', () => {
  it.each<[string, object]>([
    ['no conditions', {}],
    ['another value', { string: { _neq: 'a' } }],
    ['none of some values', { string: { _nin: ['a'] } }],
    ['26 values', { integer: { _in: many(26) } }],
    ['a range of ids', { id: { _gt: 5 } }],
    ['a time of creation', { created_at: { _eq: time } }],
    ['a range of times of creation', { created_at: { _gt: time } }],
    ['a revision', { revision: { _eq: 1 } }],
    ['a channel', { channel: { _eq: 'news' } }],
    ['members of an array', { array: { _contains: ['a'] } }],
    ['members of a relation', { relation: { _contains: [1] } }],
  ])('for %s', (_, query) => {
    expect(choices(query)).toEqual([]);
  });

  it('for a field whose index lacks older objects', () => {
    const compiled = queryClass({ unfilledSlots: [slots.string] });
    const conditions = conditionsOf({ string: { _eq: 'a' }, integer: { _gt: 1 } }, compiled);

    expect(choicesOf(conditions)).toMatchObject([{ field: { name: 'integer' } }]);
  });

  it('for the objects that a nested query found', () => {
    const [field] = conditionsOf({ relation: { _contains: [1] } }).map((one) => one.field);
    if (field === undefined) throw new Error('no condition');

    expect(choicesOf([{ kind: 'meets', field, ids: new Set([1]) }])).toEqual([]);
  });
});

/** From the last to the first choice. */
const ranked = {
  boolean: { _exists: true },
  reference: { _exists: false },
  float: { _gt: 1 },
  string: { _startswith: 'a' },
  geopoint: near(400),
  datetime: { _in: ['2024-03-01', '2024-03-02'] },
  integer: { _eq: 1 },
  unique: { _in: ['a', 'b'] },
  id: { _in: many(100) },
};

describe('the best choice', () => {
  it('is that with the fewest objects by its kind', () => {
    const names = choices(ranked).map(({ field }) => field.name);

    expect(names).toEqual(Object.keys(ranked).reverse());
  });

  it('is 25 values rather than cells', () => {
    const found = bestOf(choices({ geopoint: near(400), integer: { _in: many(25) } }));

    expect(found?.field.name).toBe('integer');
  });

  it.each<[string, object, string | undefined]>([
    ['a range', { float: { _gt: 1 }, string: { _exists: true } }, 'float'],
    ['unset values', { float: { _exists: false } }, 'float'],
    ['not all set values', { float: { _exists: true } }, undefined],
    ['not without conditions', {}, undefined],
  ])('is %s', (_, query, field) => {
    expect(bestOf(choices(query))?.field.name).toBe(field);
  });
});
