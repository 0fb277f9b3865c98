import type { JobContext, JobType, StepResult } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import { retryOnConflict } from '../jobs/write-conflict.ts';
import type { Entity, ListPart } from '../store/entity.ts';
import { jsonBytes } from '../store/exact-json.ts';
import type { Store } from '../store/store.ts';
import { updateItem } from '../store/writes.ts';
import {
  classCountEntity,
  classFileCountEntity,
  fileEntity,
  objectEntity,
} from '../table/entities/classes.ts';
import type { ClassCountData, RecountData } from '../table/records/class-counts.ts';
import { closePart, endPart, openMs } from './recounting.ts';
import { forgetUnknown } from './shard-positions.ts';

/** Class whose objects or files are counted again. */
export type RecountedClass = {
  readonly instance: number;
  readonly classNumber: number;
  /** Objects when absent. */
  readonly of?: 'objects' | 'files';
};

type Progress = RecountedClass & {
  /** Of the recount; absent before its first part. */
  readonly id?: string;
  /** The part that is open. */
  readonly part?: {
    readonly to?: string;
    /** Bytes of the items that were read, by sort key. */
    readonly read: Readonly<Record<string, number>>;
  };
  /** Largest number of items of a part; smaller after one in which too many changed. */
  readonly size?: number;
  /** Recounts that began again. */
  readonly rounds?: number;
};

const pageSize = 500;
const maxPart = 5000; // items of about 20 bytes each in the task of the job
const minPart = 500;
const retryMs = 600_000;
const maxRounds = 24;

/**
 * Counts the objects of a class, or their files, one by one, and replaces the count made from changes. It is exact
 * although the class is written to: recounting.ts. A recount that began again too often leaves the count as it is.
 */
export const recountClass: JobType = {
  name: 'recount-class',
  step: (context, stored) => {
    const task = stored as Progress; // as stored
    return task.part === undefined ? openPart(context, task) : addPart(context, task, task.part);
  },
};

/** Reads a part, which remains open for a while. */
async function openPart(context: JobContext, task: Progress): Promise<StepResult> {
  const { id = context.ids.random(), size = maxPart } = task;
  const after = await decide(context, task, (data) => {
    if (task.id === undefined) {
      // no longer requested, if an earlier job has counted the class
      return data.recountAt === undefined ? {} : { data: begin(data, id), result: '' };
    }
    const { recount } = data;
    if (recount?.id !== id) return {}; // another has begun
    return {
      data: { ...data, recount: { ...recount, part: { changed: {} } } },
      result: recount.after,
    };
  });
  if (after === undefined) return 'done';
  const { read, to } = await readPart(context.store, task, { after, size });
  await decide(context, task, (data) => {
    const { recount } = data;
    if (to === undefined || recount?.id !== id || recount.part === undefined) return {};
    return { data: { ...data, recount: { ...recount, part: endPart(recount.part, to) } } };
  });
  const part = { read, ...(to !== undefined && { to }) };
  return { task: { ...task, id, part }, afterMs: openMs };
}

function begin(data: ClassCountData, id: string): ClassCountData {
  const recount: RecountData = { id, after: '', count: 0, bytes: 0, part: { changed: {} } };
  return { ...forgetUnknown(data), recount };
}

/** Adds a part that was open for long enough, and continues or ends the recount. */
async function addPart(
  context: JobContext,
  { part: _, ...task }: Progress,
  { read, to }: NonNullable<Progress['part']>,
): Promise<StepResult> {
  const nowMs = context.clock.micros() / 1000;
  const result = await decide<StepResult>(context, task, ({ recount, ...data }) => {
    if (recount === undefined || recount.id !== task.id) return {}; // another has begun, or this one has ended
    if (recount.isLate || recount.part?.isFull) return repeat(context, task, { data, recount });
    if (recount.part === undefined) return { result: { task } }; // added before
    const counted = closePart(recount, read);
    if (to !== undefined) return { data: { ...data, recount: counted }, result: { task } };
    const { count, bytes } = counted;
    const at = data.shards && { recountedAt: nowMs };
    return { data: { ...endRecount(data), count, bytes, ...at } };
  });
  return result ?? 'done';
}

const tooBusy = 'a class was not counted again: it changes too fast';

function countedPartition({ instance, classNumber, of = 'objects' }: Progress) {
  return { instance, classNumber, of };
}

interface Running {
  readonly data: ClassCountData;
  readonly recount: RecountData;
}

/** Repeats a part in which too many items changed, or all after a late change; after many rounds nothing. */
function repeat(
  { log }: JobContext,
  task: Progress,
  { data, recount }: Running,
): Decision<StepResult> {
  const { rounds = 0, size = maxPart } = task;
  if (rounds >= maxRounds) {
    log({ level: 'info', message: tooBusy, ...countedPartition(task) });
    return { data: endRecount(data) };
  }
  const next = { rounds: rounds + 1 };
  if (recount.isLate)
    return { data, result: { task: { ...countedPartition(task), ...next }, afterMs: retryMs } };
  const smaller = Math.max(minPart, Math.floor(size / 2));
  const afterMs = size > minPart ? 0 : retryMs;
  return { result: { task: { ...task, ...next, size: smaller }, afterMs } };
}

function endRecount({ recountAt: _, ...data }: ClassCountData): ClassCountData {
  return data;
}

interface Decision<Result> {
  /** Data to write; absent: nothing is written. */
  readonly data?: ClassCountData;
  readonly result?: Result;
}

/** Changes the count of a class as it is at that moment. Returns undefined also where it was deleted. */
function decide<Result>(
  context: JobContext,
  { instance, classNumber, of = 'objects' }: RecountedClass,
  choose: (data: ClassCountData) => Decision<Result>,
): Promise<Result | undefined> {
  return retryOnConflict(async () => {
    const current = await counts[of].entity.read(context.store, instance, classNumber);
    if (current === undefined) return undefined;
    const { data, result } = choose(current.data);
    if (data !== undefined) await maintain(context, [updateItem(current, data)]);
    return result;
  });
}

interface PartToRead {
  readonly after: string;
  readonly size: number;
}

/** Reads items after a sort key. Returns their bytes, and the last key if there are more. */
async function readPart(
  store: Store,
  { instance, classNumber, of = 'objects' }: RecountedClass,
  { after, size }: PartToRead,
): Promise<NonNullable<Progress['part']>> {
  const read: Record<string, number> = {};
  let to = after === '' ? undefined : after;
  for (let rest = size; rest > 0; rest -= pageSize) {
    const part = { after: to, limit: Math.min(rest, pageSize) };
    const page = await counts[of].read(store, [instance, classNumber], part);
    Object.assign(read, page.sizes);
    to = page.last;
    if (to === undefined) return { read };
  }
  return { read, ...(to !== undefined && { to }) };
}

const counts = {
  objects: { entity: classCountEntity, read: sizesOf(objectEntity, jsonBytes) },
  files: { entity: classFileCountEntity, read: sizesOf(fileEntity, ({ bytes }) => bytes) },
} as const;

/** Returns the function that reads some items of a class, and returns their bytes by sort key. */
function sizesOf<Data extends object>(
  { list }: Entity<Data, never, [instance: number, classNumber: number]>,
  bytesOf: (data: Data) => number,
) {
  return async (store: Store, range: [number, number], part: ListPart<Data>) => {
    const { items, last } = await list(store, range, part);
    return {
      sizes: Object.fromEntries(items.map(({ key, data }) => [key.sk, bytesOf(data)])),
      last,
    };
  };
}
