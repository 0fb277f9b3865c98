import type { Session } from '../../shared/core/resource/route.ts';
import type { BatchRequest } from './requests.ts';

/** Reads that run side by side at the most: each may hold a page of large objects. */
const maxReads = 8;

/** An item, with what its path names. */
export interface Item {
  readonly position: number;
  readonly request: BatchRequest;
  /** Undefined: there is no such path. */
  readonly match: ReturnType<Session['find']>;
  readonly kind: 'read' | 'objects' | 'other';
}

/**
 * Parts a batch into steps, which run one after the other. Items of one step may run side by side: neighbours that
 * only read, and neighbours that make objects of one class, or change and remove different ones. Whether the order of
 * such writes shows is found out when their class is known (order.ts).
 */
export function planSteps(
  requests: readonly BatchRequest[],
  find: Session['find'],
): readonly (readonly Item[])[] {
  const steps: Item[][] = [];
  for (const [position, request] of requests.entries()) {
    const match = find(request.path);
    const item: Item = { position, request, match, kind: kindOf(request, match) };
    const last = steps.at(-1);
    if (last !== undefined && isJoining(last, item)) last.push(item);
    else steps.push([item]);
  }
  return steps;
}

/** What is no list and no item of one may do anything, whatever the method. */
function kindOf({ method }: BatchRequest, match: Item['match']): Item['kind'] {
  const { kind = 'page', inClass = false } = match?.route ?? {};
  if (kind !== 'list' && kind !== 'detail') return 'other';
  if (method === 'GET') return 'read';
  return inClass ? 'objects' : 'other';
}

function isJoining(step: readonly Item[], { kind, match }: Item): boolean {
  const [first] = step;
  if (first === undefined || first.kind !== kind || kind === 'other') return false;
  if (kind === 'read') return step.length < maxReads;
  if (match === undefined || match.route !== first.match?.route) return false;
  const { class: place, id } = match.params;
  if (place === undefined || first.match.params.class !== place) return false;
  // a client may know the id that a create will give: what is done to it has to wait, so those stand apart
  return match.route.kind === 'list' || step.every((item) => item.match?.params.id !== id);
}
