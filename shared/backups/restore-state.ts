import { clearData } from '../instances/clear-partitions.ts';
import { type JobContext, newJob, type StepResult } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import { retryOnConflict } from '../jobs/write-conflict.ts';
import { readTogether } from '../store/entity.ts';
import type { Key, Stored } from '../store/store.ts';
import { deleteIfExists, updateItem } from '../store/writes.ts';
import { backupReaderEntity } from '../table/entities/accounts.ts';
import { classEntity } from '../table/entities/classes.ts';
import {
  activeRestoreEntity,
  classNumbersEntity,
  instanceEntity,
  instanceNameEntity,
  restoreEntity,
} from '../table/entities/instances.ts';
import type { BackupStatus, RestoreData } from '../table/records/backups.ts';
import type {
  ClassData,
  ClassNumbersData,
  InstanceData,
  InstanceNameData,
} from '../table/records/records.ts';
import { restoredData } from '../values/keys/data-ids.ts';
import { timestamp } from '../values/timestamp.ts';
import type { Sums } from './restore-items.ts';
import type { CounterIds } from './restored-ids.ts';

/** Task of a restore. */
export type RestoreTask = {
  /** Instance id. */
  readonly instance: number;
  readonly restore: number;
  /** Account that made the backup. */
  readonly account: number;
  readonly backup: number;
  readonly phase: 'fill' | 'close' | 'keys' | 'switch';
  /** Next chunk of the archive. */
  readonly chunk: number;
  readonly counts: Sums;
  /** The instance that was backed up, if another one is restored. */
  readonly origin?: number;
  /** Lineage of the contents of the backup. */
  readonly lineage?: number;
  /** Whether the other instance had the owner of this one: push credentials and aliases come along. */
  readonly isOfOwner?: boolean;
  /** Whether a push credential could not be read. */
  readonly hasLostCredentials?: true;
  /** The highest ids that were restored, by counter; where ids of this instance may be lower. */
  readonly ids?: CounterIds;
  /** Microseconds when the instance was closed. */
  readonly since?: number;
  /** Sort key of the last record whose key was compared. */
  readonly after?: string;
  readonly isOfEndpoints?: boolean;
};

/** Returns the data id that a restore fills. */
export function dataOf({ instance, restore }: RestoreTask): number {
  return restoredData(instance, restore);
}

/**
 * Checks whether a restored record is the one of the same id that the instance has now, or a former one: if so, it
 * keeps its key. Otherwise the holder of a key would act as the wrong user.
 */
export function keepsKeys(
  { origin, lineage }: RestoreTask,
  { instanceRecord }: DataPointers,
): boolean {
  return origin === undefined && lineage === instanceRecord.data.lineage;
}

/** Returns the keys of the records of an active restore. */
export function activeKeys({ instance, account, backup }: RestoreTask): readonly Key[] {
  return [activeRestoreEntity.key(instance), backupReaderEntity.key(account, backup, instance)];
}

/** The records that contain the data id of an instance, and its class numbers. */
export interface DataPointers {
  readonly instanceRecord: Stored<InstanceData>;
  readonly pointer: Stored<InstanceNameData>;
  readonly numbers: Stored<ClassNumbersData>;
}

const maxRenames = 10; // while the records are read

/** Reads the records with the data id; undefined for a deleted instance. */
export async function readPointers(
  { store }: JobContext,
  instance: number,
): Promise<DataPointers | undefined> {
  for (let tries = 0; tries < maxRenames; tries += 1) {
    const instanceRecord = await instanceEntity.read(store, instance);
    if (instanceRecord === undefined) return undefined;
    const { pointer, numbers } = await readTogether(store, {
      pointer: instanceNameEntity.at(instanceRecord.data.name),
      numbers: classNumbersEntity.at(instanceRecord.data.name),
    });
    if (pointer?.data.instance === instance && numbers) return { instanceRecord, pointer, numbers };
  }
  throw new Error('the name of the instance does not lead to it');
}

/** Changes the record of a restore. */
export async function changeRestore(
  context: JobContext,
  { instance, restore }: RestoreTask,
  changes: Partial<RestoreData>,
): Promise<void> {
  await retryOnConflict(async () => {
    const record = await restoreEntity.read(context.store, instance, restore);
    if (record === undefined) return; // deleted with its instance
    const updated_at = timestamp(context.clock.micros());
    await maintain(context, [updateItem(record, { ...record.data, ...changes, updated_at })]);
  });
}

/** Opens or closes an instance to requests that may write. */
export async function setClosed(
  context: JobContext,
  instance: number,
  isClosed: boolean,
): Promise<void> {
  await retryOnConflict(async () => {
    const found = await readPointers(context, instance);
    if (found === undefined || (found.pointer.data.isClosed === true) === isClosed) return;
    const { isClosed: _, ...data } = found.pointer.data;
    const changed: InstanceNameData = { ...data, ...(isClosed && { isClosed: true }) };
    await maintain(context, [updateItem(found.pointer, changed)]);
  });
}

/** Ends a restore that has not succeeded: the instance keeps its contents, and what was restored is deleted. */
export async function giveUp(
  context: JobContext,
  task: RestoreTask,
  status: BackupStatus,
  status_info: string,
): Promise<StepResult> {
  const found = await readPointers(context, task.instance);
  await setClosed(context, task.instance, false);
  await changeRestore(context, task, { status, status_info });
  const classes = await classEntity.listAll(context.store, [dataOf(task)]);
  const lastClass = lastClassOf(task.counts, found?.numbers.data.last ?? 0, classes);
  await maintain(context, [
    ...activeKeys(task).map(deleteIfExists),
    newJob(context, clearData, { instance: dataOf(task), lastClass }),
  ]);
  return 'done';
}

/** Returns the highest number of a class that was restored, or that the instance has used. */
export function lastClassOf(
  counts: Sums,
  used: number,
  classes: readonly Stored<ClassData>[],
): number {
  const restored = classes.map(({ data }) => data.number);
  return Math.max(used, ...restored, ...Object.keys(counts).map(Number));
}
