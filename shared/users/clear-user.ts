import { createCaches } from '../core/routing/caches.ts';
import { afterRequests, type JobContext, type JobType, type StepResult } from '../jobs/jobs.ts';
import { cascade, maintain } from '../jobs/maintain.ts';
import { unlessConflict } from '../jobs/write-conflict.ts';
import { saveCallIn } from '../objects/save-call.ts';
import { planRemove } from '../objects/save-object.ts';
import { removeDevices } from '../push/clear-devices.ts';
import { readTogether } from '../store/entity.ts';
import type { Stored } from '../store/store.ts';
import { deleteIfExists, deleteItem } from '../store/writes.ts';
import { classEntity, objectEntity } from '../table/entities/classes.ts';
import { deletedUserEntity, userEntity, userSocialEntity } from '../table/entities/users.ts';
import { idKey } from '../table/key-parts.ts';
import type { ClassData } from '../table/records/records.ts';
import { clearSessions } from './sessions/user-sessions.ts';

/** Deleted user. */
export type DeletedUser = { readonly instance: number; readonly user: number };

/** Task of {@link clearUser}. */
export type ClearUserTask = DeletedUser & {
  /** Whether the user has a record as a deleted one: absent in jobs of version 0.1. */
  readonly isRecorded?: true;
};

type Progress = ClearUserTask & {
  /** Set after all devices and sessions are deleted; sort key of the class whose objects are next, empty before the first. */
  readonly at?: string;
  /** Set after all objects are deleted; sort key of the last identity that was read, empty before the first. */
  readonly social?: string;
};

const stepSize = 100;

/**
 * Deletes the devices and objects that a deleted user owned (docs/reference/users-and-groups.md#deleting-a-user), its
 * sessions, and its identities at other services, and then its record as a deleted user. It starts after the end of all
 * requests that may have read the user.
 */
export const clearUser: JobType = {
  name: 'clear-user',
  step: afterRequests<Progress>(async (context, task) => {
    if (await isCleared(context, task)) return 'done';
    if (task.social !== undefined) return removeIdentities(context, task, task.social);
    if (task.at !== undefined) return removeObjects(context, task, task.at);
    if ((await removeDevices(context, task)) > 0) return { task };
    await clearSessions(context, task);
    return { task: { ...task, at: '' } };
  }),
};

/**
 * Checks whether nothing is left to clear. A job that was planned twice may run after the end of the other one, when
 * another user with the id may exist.
 */
async function isCleared(
  context: JobContext,
  { instance, user, isRecorded }: Progress,
): Promise<boolean> {
  const { deleted, living } = await readTogether(context.store, {
    deleted: deletedUserEntity.at(instance, user),
    living: userEntity.at(instance, user),
  });
  if (living === undefined) return isRecorded === true && deleted === undefined;
  // a backup without snapshot may have the user and, of a moment before or after, the record
  if (deleted !== undefined) await maintain(context, [deleteItem(deleted)]);
  return true;
}

async function removeObjects(
  context: JobContext,
  progress: Progress,
  at: string,
): Promise<StepResult> {
  const { instance, user } = progress;
  for (const current of await classEntity.listAll(context.store, [instance])) {
    if (current.key.sk < at) continue;
    if ((await removeSome(context, { instance, user }, current)) > 0) {
      return { task: { ...progress, at: current.key.sk } };
    }
  }
  return { task: { ...progress, social: '' } };
}

/** Deletes some of the user's objects in a class, and returns their number. */
async function removeSome(
  context: JobContext,
  { instance, user }: DeletedUser,
  current: Stored<ClassData>,
): Promise<number> {
  const { items } = await objectEntity.list(context.store, [instance, current.data.number], {
    index: 'owned',
    lower: { key: idKey(user), inclusive: true },
    upper: { key: `${idKey(user)}:`, inclusive: false }, // ':' follows '9'
    limit: stepSize,
  });
  const settled = () => Promise.resolve();
  const by = {
    platform: { ...context, changes: { settled } },
    caches: createCaches(context.files),
    actor: { kind: 'anonymous' } as const,
  };
  const call = saveCallIn(by, instance, current);
  await Promise.all(
    items.map(async (item) => {
      const { writes } = await planRemove(call, item);
      await unlessConflict(cascade(context, writes)); // after a write conflict the next step finds it again
    }),
  );
  return items.length;
}

async function removeIdentities(
  context: JobContext,
  progress: Progress,
  after: string,
): Promise<StepResult> {
  const { instance, user } = progress;
  const some = { after: after || undefined, limit: stepSize };
  const { items, last } = await userSocialEntity.list(context.store, [instance], some);
  const theirs = items.filter(({ data }) => data.user === user);
  await Promise.all(
    theirs.map((item) => unlessConflict(maintain(context, [deleteItem(item)]))), // now another user's
  );
  if (last !== undefined) return { task: { ...progress, social: last } };
  await maintain(context, [deleteIfExists(deletedUserEntity.key(instance, user))]);
  return 'done';
}
