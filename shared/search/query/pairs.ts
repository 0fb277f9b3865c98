import type { CompiledCompositeIndex } from '../../classes/rules/compiled-class.ts';
import { type Choice, choicesOf, costs, indexOf } from './choices.ts';
import type { Condition } from './conditions.ts';
import type { QueryField } from './fields.ts';
import type { Order } from './order.ts';
import type { CompositeIndexPath, IndexPath } from './paths.ts';

/*
 * Many objects may have the same value of one field, while few of them are adjacent in the order of another field. A
 * composite index keeps them adjacent, so a page is one contiguous range of it.
 */

/** Order of a list for which a composite index is selected. */
interface Ordered {
  readonly pairs: readonly CompiledCompositeIndex[];
  readonly order: Order;
  /** Access path along the index of the order. */
  readonly ordered: IndexPath;
}

/** Returns a composite index that can be read, and its path; undefined without one for an equality and the order. */
export function pairPath(
  choices: readonly Choice[],
  { pairs, order, ordered }: Ordered,
): { readonly filter: QueryField; readonly path: CompositeIndexPath } | undefined {
  for (const choice of choices) {
    const value = onlyPoint(choice);
    if (value === undefined) continue;
    const pair = pairs.find((one) => isPairOf(one, choice.field, order.field));
    if (pair === undefined || !pair.isFilled) continue;
    const { slot, filter } = pair;
    const path: CompositeIndexPath = {
      kind: 'pair',
      slot,
      type: filter.type,
      value,
      order: ordered,
    };
    return { filter: choice.field, path };
  }
  return undefined;
}

/** Names of two fields. */
export interface PairNames {
  readonly filter: string;
  readonly order: string;
}

/**
 * Returns the composite index that a list with only an equality and an order lacks: it would lead straight to each
 * page.
 *
 * @returns undefined when it exists, filled or not, or the list has another form
 */
export function missingCompositeIndex(
  conditions: readonly Condition[],
  order: Order,
  pairs: readonly CompiledCompositeIndex[],
): PairNames | undefined {
  if (order.isById || indexOf(order.field) === undefined) return undefined;
  const names = new Set(conditions.map(({ field }) => field.name));
  names.delete(order.field.name);
  if (names.size !== 1) return undefined;
  const choice = choicesOf(conditions).find(({ field }) => names.has(field.name));
  if (choice === undefined || onlyPoint(choice) === undefined) return undefined;
  const { field, cost } = choice;
  if (field.slot === undefined || cost <= costs.one) return undefined;
  if (pairs.some((pair) => isPairOf(pair, field, order.field))) return undefined;
  return { filter: field.name, order: order.field.name };
}

/** Returns the value that a choice looks up, if it is a single one. */
function onlyPoint({ path }: Choice) {
  const points = path.kind === 'index' ? path.points : undefined;
  return points?.length === 1 ? points[0] : undefined;
}

function isPairOf(pair: CompiledCompositeIndex, filter: QueryField, order: QueryField): boolean {
  return (
    pair.filter.name === filter.name &&
    filter.system === undefined &&
    (pair.order?.name ?? 'updated_at') === order.name
  );
}
