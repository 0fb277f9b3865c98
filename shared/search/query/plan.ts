import type { CompiledCompositeIndex } from '../../classes/rules/compiled-class.ts';
import { bestOf, type Choice, choicesOf, costs, fieldIndex } from './choices.ts';
import { compositeIndexPath } from './composite-indexes.ts';
import type { Condition } from './conditions.ts';
import type { Order } from './order.ts';
import type { IdBounds, IndexPath, Path } from './paths.ts';

/*
 * A list is read along one access path, or along a few in parallel until the first result is complete: it is not known
 * beforehand whether few objects match a filter or nearly all. Every condition is checked for each object that is read,
 * so the response never depends on the path.
 */

/** List to plan. */
export interface Question {
  readonly conditions: readonly Condition[];
  readonly order: Order;
  readonly reader: ObjectReader;
  /** Composite indexes of the class that is read. */
  readonly compositeIndexes: readonly CompiledCompositeIndex[];
}

/** Reader: sees every object (bypasses ACL), or only shared objects and, for a user, its own. */
export type ObjectReader =
  | { readonly kind: 'bypasses-acl' }
  | { readonly kind: 'bound'; readonly user: number | undefined };

/** Access path and its order. */
export interface SearchPlan {
  readonly path: Path;
  /** Whether the path is in the requested order; otherwise the whole path is read before the result is known. */
  readonly isSorted: boolean;
}

/**
 * Selects the access paths of a list: equality first, then the order, within the equality if possible, then ranges and
 * prefixes, then the objects that the reader may see.
 *
 * @returns one to three plans to be read in parallel
 */
export function planList({
  conditions,
  order,
  reader,
  compositeIndexes,
}: Question): readonly SearchPlan[] {
  const choices = choicesOf(conditions);
  const best = bestOf(choices);
  if (best !== undefined && best.cost <= costs.one) return [{ path: best.path, isSorted: false }];
  const rights: Path | undefined =
    reader.kind === 'bound' ? { kind: 'rights', user: reader.user } : undefined;
  if (order.isById) return plansById(best, rights);
  const ordered = orderPath(choices, order);
  const composite = ordered && compositeIndexPath(choices, { compositeIndexes, order, ordered });
  const isWithin = ({ field, path }: Choice) =>
    isSamePath(path, ordered) || field.name === composite?.filter.name;
  const narrow = best === undefined || isWithin(best) ? undefined : best.path;
  return plansByField(composite?.path ?? ordered, narrow, rights);
}

/**
 * Selects the access paths of a count: those of a list without limit.
 *
 * @returns one or two plans to be read in parallel
 */
export function planCount({
  conditions,
  reader,
}: Omit<Question, 'order' | 'compositeIndexes'>): readonly SearchPlan[] {
  const best = bestOf(choicesOf(conditions));
  const paths: Path[] = best === undefined ? [] : [best.path];
  if (reader.kind === 'bound' && !(best !== undefined && best.cost <= costs.one)) {
    paths.push({ kind: 'rights', user: reader.user });
  }
  if (paths.length === 0) paths.push({ kind: 'all' });
  return paths.map((path) => ({ path, isSorted: false }));
}

function plansById(best: Choice | undefined, rights: Path | undefined): readonly SearchPlan[] {
  const scan: SearchPlan = { path: rights ?? { kind: 'all' }, isSorted: true };
  if (best === undefined) return [scan];
  if (!isByPoints(best.path)) return [scan, { path: best.path, isSorted: false }];
  const points: SearchPlan = { path: best.path, isSorted: true };
  return rights === undefined ? [points] : [points, scan];
}

function plansByField(
  sorted: Path | undefined,
  narrow: Path | undefined,
  rights: Path | undefined,
): readonly SearchPlan[] {
  const plans: SearchPlan[] = sorted === undefined ? [] : [{ path: sorted, isSorted: true }];
  if (narrow !== undefined) plans.push({ path: narrow, isSorted: false });
  if (rights !== undefined) plans.push({ path: rights, isSorted: false });
  return plans.length === 0 ? [{ path: { kind: 'all' }, isSorted: false }] : plans;
}

/** Returns the path along the order's field, with its bounds; undefined if its index cannot be read. */
function orderPath(choices: readonly Choice[], { field }: Order): IndexPath | undefined {
  const path = fieldIndex(field);
  if (path === undefined) return undefined;
  const bounded = choices.find((choice) => isSamePath(choice.path, path))?.path;
  return bounded?.kind === 'index' ? bounded : path;
}

function isSamePath(a: Path, b: Path | undefined): boolean {
  return a.kind === 'index' && b?.kind === 'index' && a.index === b.index;
}

function isByPoints(path: Path): boolean {
  return path.kind === 'owned' || (path.kind === 'index' && path.points !== undefined);
}

/** Returns the bounds that conditions on the id set. */
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
