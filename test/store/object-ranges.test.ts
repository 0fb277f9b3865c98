import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matcherOf } from '../../shared/search/query/match.ts';
import { parseOrder } from '../../shared/search/query/order.ts';
import { parseQueries } from '../../shared/search/query/parse.ts';
import { idBounds, planList } from '../../shared/search/query/plan.ts';
import { compareText } from '../../shared/search/query/text-order.ts';
import { idKey } from '../../shared/table/key-parts.ts';
import { objectIndexes } from '../../shared/table/object-indexes.ts';
import { type ObjectRange, objectRanges } from '../../shared/table/object-ranges.ts';
import type { ObjectData } from '../../shared/table/records/records.ts';
import { queryClass } from '../support/query-class.ts';

const compiled = queryClass();
const order = parseOrder(undefined, compiled);

const texts = [
  '',
  'a',
  'ab',
  'b',
  'a\u0000',
  'a\u0000b',
  'a\u0001',
  '\u0001\u0002',
  '~',
  '"',
  '\uD7FF',
  '\uE000',
  '\uFFFD',
  '\u{1F600}',
  '\u{10FFFF}',
  'a\u{10FFFF}',
  '\u{10FFFF}a',
  'a\uD7FFb',
];
const numbers = [-2147483648, -5, -1, 0, 1, 5, 2147483647];
const times = ['0001-01-01T00:00:00.000000Z', '2024-03-01T10:00:00.000001Z'];

/** A value of some field, and a lookup of the same field; sometimes unset. */
const values = fc.oneof(
  fc.record({ field: fc.constant('string'), ...pair(texts) }),
  fc.record({ field: fc.constant('integer'), ...pair(numbers) }),
  fc.record({ field: fc.constant('float'), ...pair([...numbers, 0.5, -0.5, 1e300, -1e300]) }),
  fc.record({ field: fc.constant('boolean'), ...pair([true, false]) }),
  fc.record({ field: fc.constant('datetime'), ...pair(times) }),
);

function pair(all: readonly unknown[]) {
  const value = fc.constantFrom(...all);
  return { held: fc.option(value), given: value, more: value };
}

function objectOf(held: Record<string, unknown>, id: number, updated_at = times[1]): ObjectData {
  return {
    id,
    created_at: times[1] ?? '',
    updated_at: updated_at ?? '',
    revision: 1,
    epoch: 1,
    owner: (id % 3) + 1,
    owner_permissions: 'full',
    group: null,
    group_permissions: 'none',
    other_permissions: id % 2 ? 'read' : 'none',
    channel: null,
    channel_room: null,
    values: held as ObjectData['values'],
  };
}

/** Checks whether an object is in a range of the table or an index. */
function isIn(object: ObjectData, { index, lower, upper }: ObjectRange): boolean {
  const key = index === undefined ? idKey(object.id) : objectIndexes(compiled, object)[index];
  if (key === undefined) return false;
  const low = lower === undefined ? 1 : compareText(key, lower.key);
  const high = upper === undefined ? -1 : compareText(key, upper.key);
  return (
    (low > 0 || (low === 0 && lower?.inclusive === true)) &&
    (high < 0 || (high === 0 && upper?.inclusive === true))
  );
}

/** Returns whether the best access path of a query leads to an object, and whether the object matches the query. */
function outcome(query: object, object: ObjectData) {
  const { conditions } = parseQueries([JSON.stringify(query)], compiled);
  const plans = planList({
    conditions,
    order,
    reader: { kind: 'bypasses-acl' },
    compositeIndexes: [],
  });
  const path = plans.at(-1)?.path;
  if (path === undefined || path.kind === 'ids') throw new Error('no path with ranges');
  const ranges = objectRanges(path, idBounds(conditions));
  return {
    found: ranges.some((range) => isIn(object, range)),
    fits: matcherOf(conditions)({ ...object, value: (storage) => object.values[storage] }),
  };
}

const byValue = fc.constantFrom('_eq', '_in', '_gt', '_gte', '_lt', '_lte', 'between', 'unset');

function lookups(kind: string, given: unknown, more: unknown): object {
  if (kind === 'between') return { _gt: given, _lte: more };
  if (kind === 'unset') return { _exists: false };
  return { [kind]: kind === '_in' ? [given, more] : given };
}

describe('a range', () => {
  it('has an object exactly when it matches the conditions on its field', () => {
    fc.assert(
      fc.property(values, byValue, ({ field, held, given, more }, kind) => {
        const object = objectOf(held === null ? {} : { [field]: held }, 5);

        const { found, fits } = outcome({ [field]: lookups(kind, given, more) }, object);

        expect(found).toBe(fits);
      }),
      { numRuns: 3000 },
    );
  });

  it('of a prefix has an object exactly when its text has the prefix', () => {
    fc.assert(
      fc.property(fc.constantFrom(...texts), fc.constantFrom(...texts.slice(1)), (held, given) => {
        const { found, fits } = outcome(
          { string: { _startswith: given } },
          objectOf({ string: held }, 5),
        );

        expect(found).toBe(fits);
      }),
      { numRuns: 1000 },
    );
  });

  it.each(['_gt', '_gte', '_lt', '_lte'])('of ids by %s has exactly those', (lookup) => {
    for (const given of [-5, -1, 0, 1, 5, 9, 10, 2147483647]) {
      for (const id of [1, 5, 9, 10, 11, 2147483647]) {
        const object = objectOf({}, id);

        const { found, fits } = outcome({ id: { [lookup]: given } }, object);
        const equal = outcome({ id: { [lookup]: given }, owner: { _eq: object.owner } }, object);

        expect([given, id, found, equal.found]).toEqual([given, id, fits, fits]);
      }
    }
  });

  it.each(['_eq', '_gt', '_gte', '_lt', '_lte', 'between', 'unset'])('of times by %s', (kind) => {
    for (const held of times) {
      for (const given of times) {
        const object = objectOf({}, 5, held);

        const { found, fits } = outcome({ updated_at: lookups(kind, given, times[1]) }, object);

        expect([held, given, found]).toEqual([held, given, fits]);
      }
    }
  });

  it('of nothing is empty', () => {
    const { conditions } = parseQueries(['{"integer":{"_gt":5,"_lt":5}}'], compiled);
    const path = planList({
      conditions,
      order,
      reader: { kind: 'bypasses-acl' },
      compositeIndexes: [],
    }).at(-1)?.path;

    expect(path?.kind === 'index' && objectRanges(path, idBounds(conditions))).toEqual([]);
    expect(objectRanges({ kind: 'all' }, { above: 4, below: 5 })).toEqual([]);
    expect(objectRanges({ kind: 'owned', owners: [0, -1] }, idBounds([]))).toEqual([]);
  });
});

describe('texts', () => {
  it('are compared as their bytes in UTF-8', () => {
    for (const a of texts) {
      for (const b of texts) {
        const bytes = Buffer.compare(Buffer.from(a), Buffer.from(b));

        expect([a, b, Math.sign(compareText(a, b))]).toEqual([a, b, bytes]);
      }
    }
  });
});
