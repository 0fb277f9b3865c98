import type { CompiledCompositeIndex } from '../../classes/rules/compiled-class.ts';
import { type Choice, choicesOf, costs, indexOf } from './choices.ts';
import type { Condition } from './conditions.ts';
import type { QueryField } from './fields.ts';
import type { Order } from './order.ts';
import type { CompositeIndexPath, IndexPath } from './paths.ts';

/*
 * Many objects may be equal in a field, and few of them stand next to each other in the order of another one. A slot
 * that holds a pair of fields has them so, and a page is one stretch of it.
 */

/** What is known of an order when a pair is looked for. */
interface Ordered {
  readonly pairs: readonly CompiledCompositeIndex[];
  readonly order: Order;
  /** The path along the order's own index. */
  readonly ordered: IndexPath;
}

/** A pair that can be read, and its path; undefined when there is none for an equality and the order. */
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
 * Tells which pair a list would need that has an equality and an order and asks nothing else: such a pair would lead
 * straight to each of its pages.
 *
 * @returns undefined when there is such a pair, filled or not, or the list is another one
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

/** The value that a choice looks up, when it is but one. */
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
