import type { FieldType } from '../field-types.ts';
import type { Condition } from './conditions.ts';
import type { QueryField } from './fields.ts';
import { type CellRange, cellsAround } from './geo-cells.ts';
import type { Scalar } from './operands.ts';
import type { Order } from './order.ts';
import { patternPrefix } from './text-match.ts';

/*
 * A list is read along one path, or along a few side by side until the first has all that is wanted: nobody knows
 * beforehand whether few objects fit a filter or nearly all. Every condition is looked at again for each object that
 * is read, so the answer never depends on the path.
 */

/** What is asked of a list. */
export interface Question {
  readonly conditions: readonly Condition[];
  readonly order: Order;
  readonly reader: Reader;
}

/** Who reads: somebody who sees every object, or only what is shared and, for a user, what it owns. */
export type Reader =
  | { readonly kind: 'unbound' }
  | { readonly kind: 'bound'; readonly user: number | undefined };

/** A way to the objects. */
export interface Plan {
  readonly path: Path;
  /** Whether it gives objects in the order that is asked for; otherwise all of it is read before anything is known. */
  readonly isSorted: boolean;
}

/** Where to read. */
export type Path =
  /** Objects of these ids. */
  | { readonly kind: 'ids'; readonly ids: readonly number[] }
  /** All objects. */
  | { readonly kind: 'all' }
  /** What is shared, and what the user owns. */
  | { readonly kind: 'rights'; readonly user: number | undefined }
  | { readonly kind: 'owned'; readonly owners: readonly number[] }
  /** Points in some cells, in no order. */
  | { readonly kind: 'cells'; readonly slot: number; readonly cells: readonly CellRange[] }
  | IndexPath;

/** A part of an index over one field. */
export interface IndexPath {
  readonly kind: 'index';
  /** A slot, or the index by time of change. */
  readonly index: number | 'updated';
  readonly type: FieldType;
  /** The values to look up, null among them for unset; absent: a range. */
  readonly points?: readonly (Scalar | null)[];
  /** What bounds the range; all apply. */
  readonly limits: readonly Limit[];
}

/** One bound of a range of values. */
export type Limit =
  | { readonly kind: 'above' | 'from' | 'below' | 'upTo'; readonly value: Scalar }
  | { readonly kind: 'prefix'; readonly value: string }
  | { readonly kind: 'set' };

/** Ids between which all objects are that fit, both bounds out. */
export interface IdBounds {
  readonly above: number;
  readonly below: number;
}

/** Values that are looked up side by side in an index; more are rather filtered. */
const maxPoints = 25;

/** A path with what it probably costs: the less, the fewer objects it should meet. */
interface Choice {
  readonly path: Path;
  readonly cost: number;
}

/**
 * Finds the paths of a list: equality first, then the order, then ranges and prefixes, then what the caller may see.
 *
 * @returns one to three plans to be followed side by side
 */
export function planList({ conditions, order, reader }: Question): readonly Plan[] {
  const choices = choicesOf(conditions);
  const best = bestOf(choices);
  if (best !== undefined && best.cost <= costs.one) return [{ path: best.path, isSorted: false }];
  const rights: Path | undefined =
    reader.kind === 'bound' ? { kind: 'rights', user: reader.user } : undefined;
  return order.isById
    ? plansById(best, rights)
    : plansByField(orderPath(choices, order), best, rights);
}

/**
 * Finds the paths of a count: as of a list of which everything is wanted.
 *
 * @returns one or two plans to be followed side by side
 */
export function planCount({ conditions, reader }: Omit<Question, 'order'>): readonly Plan[] {
  const best = bestOf(choicesOf(conditions));
  const paths: Path[] = best === undefined ? [] : [best.path];
  if (reader.kind === 'bound' && !(best !== undefined && best.cost <= costs.one)) {
    paths.push({ kind: 'rights', user: reader.user });
  }
  if (paths.length === 0) paths.push({ kind: 'all' });
  return paths.map((path) => ({ path, isSorted: false }));
}

function plansById(best: Choice | undefined, rights: Path | undefined): readonly Plan[] {
  const walk: Plan = { path: rights ?? { kind: 'all' }, isSorted: true };
  if (best === undefined) return [walk];
  if (!isByPoints(best.path)) return [walk, { path: best.path, isSorted: false }];
  const points: Plan = { path: best.path, isSorted: true };
  return rights === undefined ? [points] : [points, walk];
}

function plansByField(
  ordered: IndexPath | undefined,
  best: Choice | undefined,
  rights: Path | undefined,
): readonly Plan[] {
  const plans: Plan[] = ordered === undefined ? [] : [{ path: ordered, isSorted: true }];
  const narrow = best?.path;
  if (narrow !== undefined && !isSamePlace(narrow, ordered)) {
    plans.push({ path: narrow, isSorted: false });
  }
  if (rights !== undefined) plans.push({ path: rights, isSorted: false });
  return plans.length === 0 ? [{ path: { kind: 'all' }, isSorted: false }] : plans;
}

/** The path along the field of the order, with what bounds it; undefined when its index cannot be read. */
function orderPath(choices: readonly Choice[], { field }: Order): IndexPath | undefined {
  const path = indexOf(field);
  if (path === undefined) return undefined;
  const bounded = choices.find((choice) => isSamePlace(choice.path, path))?.path;
  return bounded?.kind === 'index' ? bounded : path;
}

function isSamePlace(a: Path, b: Path | undefined): boolean {
  return a.kind === 'index' && b?.kind === 'index' && a.index === b.index;
}

function isByPoints(path: Path): boolean {
  return path.kind === 'owned' || (path.kind === 'index' && path.points !== undefined);
}

function indexOf({ system, slot, type }: QueryField): IndexPath | undefined {
  const index = system === 'updated_at' ? 'updated' : slot;
  if (index === undefined) return undefined;
  // channels and their rooms have no index
  return { kind: 'index', index, type: type as FieldType, limits: [] };
}

const costs = {
  one: 1,
  points: 2,
  cells: 3,
  closed: 4,
  prefix: 4,
  open: 5,
  unset: 6,
  set: 7,
} as const;

/** The paths that conditions open, the best one first; one for each field. */
function choicesOf(conditions: readonly Condition[]): readonly Choice[] {
  const byField = new Map<string, Condition[]>();
  for (const condition of conditions) {
    const others = byField.get(condition.field.name);
    if (others === undefined) byField.set(condition.field.name, [condition]);
    else others.push(condition);
  }
  return [...byField.values()]
    .flatMap((ofField) => choiceOf(ofField) ?? [])
    .sort((a, b) => a.cost - b.cost);
}

/** The best path but for those that leave out no more than what is not set. */
function bestOf([best]: readonly Choice[]): Choice | undefined {
  return best === undefined || best.cost === costs.set ? undefined : best;
}

/** The path that the conditions on one field open. */
function choiceOf(conditions: readonly Condition[]): Choice | undefined {
  const field = conditions[0]?.field;
  if (field === undefined) return undefined;
  const points = pointsOf(conditions);
  if (points !== undefined) return pointsChoice(field, points);
  const path = indexOf(field);
  return path && (cellsChoice(field, conditions) ?? rangeOf(path, conditions));
}

function cellsChoice({ slot }: QueryField, conditions: readonly Condition[]): Choice | undefined {
  if (slot === undefined) return undefined;
  for (const condition of conditions) {
    if (condition.kind !== 'near') continue;
    const cells = cellsAround(condition.circle, condition.circle.kilometers);
    if (cells !== undefined) return { path: { kind: 'cells', slot, cells }, cost: costs.cells };
  }
  return undefined;
}

function pointsChoice(field: QueryField, points: readonly Scalar[]): Choice | undefined {
  if (field.system === 'id') return { path: { kind: 'ids', ids: points.map(Number) }, cost: 0 };
  if (points.length > maxPoints) return undefined;
  const cost = field.isUnique ? costs.one : costs.points + points.length / 100;
  if (field.system === 'owner') {
    return { path: { kind: 'owned', owners: points.map(Number) }, cost };
  }
  const path = indexOf(field);
  return path && { path: { ...path, points }, cost };
}

/** The values that a field must have one of; undefined when conditions do not list any. */
function pointsOf(conditions: readonly Condition[]): readonly Scalar[] | undefined {
  const lists = conditions.flatMap((condition) => {
    if (condition.kind === 'compare' && condition.comparison === 'eq') return [[condition.value]];
    return condition.kind === 'among' && !condition.isNegated ? [condition.values] : [];
  });
  const [shortest] = lists.sort((a, b) => a.length - b.length);
  return shortest === undefined ? undefined : [...new Set(shortest)];
}

function rangeOf(path: IndexPath, conditions: readonly Condition[]): Choice | undefined {
  if (conditions.some((one) => one.kind === 'exists' && !one.isSet)) {
    return { path: { ...path, points: [null] }, cost: costs.unset };
  }
  const limits = conditions.flatMap((condition) => limitOf(condition) ?? []);
  return limits.length === 0 ? undefined : { path: { ...path, limits }, cost: rangeCost(limits) };
}

function rangeCost(limits: readonly Limit[]): number {
  const kinds = new Set(limits.map(({ kind }) => kind));
  if (kinds.has('prefix')) return costs.prefix;
  const hasLower = kinds.has('above') || kinds.has('from');
  const hasUpper = kinds.has('below') || kinds.has('upTo');
  if (hasLower && hasUpper) return costs.closed;
  return hasLower || hasUpper ? costs.open : costs.set;
}

const limitKinds = { gt: 'above', gte: 'from', lt: 'below', lte: 'upTo' } as const;

/** The bound that a condition puts on its field's values; a weaker one than the condition itself is right too. */
function limitOf(condition: Condition): Limit | undefined {
  switch (condition.kind) {
    case 'compare': {
      const { comparison, value } = condition;
      if (comparison === 'eq' || comparison === 'neq') return undefined;
      return { kind: limitKinds[comparison], value };
    }
    case 'exists':
      return condition.isSet ? { kind: 'set' } : undefined;
    case 'text': {
      if (condition.ignoresCase) return { kind: 'set' };
      const prefix = prefixOf(condition.lookup, condition.text);
      return prefix === '' ? { kind: 'set' } : { kind: 'prefix', value: prefix };
    }
    case 'among':
    case 'holds':
    case 'meets':
    case 'near':
      return undefined;
  }
}

function prefixOf(lookup: string, text: string): string {
  if (lookup === 'startswith') return text;
  return lookup === 'like' ? patternPrefix(text) : '';
}

/** The ids between which conditions on the id leave objects. */
export function idBounds(conditions: readonly Condition[]): IdBounds {
  let above = -1;
  let below = Number.POSITIVE_INFINITY;
  for (const condition of conditions) {
    if (condition.field.system !== 'id' || condition.kind !== 'compare') continue;
    const id = Number(condition.value);
    if (condition.comparison === 'gt') above = Math.max(above, id);
    if (condition.comparison === 'gte') above = Math.max(above, id - 1);
    if (condition.comparison === 'lt') below = Math.min(below, id);
    if (condition.comparison === 'lte') below = Math.min(below, id + 1);
  }
  return { above, below };
}
