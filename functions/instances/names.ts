import { type Context, notFound } from '../../shared/core/family.ts';
import type { Body } from '../../shared/core/http/body/body.ts';
import { readRename } from '../../shared/core/resource/named-records.ts';
import { clearInstance } from '../../shared/instances/clear-partitions.ts';
import { newJob } from '../../shared/jobs/jobs.ts';
import { commit, commitUnique } from '../../shared/store/commit.ts';
import { readTogether } from '../../shared/store/entity.ts';
import type { Stored, Write } from '../../shared/store/store.ts';
import { createItem, deleteIfExists, deleteItem, updateItem } from '../../shared/store/writes.ts';
import { memberEntity, ownedEntity } from '../../shared/table/entities/accounts.ts';
import {
  adminEntity,
  classNumbersEntity,
  instanceNameEntity,
} from '../../shared/table/entities/instances.ts';
import type {
  ClassNumbersData,
  InstanceData,
  InstanceNameData,
} from '../../shared/table/records/records.ts';
import { invalid, nameNotConfirmed } from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import { timestamp } from '../../shared/values/timestamp.ts';
import { instanceRenameFields } from './fields.ts';

/** Renames an instance; the old name is free with the same transaction (docs/reference/instances.md#rename). */
export async function renameInstance(
  context: Context,
  current: Stored<InstanceData>,
  body: Body,
): Promise<InstanceData> {
  const { new_name } = readRename(body, instanceRenameFields);
  if (new_name === current.data.name) return current.data;
  const { pointer, numbers } = await readName(context, current.data.name);
  const { owner } = current.data;
  const updated_at = timestamp(context.platform.clock.micros());
  const data: InstanceData = { ...current.data, name: new_name, updated_at };
  const isTaken = () => invalid({ new_name: [messages.unique] });
  const writes = [
    createItem(instanceNameEntity, instanceNameEntity.key(new_name), { ...pointer.data, owner }),
    createItem(classNumbersEntity, classNumbersEntity.key(new_name), numbers.data),
    deleteItem(pointer),
    deleteItem(numbers),
    updateItem(current, data),
  ];
  await commitUnique(context, writes, isTaken);
  context.caches.instances.set(current.data.name, undefined);
  return data;
}

/** The request header with the name of the instance that is to be deleted, which a person has typed. */
const confirmHeader = 'x-confirm-name';

/**
 * Deletes an instance: the transaction deletes its path, its keys and its name.
 *
 * @throws ApiError 400 when the request confirms another name (docs/reference/instances.md#delete)
 */
export async function removeInstance(
  context: Context,
  current: Stored<InstanceData>,
): Promise<void> {
  const { id, name, owner } = current.data;
  const { [confirmHeader]: confirmed = name } = context.request.headers;
  if (confirmed !== name) throw nameNotConfirmed();
  const { pointer, numbers } = await readName(context, name);
  const owned = await ownedEntity.read(context.platform.store, owner);
  const rest = owned?.data.instances.filter((instance) => instance !== id) ?? [];
  const writes: Write[] = [
    deleteItem(pointer),
    deleteItem(numbers),
    deleteItem(current),
    deleteIfExists(memberEntity.key(owner, id)),
    deleteIfExists(adminEntity.key(id, owner)),
    ...(owned === undefined ? [] : [updateItem(owned, { instances: rest })]),
    newJob(context.platform, clearInstance, {
      instance: pointer.data.data ?? id,
      lastClass: numbers.data.last,
    }),
  ];
  await commit(context, writes);
}

async function readName(
  { platform }: Context,
  name: string,
): Promise<{
  readonly pointer: Stored<InstanceNameData>;
  readonly numbers: Stored<ClassNumbersData>;
}> {
  const { pointer, numbers } = await readTogether(platform.store, {
    pointer: instanceNameEntity.at(name),
    numbers: classNumbersEntity.at(name),
  });
  if (pointer === undefined || numbers === undefined) throw notFound(); // deleted or renamed since
  return { pointer, numbers };
}
