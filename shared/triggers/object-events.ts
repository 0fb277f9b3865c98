import type { Platform } from '../ports/ports.ts';
import { keepPart } from '../scripts/traces.ts';
import type { Put } from '../store/store.ts';
import { createItem } from '../store/writes.ts';
import { triggerEventEntity } from '../table/entities/scripts.ts';
import type { ClassData } from '../table/records/records.ts';
import type { JsonObject } from '../values/json/json.ts';
import { changedNames, type OrderedChange, orderOf, triggersOf } from './rules/signals.ts';

/** A change of an object by a client. */
export interface ObjectChange extends OrderedChange {
  readonly instance: number;
  readonly class: ClassData;
  readonly object: number;
  /** The object in its form in responses, without links: after the change, or before its deletion. */
  readonly shown: () => JsonObject;
  /** The same before an update. */
  readonly shownBefore: () => JsonObject;
  /** Scripts between the client and the change. */
  readonly depth: number;
}

/**
 * Plans the event of a change for the triggers of its class, as the request has read it. A large object is stored in a
 * file first.
 *
 * @returns the write for the transaction of the change; undefined when the change fires no trigger
 */
export async function planEvent(
  platform: Pick<Platform, 'files' | 'ids' | 'clock'>,
  change: ObjectChange,
): Promise<Put | undefined> {
  const { instance, class: classData, object, action, shown, shownBefore, depth } = change;
  const triggers = triggersOf(classData.triggers, action);
  if (triggers.length === 0) return undefined;
  const args = shown();
  const unique = `${String(platform.clock.micros()).padStart(16, '0')}#${platform.ids.random()}`;
  const key = triggerEventEntity.key(instance, object, orderOf(change, unique));
  return createItem(triggerEventEntity, key, {
    class: classData.name,
    action,
    triggers,
    args: await keepPart(platform, instance, args),
    changes: action === 'update' ? changedNames(shownBefore(), args) : null,
    depth,
  });
}
