import type {
  ChangeConsumer,
  ChangeFilter,
  DataSize,
  ItemChange,
  Services,
} from '../jobs/change-feed.ts';
import { newJob } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import { retryOnConflict } from '../jobs/write-conflict.ts';
import { jsonBytes } from '../store/exact-json.ts';
import type { Stored } from '../store/store.ts';
import { createOrUpdate } from '../store/writes.ts';
import {
  classCountEntity,
  classEntity,
  classFileCountEntity,
  fileEntity,
  objectEntity,
  objectOfKey,
} from '../table/entities/classes.ts';
import type { ClassCountData, RecountData } from '../table/records/class-counts.ts';
import { recountClass } from './recount-class.ts';
import { followRecount, hasLate } from './recounting.ts';
import { findNew, type NewChanges } from './shard-positions.ts';

/** Time before a recount whose cause is that changes may still be repeated, or arrive late. */
const calmMs = 900_000;

interface Counted {
  readonly name: string;
  readonly watch: ChangeFilter;
  readonly entity: typeof classCountEntity;
  /** Items that are counted again, as in the data of the job. */
  readonly of: 'objects' | 'files';
}

/**
 * Counts the objects of classes and their bytes, each class in a separate item
 * (docs/reference/classes.md#objects_count).
 */
export const classCounts: ChangeConsumer = counter({
  name: 'class counts',
  watch: { kind: objectEntity.kind, actions: ['create', 'update', 'delete'], needsData: false },
  entity: classCountEntity,
  of: 'objects',
});

/** Counts the files of classes and their bytes in the same way. */
export const classFileCounts: ChangeConsumer = counter({
  name: 'class file counts',
  watch: { kind: fileEntity.kind, actions: ['create', 'delete'] },
  entity: classFileCountEntity,
  of: 'files',
});

function counter(counted: Counted): ChangeConsumer {
  return {
    name: counted.name,
    watches: [counted.watch],
    isAwaited: true,
    needsShardOrder: true,
    consume: async (changes, services) => {
      const byClass = new Map<string, ItemChange[]>();
      for (const change of changes) {
        const shardKey = `${change.key.pk} ${change.shard}`;
        const ofClass = byClass.get(shardKey);
        if (ofClass === undefined) byClass.set(shardKey, [change]);
        else ofClass.push(change);
      }
      await Promise.all([...byClass.values()].map((ofClass) => count(services, ofClass, counted)));
    },
    // whether its change was counted is unknown by then
    replay: (change, services) => requestRecount(services, change, counted),
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
  { entity, of }: Counted,
): Promise<void> {
  const [first] = changes;
  if (first === undefined) return;
  const { instance, classNumber } = objectOfKey(first.key);
  const key = entity.key(instance, classNumber);
  await retryOnConflict(async () => {
    const current = await entity.read(services.store, instance, classNumber);
    const known = current?.data ?? none;
    const nowMs = services.clock.micros() / 1000;
    const found = findNew(known, changes, nowMs);
    if (found === undefined) return;
    if (current === undefined && (await isOfDeleted(services, found.changes, nowMs))) return;
    const data = countNew(known, found, nowMs);
    const isRequested = data.recountAt !== known.recountAt;
    const task = { instance, classNumber, of };
    await maintain(services, [
      createOrUpdate(entity, { key, current }, data),
      ...(isRequested ? [newJob(services, recountClass, task, data.recountAt)] : []),
    ]);
  });
}

/** A class is cleared a minute after the last request that wrote to it: changes that arrive later are older than this. */
const clearedMs = 20_000;

/** Checks whether changes are of a class that was deleted, and whose count was deleted with its objects. */
async function isOfDeleted(
  { store }: Services,
  changes: readonly ItemChange[],
  nowMs: number,
): Promise<boolean> {
  const [first] = changes;
  if (first === undefined || changes.every(({ before }) => before !== undefined)) return true; // it had a count
  if (changes.every(({ at = nowMs }) => nowMs - at < clearedMs)) return false;
  const { instance, classNumber } = objectOfKey(first.key);
  const classes = await classEntity.listAll(store, [instance]);
  return classes.every(({ data }) => data.number !== classNumber);
}

function countNew(known: ClassCountData, found: NewChanges, nowMs: number): ClassCountData {
  const { position, shards } = found.positions;
  const { count: items, bytes } = add(known, found.changes);
  const isLate = found.isDoubtful || hasLate(known, found.changes, nowMs);
  const hasBytes = bytes !== undefined;
  const recountAt = known.recountAt ?? recountTime(found, known, { hasBytes, isLate, nowMs });
  const { recountedAt, recount } = known;
  const isSplit = found.isSplit || known.isSplit;
  return {
    position,
    count: items,
    ...(hasBytes && { bytes }),
    ...(shards && { shards }),
    ...(isSplit && { isSplit }),
    ...(recountAt !== undefined && { recountAt }),
    ...(recountedAt !== undefined && { recountedAt }),
    ...(recount && { recount: follow(recount, found.changes, isLate) }),
  };
}

interface Doubts {
  /** False: an older version counted no bytes. */
  readonly hasBytes: boolean;
  readonly isLate: boolean;
  readonly nowMs: number;
}

/**
 * Returns the time of a recount in epoch milliseconds; undefined where the count is exact. A class is counted again once
 * it is in two shards, which older versions did not count, and after a restore of the table.
 */
function recountTime(
  { isSplit, isMoved }: Pick<NewChanges, 'isSplit' | 'isMoved'>,
  known: Pick<ClassCountData, 'isSplit'>,
  { hasBytes, isLate, nowMs }: Doubts,
): number | undefined {
  if (isLate) return nowMs + calmMs;
  if (!hasBytes || isMoved) return nowMs;
  return isSplit && known.isSplit === undefined ? nowMs : undefined;
}

function follow(
  recount: RecountData,
  changes: readonly ItemChange[],
  isLate: boolean,
): RecountData {
  const sized = changes.map(({ key, before, after }) => ({
    sk: key.sk,
    before: before && sizeOf(before),
    after: after && sizeOf(after),
  }));
  return { ...followRecount(recount, sized), ...(isLate && { isLate }) };
}

/** Has a class counted again that a change was not counted of: now, or from the start if a recount runs. */
async function requestRecount(
  services: Services,
  { key: { pk, sk }, after }: ItemChange,
  { entity, of }: Counted,
): Promise<void> {
  const { instance, classNumber } = objectOfKey({ pk, sk });
  const key = entity.key(instance, classNumber);
  await retryOnConflict(async () => {
    const current = await entity.read(services.store, instance, classNumber);
    if (current === undefined && after === undefined) return; // the class was deleted
    const { recount, ...known } = current?.data ?? none;
    if (recount !== undefined) {
      const data = { ...known, recount: { ...recount, isLate: true as const } };
      await maintain(services, [createOrUpdate(entity, { key, current }, data)]);
      return;
    }
    const recountAt = services.clock.micros() / 1000;
    if (known.recountAt !== undefined && known.recountAt <= recountAt) return; // its job is due
    await maintain(services, [
      createOrUpdate(entity, { key, current }, { ...known, recountAt }),
      newJob(services, recountClass, { instance, classNumber, of }, recountAt),
    ]);
  });
}
