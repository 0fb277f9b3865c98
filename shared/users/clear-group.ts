import { type RewriteProgress, rewriteSome } from '../classes/rewrite-objects.ts';
import { afterRequests, type JobContext, type JobType, type StepResult } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import { retryOnConflict } from '../jobs/write-conflict.ts';
import { readTogether } from '../store/entity.ts';
import type { Stored } from '../store/store.ts';
import { deleteItem, updateItem } from '../store/writes.ts';
import { channelEntity } from '../table/entities/channels.ts';
import { classEntity } from '../table/entities/classes.ts';
import {
  deletedGroupsEntity,
  groupEntity,
  membershipEntity,
  userEntity,
} from '../table/entities/users.ts';
import type { ClassData } from '../table/records/records.ts';

/** Deleted group. */
export type DeletedGroup = { readonly instance: number; readonly group: number };

/** `at` is set after all members and channels are done. */
type Progress = DeletedGroup & RewriteProgress;

const stepSize = 100;

/**
 * Removes a deleted group from its members, channels, classes and objects (docs/reference/users-and-groups.md#deleting-a-group),
 * and then from the list of deleted groups, which hides it until then. It starts after the end of all requests that may
 * have read the group.
 */
export const clearGroup: JobType = {
  name: 'clear-group',
  step: afterRequests<Progress>(async (context, task) => {
    if (!(await isDeleted(context, task))) return 'done';
    if (task.at !== undefined) return clearClasses(context, task);
    const removed = await removeMembers(context, task);
    if (removed > 0) return { task };
    await clearChannels(context, task);
    return { task: { ...task, at: '' } };
  }),
};

/**
 * Checks whether the group is in the list of deleted groups. A job that was planned twice may run after the end of the
 * other one, when another group with the id may exist.
 */
async function isDeleted(context: JobContext, task: DeletedGroup): Promise<boolean> {
  const { instance, group } = task;
  const { list, living } = await readTogether(context.store, {
    list: deletedGroupsEntity.at(instance),
    living: groupEntity.at(instance, group),
  });
  const isListed = list?.data.groups.includes(group) === true;
  if (living === undefined) return isListed;
  if (isListed) await forget(context, task); // of a backup without snapshot
  return false;
}

async function removeMembers(
  context: JobContext,
  { instance, group }: DeletedGroup,
): Promise<number> {
  const some = { limit: stepSize };
  const { items: members } = await membershipEntity.list(context.store, [instance, group], some);
  await Promise.all(
    members.map((member) =>
      retryOnConflict(async () => {
        const user = await userEntity.read(context.store, instance, member.data.user);
        const groups = user?.data.groups.filter((id) => id !== group) ?? [];
        await maintain(context, [
          deleteItem(member),
          ...(user === undefined ? [] : [updateItem(user, { ...user.data, groups })]),
        ]);
      }),
    ),
  );
  return members.length;
}

/** Removes the group from the permissions of channels. */
async function clearChannels(context: JobContext, { instance, group }: DeletedGroup) {
  let after: string | undefined;
  do {
    const { items, last } = await channelEntity.list(context.store, [instance], {
      after,
      limit: stepSize,
    });
    for (const { data: found } of items.filter(({ data }) => data.group === group)) {
      await retryOnConflict(async () => {
        const current = await channelEntity.read(context.store, instance, found.name);
        if (current?.data.group !== group) return;
        await maintain(context, [updateItem(current, { ...current.data, group: null })]);
      });
    }
    after = last;
  } while (after !== undefined);
}

async function clearClasses(context: JobContext, task: Progress): Promise<StepResult> {
  const { instance, group } = task;
  const progress = await rewriteSome(context, {
    instance,
    progress: task,
    prepare: ({ data: { name } }) => withoutGroup(context, { instance, name }, group),
    change: (data) => (data.group === group ? { ...data, group: null } : undefined),
  });
  if (progress !== undefined) return { task: { ...task, ...progress } };
  await forget(context, { instance, group });
  return 'done';
}

/** Removes the group from a class's permissions; undefined: the class was deleted in the meantime. */
async function withoutGroup(
  context: JobContext,
  { instance, name }: { readonly instance: number; readonly name: string },
  group: number,
): Promise<Stored<ClassData> | undefined> {
  return retryOnConflict(async () => {
    const current = await classEntity.read(context.store, instance, name);
    if (current?.data.group !== group) return current;
    const data = { ...current.data, group: null };
    const version = await maintain(context, [updateItem(current, data)]);
    return { ...current, version, data };
  });
}

/** Removes the group from the list of deleted groups, once no record refers to it. */
async function forget(context: JobContext, { instance, group }: DeletedGroup): Promise<void> {
  await retryOnConflict(async () => {
    const deleted = await deletedGroupsEntity.read(context.store, instance);
    if (deleted === undefined) return;
    const groups = deleted.data.groups.filter((id) => id !== group);
    await maintain(context, [
      groups.length === 0 ? deleteItem(deleted) : updateItem(deleted, { groups }),
    ]);
  });
}
