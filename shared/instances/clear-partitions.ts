import { afterRequests, type JobContext, type JobType, type StepResult } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import type { Key, Stored } from '../store/store.ts';
import { deleteIfExists, deleteItem } from '../store/writes.ts';
import { instanceCounter, instanceCounters } from '../table/counters.ts';
import { instanceIn } from '../table/data-ids.ts';
import {
  emailEntity,
  invitedAccountEntity,
  invitedEmailEntity,
  memberEntity,
} from '../table/entities/accounts.ts';
import { dataEndpointEntity, dataEndpointPositionEntity } from '../table/entities/endpoints.ts';
import { adminEntity, invitationEntity } from '../table/entities/instances.ts';
import { pushConfigEntity, pushEndpointEntity } from '../table/entities/push.ts';
import {
  classItems,
  classPartitions,
  contentPartitions,
  isOwn,
  ownPartitions,
  partitionBelow,
} from '../table/partitions.ts';
import {
  type FileFolder,
  objectFiles,
  privateFiles,
  sourceFiles,
  thumbFiles,
  traceFiles,
} from '../values/file-keys.ts';
import type { JsonObject } from '../values/json/json.ts';
import { backupPauseMs, isBackedUp } from './active-backup.ts';

/*
 * The transaction that deletes a name makes its record unreachable; dependent items are deleted here. No request may
 * still write there: so the deletion starts after the end of all requests that had read the name.
 */

/** Deleted class. */
export type DeletedClass = { readonly instance: number; readonly classNumber: number };

/** Data id of a deleted instance, which has assigned the class numbers from 1 to `lastClass`. */
export type DeletedInstance = { readonly instance: number; readonly lastClass: number };

/** Deletes the objects of a deleted class, their unique values, their files, their count, and its data endpoints. */
export const clearClass: JobType = {
  name: 'clear-class',
  step: afterRequests<DeletedClass & ClearProgress>(async (context, task) => {
    const { instance, classNumber } = task;
    if (await isBackedUp(context, instance)) return { task, afterMs: backupPauseMs };
    const keys = classItems(instance, classNumber);
    const partitions = classPartitions(instance, classNumber);
    const files = [objectFiles, privateFiles, thumbFiles].map((folder) =>
      folder(instance, classNumber),
    );
    const result = await clear(context, task, { partitions, files, keys });
    if (result === 'done') await clearEndpoints(context, task);
    return result;
  }),
};

/** Deletes the data endpoints of a deleted class, which are no longer visible. */
async function clearEndpoints(context: JobContext, { instance, classNumber }: DeletedClass) {
  let after: string | undefined;
  do {
    const part = { after, limit: stepSize };
    const { items, last } = await dataEndpointEntity.list(context.store, [instance], part);
    for (const item of items) {
      if (item.data.classNumber !== classNumber) continue;
      const positionKey = dataEndpointPositionEntity.key(instance, item.data.row);
      await maintain(context, [deleteItem(item), deleteIfExists(positionKey)]);
    }
    after = last;
  } while (after !== undefined);
}

/** Deletes all items of a deleted instance, in its own partitions and in those of its members. Its backups stay. */
export const clearInstance: JobType = {
  name: 'clear-instance',
  step: afterRequests<DeletedInstance & ClearProgress>((context, task) => {
    const { instance, lastClass } = task;
    const keys = instanceCounters.map((what) => instanceCounter(instance, what));
    const partitions = [...contentPartitions(instance, lastClass), ...ownPartitions(instance)];
    return clear(context, task, { partitions, files: filesOf(instance), keys });
  }),
};

/** Data id that is no longer used, or was never: of a restore that has not ended well. */
export type UnusedData = { readonly instance: number; readonly lastClass: number };

/** Deletes all contents under a data id; what belongs to the instance itself remains. */
export const clearData: JobType = {
  name: 'clear-data',
  step: afterRequests<UnusedData & ClearProgress>((context, task) => {
    const { instance, lastClass } = task;
    const partitions = contentPartitions(instance, lastClass);
    return clear(context, task, { partitions, files: filesOf(instance), keys: [], isKept: isOwn });
  }),
};

/** Returns the folders of all files of contents. */
function filesOf(data: number): readonly FileFolder[] {
  return [objectFiles, privateFiles, thumbFiles, sourceFiles, traceFiles].map((folder) =>
    folder(data),
  );
}

interface Remains {
  readonly partitions: readonly string[];
  /** Folders of its files. */
  readonly files: readonly FileFolder[];
  /** Items to delete after all partitions. */
  readonly keys: readonly Key[];
  /** Checks whether an item remains; absent: none does. */
  readonly isKept?: (item: Stored) => boolean;
}

const stepSize = 100; // items at a time
const maxPartitions = 50; // empty ones that a step reads

/** Progress of the deletion. */
type ClearProgress = {
  /** Index of the next partition. */
  readonly at?: number;
};

async function clear(
  context: JobContext,
  task: JsonObject & ClearProgress,
  { partitions, files, keys, isKept }: Remains,
): Promise<StepResult> {
  const { at = 0 } = task;
  for (let next = at; next < Math.min(at + maxPartitions, partitions.length); next += 1) {
    const removed = await clearSome(context, partitions[next] ?? '', isKept);
    if (removed > 0) return { task: { ...task, at: next } };
  }
  if (at + maxPartitions < partitions.length) {
    return { task: { ...task, at: at + maxPartitions } };
  }
  await Promise.all(files.map((folder) => context.files.removeAll(folder)));
  await context.settled(); // otherwise a late change would count deleted items again
  await Promise.all(keys.map((key) => maintain(context, [deleteIfExists(key)])));
  return 'done';
}

/** Deletes some items of a partition, and returns their number: at most a hundred. */
export async function clearSome(
  context: JobContext,
  pk: string,
  isKept: (item: Stored) => boolean = () => false,
): Promise<number> {
  const items = await firstOf(context, pk, isKept);
  await Promise.all(
    items.map(async (item) => {
      const own = partitionBelow(item);
      if (own !== undefined && (await clearSome(context, own)) > 0) return; // it is deleted after the last of them
      await leavePushService(context, item);
      const others = await elsewhere(context, item);
      await maintain(context, [...others.map(deleteIfExists), deleteIfExists(item.key)]);
    }),
  );
  return items.length;
}

/** Reads some items of a partition that do not remain. */
async function firstOf({ store }: JobContext, pk: string, isKept: (item: Stored) => boolean) {
  for (let after: string | undefined; ; ) {
    const lower = after === undefined ? {} : { lower: { key: after, inclusive: false } };
    const { items, positions, more } = await store.query({ pk, ...lower, limit: stepSize });
    const found = items.filter((item) => !isKept(item));
    after = positions.at(-1);
    if (found.length > 0 || !more || after === undefined) return found;
  }
}

/** Deletes an item's endpoint or applications at the push service. */
async function leavePushService({ push }: JobContext, item: Stored): Promise<void> {
  if (pushEndpointEntity.matches(item)) await push.removeEndpoint(item.data.endpoint);
  if (!pushConfigEntity.matches(item)) return;
  for (const { application } of Object.values(item.data)) {
    if (application !== null) await push.closeApplication(application);
  }
}

/** Returns the keys of an item in the partitions of accounts. */
async function elsewhere({ store }: JobContext, item: Stored): Promise<readonly Key[]> {
  const instance = instanceIn(item.key);
  if (adminEntity.matches(item)) return [memberEntity.key(item.data.account, instance)];
  if (!invitationEntity.matches(item)) return [];
  const { email, id } = item.data;
  const owner = await emailEntity.read(store, email);
  const account = owner?.data.account;
  return [
    invitedEmailEntity.key(email, id),
    ...(account === undefined ? [] : [invitedAccountEntity.key(account, id)]),
  ];
}
