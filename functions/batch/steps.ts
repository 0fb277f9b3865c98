import { isInClass } from '../../shared/classes/class-record.ts';
import type { Context } from '../../shared/core/family.ts';
import type { BatchRequest } from './requests.ts';

/** Maximum reads that run in parallel: each may hold a page of large objects. */
const maxReads = 8;

/** An item, with the route and parameters of its path. */
export interface RoutedItem {
  readonly position: number;
  readonly request: BatchRequest;
  /** Undefined: the path does not exist. */
  readonly match: Pick<Context, 'route' | 'params'> | undefined;
  readonly kind: 'read' | 'objects' | 'other';
}

/**
 * Splits a batch into steps, which run one after the other. Items of one step may run in parallel: neighbours that only
 * read, and neighbours that create objects of one class, or change and delete different ones. Whether the order of such
 * writes is visible is decided when their class is known (order.ts).
 *
 * @param matches the routes of the requests, in their order
 */
export function planSteps(
  requests: readonly BatchRequest[],
  matches: readonly RoutedItem['match'][],
): readonly (readonly RoutedItem[])[] {
  const steps: RoutedItem[][] = [];
  for (const [position, request] of requests.entries()) {
    const match = matches[position];
    const item: RoutedItem = { position, request, match, kind: kindOf(request, match) };
    const last = steps.at(-1);
    if (last !== undefined && isJoining(last, item)) last.push(item);
    else steps.push([item]);
  }
  return steps;
}

/** Returns the kind of an item. Other routes than lists and their items may have any effect, whatever the method. */
function kindOf({ method }: BatchRequest, match: RoutedItem['match']): RoutedItem['kind'] {
  const kind = match?.route.kind;
  if (match === undefined || (kind !== 'list' && kind !== 'detail')) return 'other';
  if (method === 'GET') return 'read';
  return isInClass(match.route) ? 'objects' : 'other';
}

function isJoining(step: readonly RoutedItem[], { kind, match }: RoutedItem): boolean {
  const [first] = step;
  if (first === undefined || first.kind !== kind || kind === 'other') return false;
  if (kind === 'read') return step.length < maxReads;
  if (match === undefined || match.route !== first.match?.route) return false;
  const { class: className, id } = match.params;
  if (className === undefined || first.match.params.class !== className) return false;
  // a client may know the id that a create will use: requests to that object have to wait, so those are separated
  return match.route.kind === 'list' || step.every((item) => item.match?.params.id !== id);
}
