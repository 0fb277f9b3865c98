import { as, classCountEntity, objectEntity, placeOfObject } from '../store/entities.ts';
import { insert, replace } from '../store/writes.ts';
import type { ChangeConsumer, ItemChange, Services } from './changes.ts';
import { retryLostRace } from './lost-race.ts';
import { maintain } from './maintain.ts';
import { recountClass } from './recount-class.ts';
import { newWork } from './work.ts';

const recountMs = 86_400_000;

/** Counts the objects of classes, each class in an item of its own (reference: objects_count). */
export const classCounts: ChangeConsumer = counter(false);

/**
 * The same where changes of a class may come in another order than they were made, so that one may be missed: a
 * class that changes is counted anew a day later.
 */
export const recountedClassCounts: ChangeConsumer = counter(true);

function counter(isRecounted: boolean): ChangeConsumer {
  return {
    name: 'class counts',
    watches: [{ kind: objectEntity.kind, actions: ['create', 'delete'], needsData: false }],
    consume: async (changes, services) => {
      const byClass = new Map<string, ItemChange[]>();
      for (const change of changes) {
        const ofClass = byClass.get(change.key.pk);
        if (ofClass === undefined) byClass.set(change.key.pk, [change]);
        else ofClass.push(change);
      }
      await Promise.all(
        [...byClass.values()].map((ofClass) => count(services, ofClass, isRecounted)),
      );
    },
  };
}

function difference({ before, after }: ItemChange): number {
  return Number(after !== undefined) - Number(before !== undefined);
}

/** Counts changes of one class in, all at once, and no change twice. */
async function count(
  services: Services,
  changes: readonly ItemChange[],
  isRecounted: boolean,
): Promise<void> {
  const [first] = changes;
  const last = changes.at(-1);
  if (first === undefined || last === undefined) return;
  const { instance, classNumber } = placeOfObject(first.key);
  const key = classCountEntity.key(instance, classNumber);
  await retryLostRace(async () => {
    const [item] = await services.store.get([key]);
    const current = as(classCountEntity, item);
    const { count: known, position } = current?.data ?? { count: 0, position: '' };
    const fresh = changes.filter((change) => change.position > position);
    const total = fresh.reduce((sum, change) => sum + difference(change), known);
    // Objects of a class whose count was cleared away are being cleared away themselves.
    if (fresh.length === 0 || (current === undefined && total <= 0)) return;
    const { recountAt = services.clock.micros() / 1000 + recountMs } = current?.data ?? {};
    const data = {
      ...{ count: total, position: last.position },
      ...(isRecounted && { recountAt }),
    };
    const recounts = isRecounted && current?.data.recountAt === undefined;
    await maintain(services, [
      current === undefined ? insert(classCountEntity, key, data) : replace(current, data),
      ...(recounts ? [newWork(services, recountClass, { instance, classNumber }, recountAt)] : []),
    ]);
  });
}
