import type { ChangeConsumer, ItemChange, Services } from '../jobs/change-feed.ts';
import {
  instanceCounter,
  instanceIn,
  placeOfEvent,
  triggerEntity,
  triggerEventEntity,
} from '../store/entities.ts';
import type { TriggerEventData } from '../store/records/triggers.ts';
import type { Stored } from '../store/store.ts';
import { deleteIfExists } from '../store/writes.ts';
import { planRuns, takeRoom } from './planned-runs.ts';

/**
 * Plans the runs of triggers for changes of objects; jobs start them. Events of an object may arrive in any order, and
 * repeatedly: for each object all of its events are read, and processed in the order of their keys, which is that of
 * the changes.
 */
export const startTriggers: ChangeConsumer = {
  name: 'triggers',
  watches: [{ kind: triggerEventEntity.kind, actions: ['create'], needsData: false }],
  consume: async (changes, services) => {
    const objects = objectsByInstance(changes);
    await Promise.all(
      [...objects].map(([instance, ids]) => startFor(services, instance, [...ids])),
    );
  },
  // an event that cannot be processed must not stop later ones of its object
  whenGivenUp: ({ key }) => [deleteIfExists(key)],
};

function objectsByInstance(
  changes: readonly ItemChange[],
): ReadonlyMap<number, ReadonlySet<number>> {
  const found = new Map<number, Set<number>>();
  for (const { key } of changes) {
    const instance = instanceIn(key);
    const objects = found.get(instance) ?? new Set();
    found.set(instance, objects.add(placeOfEvent(key).object));
  }
  return found;
}

async function startFor(
  services: Services,
  instance: number,
  objects: readonly number[],
): Promise<void> {
  const { store } = services;
  const events = await Promise.all(
    objects.map((object) => triggerEventEntity.listAll(store, [instance, object])),
  );
  const ids = events.flat().flatMap(({ data }) => data.triggers);
  if (ids.length === 0) return;
  const distinct = [...new Set(ids)];
  const [found, room, first] = await Promise.all([
    triggerEntity.readAll(
      store,
      distinct.map((id) => [instance, id]),
    ),
    takeRoom(services, instance, ids.length),
    store.next(instanceCounter(instance, 'trace-trigger'), ids.length),
  ]);
  let trace = first;
  const planner = {
    services,
    instance,
    room,
    triggers: new Map(found.flatMap((item) => (item ? [[item.data.id, item.data]] : []))),
    nextTrace: () => {
      trace += 1;
      return trace - 1;
    },
  };
  const planAll = async (ofObject: readonly Stored<TriggerEventData>[]) => {
    for (const event of ofObject) await planRuns(planner, event);
  };
  await Promise.all(events.map(planAll));
}
