import {
  type ChangeConsumer,
  type ItemChange,
  type Services,
  storeDeadLetter,
} from '../jobs/change-feed.ts';
import { newJob } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import { waitWhileSuspended } from '../jobs/while-suspended.ts';
import { unlessConflict } from '../jobs/write-conflict.ts';
import type { Stored } from '../store/store.ts';
import { createItem, deleteIfExists, deleteItem, updateItem } from '../store/writes.ts';
import { instanceCounter } from '../table/counters.ts';
import { instanceIn } from '../table/data-ids.ts';
import { eventOfKey, triggerEntity, triggerEventEntity } from '../table/entities/scripts.ts';
import type { TriggerEventData } from '../table/records/triggers.ts';
import { isTransient } from '../values/errors/transient.ts';
import { allSettled } from '../values/promises/all-settled.ts';
import { planRuns, type RunPlanner, returnRoom, takeRoom } from './planned-runs.ts';

const name = 'triggers';
const maxFailures = 5; // fewer than a delivery has attempts: no other change of the object is given up

/** Plans the runs of an object's events after their delivery has failed. */
export const catchUp = waitWhileSuspended({
  name: 'start-triggers',
  step: async (context, task) => {
    const { instance, object } = task as EventObject; // as stored
    await startFor(context, instance, [object]);
    return 'done';
  },
});

type EventObject = { readonly instance: number; readonly object: number };

/**
 * Plans the runs of triggers for changes of objects; jobs start them. Events of an object may arrive in any order, and
 * repeatedly: for each object all of its events are read, and processed in the order of their keys, which is that of
 * the changes.
 */
export const startTriggers: ChangeConsumer = {
  name,
  watches: [{ kind: triggerEventEntity.kind, actions: ['create'], needsData: false }],
  consume: async (changes, services) => {
    const objects = objectsByInstance(changes);
    // waits also if some fail: a repeated delivery must not run at the same time
    await allSettled([...objects].map(([instance, ids]) => startFor(services, instance, [...ids])));
  },
  whenGivenUp: ({ key }, services) => {
    const { object } = eventOfKey(key);
    return [newJob(services, catchUp, { instance: instanceIn(key), object })];
  },
  replay: async (change, services) => {
    const { after } = change;
    // without data, the item of the event is still there
    if (after !== undefined && triggerEventEntity.matches(after) && 'triggers' in after.data) {
      await replayEvent(after, services);
    } else await startTriggers.consume([change], services);
  },
};

function objectsByInstance(
  changes: readonly ItemChange[],
): ReadonlyMap<number, ReadonlySet<number>> {
  const found = new Map<number, Set<number>>();
  for (const { key } of changes) {
    const instance = instanceIn(key);
    const objects = found.get(instance) ?? new Set();
    found.set(instance, objects.add(eventOfKey(key).object));
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
  const [found, first] = await Promise.all([
    triggerEntity.readAll(
      store,
      distinct.map((id) => [instance, id]),
    ),
    store.next(instanceCounter(instance, 'trace-trigger'), ids.length),
  ]);
  const room = await takeRoom(services, instance, ids.length); // last: a delivery that fails before takes none
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
    for (const event of ofObject) await planOrSkip(planner, event);
  };
  try {
    await allSettled(events.map(planAll));
  } catch (error) {
    await returnRoom(services, instance, room);
    throw error;
  }
}

/**
 * Plans the runs of an event. One that fails again and again becomes a dead letter: it must not stop later events of its
 * object.
 */
async function planOrSkip(planner: RunPlanner, event: Stored<TriggerEventData>): Promise<void> {
  try {
    await planRuns(planner, event);
  } catch (error) {
    if (isTransient(error)) throw error; // it is no fault of the event
    await countFailure(planner.services, event, error);
  }
}

/** Throws the error again, unless the event is gone: its runs were planned and the response was lost, or it is given up. */
async function countFailure(
  services: Services,
  event: Stored<TriggerEventData>,
  error: unknown,
): Promise<void> {
  const { key, kind } = event;
  const { object, order } = eventOfKey(key);
  const current = await triggerEventEntity.read(services.store, instanceIn(key), object, order);
  if (current === undefined) return;
  const { data } = current; // some of its runs may have been planned
  const failures = (data.failures ?? 0) + 1;
  if (failures < maxFailures) {
    const counted = maintain(services, [updateItem(current, { ...data, failures })]);
    if ((await unlessConflict(counted)) === undefined) return;
    throw error;
  }
  const cause = { actor: {}, cause: 'client', depth: data.depth } as const;
  const change = { position: '', key, kind, change: cause, after: current };
  await unlessConflict(
    storeDeadLetter(services, { change, consumer: name, error }, [deleteItem(current)]),
  );
}

/**
 * Plans the runs of an event that was given up, whose item was deleted. Later events of the object may have been
 * processed. After an error it is deleted again: it must not stop later ones.
 */
async function replayEvent(event: Stored<TriggerEventData>, services: Services): Promise<void> {
  const { key, data } = event;
  const { object } = eventOfKey(key);
  const { failures: _, ...unfailed } = data;
  await maintain(services, [createItem(triggerEventEntity, key, unfailed)]);
  try {
    await startFor(services, instanceIn(key), [object]);
  } catch (error) {
    await maintain(services, [deleteIfExists(key)]);
    throw error;
  }
}
