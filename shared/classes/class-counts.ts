import type { ChangeConsumer, DataSize, ItemChange, Services, Watch } from '../jobs/change-feed.ts';
import { newJob } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import { retryOnConflict } from '../jobs/write-conflict.ts';
import {
  classCountEntity,
  classFileCountEntity,
  fileEntity,
  objectEntity,
  placeOfObject,
} from '../store/entities.ts';
import { jsonBytes } from '../store/exact-json.ts';
import type { ClassCountData } from '../store/records/records.ts';
import type { Stored } from '../store/store.ts';
import { createOrUpdate } from '../store/writes.ts';
import { recountClass } from './recount-class.ts';

const recountMs = 86_400_000;

interface Counted {
  readonly name: string;
  readonly watch: Watch;
  readonly entity: typeof classCountEntity;
  /** Items that are counted again, as in the data of the job. */
  readonly of: 'objects' | 'files';
  /** Whether changes of a class may arrive out of order. */
  readonly isRecounted: boolean;
}

const objects = {
  name: 'class counts',
  watch: { kind: objectEntity.kind, actions: ['create', 'update', 'delete'], needsData: false },
  entity: classCountEntity,
  of: 'objects',
} as const;

const files = {
  name: 'class file counts',
  watch: { kind: fileEntity.kind, actions: ['create', 'delete'] },
  entity: classFileCountEntity,
  of: 'files',
} as const;

/**
 * Counts the objects of classes and their bytes, each class in a separate item
 * (docs/reference/classes.md#objects_count).
 */
export const classCounts: ChangeConsumer = counter({ ...objects, isRecounted: false });

/** Counts the files of classes and their bytes in the same way. */
export const classFileCounts: ChangeConsumer = counter({ ...files, isRecounted: false });

/**
 * Counts objects if changes of a class may arrive out of order, so that one may be missed: a class that changes is
 * counted again a day later.
 */
export const recountedClassCounts: ChangeConsumer = counter({ ...objects, isRecounted: true });

/** Counts files in the same way. */
export const recountedClassFileCounts: ChangeConsumer = counter({ ...files, isRecounted: true });

function counter(counted: Counted): ChangeConsumer {
  return {
    name: counted.name,
    watches: [counted.watch],
    isAwaited: true,
    consume: async (changes, services) => {
      const byClass = new Map<string, ItemChange[]>();
      for (const change of changes) {
        const ofClass = byClass.get(change.key.pk);
        if (ofClass === undefined) byClass.set(change.key.pk, [change]);
        else ofClass.push(change);
      }
      await Promise.all([...byClass.values()].map((ofClass) => count(services, ofClass, counted)));
    },
    replay: async (change, services) => {
      await count(services, [change], counted); // ignored if later changes were counted
      const { instance, classNumber } = placeOfObject(change.key);
      const task = { instance, classNumber, of: counted.of };
      await maintain(services, [newJob(services, recountClass, task)]);
    },
  };
}

type Numbers = Pick<ClassCountData, 'count' | 'bytes'>;

/** Adds changes to the known counts; unknown bytes stay unknown. */
function add(known: Numbers, changes: readonly ItemChange[]): Numbers {
  let { count: items, bytes = Number.NaN } = known;
  for (const { before, after } of changes) {
    items += Number(after !== undefined) - Number(before !== undefined);
    bytes += sizeOf(after) - sizeOf(before);
  }
  return { count: items, ...(!Number.isNaN(bytes) && { bytes }) };
}

/**
 * Returns the bytes of an object or a file. An object has its data if another consumer needs them. NaN in a change left
 * by an older version.
 */
function sizeOf(item: Stored | undefined): number {
  if (item === undefined) return 0;
  if ('values' in item.data) return jsonBytes(item.data);
  const { bytes = Number.NaN } = item.data as Partial<DataSize>;
  return bytes;
}

const none: ClassCountData = { count: 0, bytes: 0, position: '' };

/** Counts the changes of one class in one write, and no change twice. */
async function count(
  services: Services,
  changes: readonly ItemChange[],
  { entity, of, isRecounted }: Counted,
): Promise<void> {
  const [first] = changes;
  const last = changes.at(-1);
  if (first === undefined || last === undefined) return;
  const { instance, classNumber } = placeOfObject(first.key);
  const key = entity.key(instance, classNumber);
  await retryOnConflict(async () => {
    const current = await entity.read(services.store, instance, classNumber);
    const known = current?.data ?? none;
    const fresh = changes.filter((change) => change.position > known.position);
    const sum = add(known, fresh);
    // Objects of a class whose count was deleted are being deleted themselves.
    if (fresh.length === 0 || (current === undefined && sum.count <= 0)) return;
    const recountAt = recountTime(services, known, { sum, isRecounted });
    const data: ClassCountData = {
      position: last.position,
      ...sum,
      ...(recountAt !== undefined && { recountAt }),
    };
    const isNew = recountAt !== undefined && known.recountAt === undefined;
    const task = { instance, classNumber, of };
    await maintain(services, [
      createOrUpdate(entity, { key, current }, data),
      ...(isNew ? [newJob(services, recountClass, task, recountAt)] : []),
    ]);
  });
}

/** Returns the time of the next recount in epoch milliseconds: now if an older version counted no bytes. */
function recountTime(
  { clock }: Services,
  { recountAt }: ClassCountData,
  { sum, isRecounted }: { readonly sum: Numbers; readonly isRecounted: boolean },
): number | undefined {
  const nowMs = clock.micros() / 1000;
  if (recountAt !== undefined) return recountAt;
  if (sum.bytes === undefined) return nowMs;
  return isRecounted ? nowMs + recountMs : undefined;
}
