import type { Put } from '../../shared/store/store.ts';
import { createItem, putItem } from '../../shared/store/writes.ts';
import { triggerEntity, triggerEventEntity } from '../../shared/table/entities/scripts.ts';
import type { TriggerEventData } from '../../shared/table/records/triggers.ts';
import { orderOf } from '../../shared/triggers/rules/signals.ts';

/** Returns the put of a trigger of instance 1 that waits for updates. */
export function triggerPut(id: number): Put {
  return putItem(triggerEntity, triggerEntity.key(1, id), {
    id,
    label: '',
    description: '',
    signal: 'post_update',
    class: 'book',
    classNumber: 2,
    script: 1,
    created_at: '',
    updated_at: '',
  });
}

/** Returns the put of the event of an update for trigger 1, with its object and revision as arguments. */
export function eventPut(
  object: number,
  revision: number,
  more: Partial<TriggerEventData> = {},
): Put {
  const order = orderOf({ action: 'update', revision, isUnchanged: false }, '');
  return createItem(triggerEventEntity, triggerEventEntity.key(1, object, order), {
    class: 'book',
    action: 'update',
    triggers: [1],
    args: { value: { id: object, revision } },
    changes: [],
    depth: 0,
    ...more,
  });
}
