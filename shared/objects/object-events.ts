import { actionOf } from '../jobs/change-feed.ts';
import type { Stored, Write } from '../store/store.ts';
import { checkUnchanged } from '../store/writes.ts';
import type { ObjectData } from '../table/records/records.ts';
import { planEvent } from '../triggers/object-events.ts';
import { depthOf } from '../values/access.ts';
import type { SaveCall } from './save-call.ts';
import { showObject } from './show-object.ts';

/** An object before and after a save: a create has no `before`, a deletion no `after`. */
interface Saved {
  readonly before?: Stored<ObjectData>;
  readonly after?: ObjectData;
}

/**
 * Returns the writes by which triggers notice a save, for its transaction (docs/reference/triggers.md#firing). The class
 * decides on them as the request has read it.
 */
export function eventWrites(
  call: SaveCall,
  saved: Saved,
): Promise<readonly Write[]> | readonly Write[] {
  return call.class.data.triggers === undefined ? noWrites : planEventWrites(call, saved);
}

const noWrites: readonly Write[] = [];

async function planEventWrites(
  call: SaveCall,
  { before, after }: Saved,
): Promise<readonly Write[]> {
  const last = after ?? before?.data;
  if (last === undefined) return noWrites;
  const isUnchanged = after !== undefined && after === before?.data;
  const event = await planEvent(call.platform, {
    instance: call.instance,
    class: call.class.data,
    object: last.id,
    action: actionOf({ before, after }),
    revision: last.revision,
    isUnchanged,
    shown: () => showObject(call.compiled, last),
    shownBefore: () => showObject(call.compiled, before?.data ?? last),
    depth: depthOf(call.actor),
  });
  if (event === undefined) return noWrites;
  return before !== undefined && isUnchanged ? [checkUnchanged(before), event] : [event];
}
