import { compileClass } from '../classes/rules/compiled-class.ts';
import { afterCalls, type JobContext, type JobType, type StepResult } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import { retryOnConflict } from '../jobs/write-conflict.ts';
import { allUnder } from '../store/all-under.ts';
import {
  as,
  classEntity,
  classPrefix,
  deletedGroupsEntity,
  membershipEntity,
  objectEntity,
  userEntity,
} from '../store/entities.ts';
import { itemsAfter } from '../store/items-after.ts';
import { objectIndexes } from '../store/object-indexes.ts';
import type { ClassData, ObjectData } from '../store/records/records.ts';
import type { Stored } from '../store/store.ts';
import { remove, replace } from '../store/writes.ts';
import type { JsonObject } from '../values/json/json.ts';

/** Deleted group. */
export type DeletedGroup = { readonly instance: number; readonly group: number };

type Progress = DeletedGroup & {
  /**
   * Set after all members are removed; sort key of the class whose objects are next. `last` is that of the last object
   * read.
   */
  readonly at?: string;
  readonly last?: string;
};

const stepSize = 100;

/**
 * Removes a deleted group from its members, classes and objects (docs/reference/users-and-groups.md#deleting-a-group),
 * and then from the list of deleted groups, which hides it until then. It starts after the end of all requests that may
 * have read the group.
 */
export const clearGroup: JobType = {
  name: 'clear-group',
  step: afterCalls<Progress>(async (context, task) => {
    if (task.at !== undefined) return clearClasses(context, task, task.at);
    const removed = await removeMembers(context, task);
    return { task: { ...task, ...(removed === 0 && { at: '' }) } };
  }),
};

async function removeMembers(
  context: JobContext,
  { instance, group }: DeletedGroup,
): Promise<number> {
  const { pk } = membershipEntity.key(instance, group, 0);
  const { items } = await context.store.query({ pk, limit: stepSize });
  const members = items.map((item) => as(membershipEntity, item));
  await Promise.all(
    members.map((member) =>
      retryOnConflict(async () => {
        const key = userEntity.key(instance, member.data.user);
        const user = as(userEntity, (await context.store.get([key]))[0]);
        const groups = user?.data.groups.filter((id) => id !== group) ?? [];
        await maintain(context, [
          remove(member),
          ...(user === undefined ? [] : [replace(user, { ...user.data, groups })]),
        ]);
      }),
    ),
  );
  return items.length;
}

async function clearClasses(
  context: JobContext,
  progress: Progress,
  at: string,
): Promise<StepResult> {
  const { instance, group, last } = progress;
  const { pk } = classEntity.key(instance, '');
  const classes = await allUnder(context.store, { pk, sk: classPrefix });
  const next = classes.find(({ key }) => key.sk >= at);
  if (next === undefined) {
    await forget(context, { instance, group });
    return 'done';
  }
  const place = { instance, name: next.key.sk.slice(classPrefix.length) };
  const current = await freed(context, place, group);
  const reached = current && (await freeSome(context, progress, current));
  const { key } = next;
  const goesOn: JsonObject =
    reached === undefined ? { at: `${key.sk}\u0000`, last: '' } : { at: key.sk, last: reached };
  return { task: { ...progress, last: last ?? '', ...goesOn } };
}

/** Removes the group from a class's permissions; undefined: the class was deleted in the meantime. */
async function freed(
  context: JobContext,
  { instance, name }: { readonly instance: number; readonly name: string },
  group: number,
): Promise<Stored<ClassData> | undefined> {
  return retryOnConflict(async () => {
    const current = await classEntity.read(context.store, instance, name);
    if (current?.data.group !== group) return current;
    const data = { ...current.data, group: null };
    const version = await maintain(context, [replace(current, data)]);
    return { ...current, version, data };
  });
}

/** Removes the group from some objects of a class, and returns the last sort key; undefined: all objects are done. */
async function freeSome(
  context: JobContext,
  { instance, group, last: after }: Progress,
  { data }: Stored<ClassData>,
): Promise<string | undefined> {
  const { pk } = objectEntity.key(instance, data.number, 0);
  const { items, last } = await itemsAfter(context.store, pk, after || undefined, stepSize);
  const compiled = compileClass(data, context.files.address);
  await Promise.all(
    items.map((found) =>
      retryOnConflict(async (isFirst) => {
        const item = isFirst ? found : (await context.store.get([found.key]))[0];
        const object = as(objectEntity, item);
        if (object?.data.group !== group) return;
        // Written by later indexes than those of this class: the step is retried with the current class.
        if (object.data.epoch > compiled.epoch) throw new Error('the class has changed meanwhile');
        const free: ObjectData = { ...object.data, group: null, epoch: compiled.epoch };
        await maintain(context, [replace(object, free, objectIndexes(compiled, free))]);
      }),
    ),
  );
  return last;
}

/** Removes the group from the list of deleted groups, once no record refers to it. */
async function forget(context: JobContext, { instance, group }: DeletedGroup): Promise<void> {
  await retryOnConflict(async () => {
    const deleted = await deletedGroupsEntity.read(context.store, instance);
    if (deleted === undefined) return;
    const groups = deleted.data.groups.filter((id) => id !== group);
    await maintain(context, [groups.length === 0 ? remove(deleted) : replace(deleted, { groups })]);
  });
}
