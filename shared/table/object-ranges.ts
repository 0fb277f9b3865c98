import type { Scalar } from '../search/query/operands.ts';
import type {
  CompositeIndexPath,
  IdBounds,
  IndexPath,
  Path,
  RangeBound,
} from '../search/query/paths.ts';
import { compareText } from '../search/query/text-order.ts';
import type { Bound, IndexName, Query } from '../store/store.ts';
import {
  codeEnd,
  compositeIndexPrefix,
  encodeText,
  encodeValue,
  nullCode,
  slotName,
} from './index-keys.ts';
import { idKey } from './key-parts.ts';

/** A range of objects of one class: of the table, or of an index. */
export type ObjectRange = Pick<Query, 'index' | 'lower' | 'upper'>;

/** Where a scan continues: below or above this position, which is excluded. */
export interface Start {
  readonly id: number;
  /** Value of the field of an index; undefined where only ids are compared. */
  readonly value: Scalar | null | undefined;
  readonly isDescending: boolean;
}

const afterCodeEnd = '\u0001'; // after every id that follows the end of a code
const afterDigits = ':';

/**
 * Returns the ranges of an access path, to be scanned side by side; none when they are certainly empty. Values are at
 * most 128 characters, so that every bound fits into the table's limit of 1,000 bytes.
 *
 * @param ids bounds of ids, where a range lists objects by id
 * @param from where the scan continues; absent: at its beginning
 */
export function objectRanges(
  path: Exclude<Path, { readonly kind: 'ids' }>,
  ids: IdBounds,
  from?: Start,
): readonly ObjectRange[] {
  const bounds = from === undefined || from.value !== undefined ? ids : narrowBounds(ids, from);
  switch (path.kind) {
    case 'all':
      return byIds(undefined, '', bounds);
    case 'owned':
      return path.owners
        .filter((owner) => owner > 0)
        .flatMap((owner) => byIds('owned', idKey(owner), bounds));
    case 'rights': {
      const { user } = path;
      return [
        ...byIds('shared', '', bounds),
        ...(user === undefined ? [] : byIds('owned', idKey(user), bounds)),
      ];
    }
    case 'cells':
      return path.cells.map(({ first, last }) => ({
        index: slotName(path.slot),
        lower: { key: first, inclusive: true },
        upper: { key: successor(last), inclusive: false },
      }));
    case 'composite':
      return objectRanges(path.order, ids, from).map((range) => compositeIndexRange(path, range));
    case 'index': {
      const ranges =
        path.points === undefined ? [limitsRange(path)] : pointRanges(path, path.points, bounds);
      const start = from?.value === undefined ? undefined : startRange(path, from, from.value);
      const all = start === undefined ? ranges : ranges.map((range) => intersect(range, start));
      return all.filter((range) => !isEmpty(range));
    }
  }
}

/** Converts a range in the index of the order to one of the composite index. */
function compositeIndexRange(
  { slot, type, value }: CompositeIndexPath,
  { lower, upper }: ObjectRange,
): ObjectRange {
  const start = compositeIndexPrefix(type, value);
  const end = start.slice(0, -codeEnd.length) + afterCodeEnd;
  return {
    index: slotName(slot),
    lower: { key: start + (lower?.key ?? ''), inclusive: lower?.inclusive ?? true },
    upper: { key: upper ? start + upper.key : end, inclusive: upper?.inclusive ?? false },
  };
}

function narrowBounds({ above, below }: IdBounds, { id, isDescending }: Start): IdBounds {
  return isDescending
    ? { above, below: Math.min(below, id) }
    : { above: Math.max(above, id), below };
}

/** Returns the range of objects of one prefix in the order of their ids. */
function byIds(
  index: IndexName | undefined,
  prefix: string,
  { above, below }: IdBounds,
): readonly ObjectRange[] {
  if (below <= 0 || above >= below - 1) return [];
  const lower = above < 0 ? prefix : prefix + idKey(above);
  return [
    {
      index,
      lower: lower === '' ? undefined : { key: lower, inclusive: above < 0 },
      upper: {
        key: prefix + (below === Number.POSITIVE_INFINITY ? afterDigits : idKey(below)),
        inclusive: false,
      },
    },
  ];
}

function pointRanges(
  path: IndexPath,
  points: readonly (Scalar | null)[],
  ids: IdBounds,
): readonly ObjectRange[] {
  const codes = codesOf(path);
  return points.flatMap((value) => byIds(codes.index, codes.start(value), ids));
}

/** How one index writes the beginning of a value's keys, and the text after all of them. */
interface Codes {
  readonly index: IndexName;
  readonly start: (value: Scalar | null) => string;
  readonly after: (value: Scalar) => string;
}

function codesOf({ index, type }: IndexPath): Codes {
  if (index === 'updated') {
    return {
      index,
      start: String, // a time is never null, and no key begins with the word
      after: (value) => value + afterDigits,
    };
  }
  const name = slotName(index);
  return {
    index: name,
    start: (value) => encodeValue(type, value) + codeEnd,
    after: (value) => encodeValue(type, value) + afterCodeEnd,
  };
}

function limitsRange(path: IndexPath): ObjectRange {
  const codes = codesOf(path);
  const { index } = codes;
  if (path.limits.length === 0) return { index };
  // a value with a limit is set: null comes after every value
  const values: ObjectRange = { index, upper: { key: nullCode, inclusive: false } };
  return path.limits.reduce((range, limit) => intersect(range, limitRange(codes, limit)), values);
}

function limitRange(
  { start, after }: Codes,
  limit: RangeBound,
): Pick<ObjectRange, 'lower' | 'upper'> {
  switch (limit.kind) {
    case 'above':
      return { lower: { key: after(limit.value), inclusive: true } };
    case 'from':
      return { lower: { key: start(limit.value), inclusive: true } };
    case 'below':
      return { upper: { key: start(limit.value), inclusive: false } };
    case 'upTo':
      return { upper: { key: after(limit.value), inclusive: false } };
    case 'prefix': {
      const prefix = encodeText(limit.value);
      return {
        lower: { key: prefix, inclusive: true },
        upper: { key: successor(prefix), inclusive: false },
      };
    }
    case 'set':
      return {};
  }
}

/** Returns the least text above all with `prefix`, which has a character below U+10FFFF. */
export function successor(prefix: string): string {
  const characters = Array.from(prefix);
  for (;;) {
    const last = characters.pop()?.codePointAt(0) ?? 0;
    if (last === 0x10ffff) continue;
    const next = last + 1 === 0xd800 ? 0xe000 : last + 1; // no text holds a lone surrogate
    return characters.join('') + String.fromCodePoint(next);
  }
}

function startRange(
  path: IndexPath,
  { id, isDescending }: Start,
  value: Scalar | null,
): Pick<ObjectRange, 'lower' | 'upper'> {
  const bound: Bound = { key: startKey(path, id, value), inclusive: false };
  return isDescending ? { upper: bound } : { lower: bound };
}

function startKey(path: IndexPath, id: number, value: Scalar | null): string {
  if (path.index === 'updated' && value === null) return nullCode; // after all times
  return codesOf(path).start(value) + idKey(id);
}

/** Returns the intersection of two ranges. */
function intersect(a: ObjectRange, b: Pick<ObjectRange, 'lower' | 'upper'>): ObjectRange {
  const lower = inner(a.lower, b.lower, 1);
  const upper = inner(a.upper, b.upper, -1);
  return { index: a.index, lower, upper };
}

/** Returns the narrower bound: the higher one with sign 1, the lower one with sign -1. */
function inner(a: Bound | undefined, b: Bound | undefined, sign: 1 | -1): Bound | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const order = compareText(a.key, b.key) * sign;
  if (order === 0) return { key: a.key, inclusive: a.inclusive && b.inclusive };
  return order > 0 ? a : b;
}

function isEmpty({ lower, upper }: ObjectRange): boolean {
  if (lower === undefined || upper === undefined) return false;
  const order = compareText(lower.key, upper.key);
  return order > 0 || (order === 0 && !(lower.inclusive && upper.inclusive));
}
