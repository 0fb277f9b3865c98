import { profileClass } from '../../shared/classes/rules/permissions.ts';
import { type Context, callingAccount, reservedId } from '../../shared/core/family.ts';
import type { Values } from '../../shared/core/resource/input.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { commitUnique } from '../../shared/store/commit.ts';
import { readTogether } from '../../shared/store/entity.ts';
import type { Stored, Write } from '../../shared/store/store.ts';
import { createItem, createOrUpdate } from '../../shared/store/writes.ts';
import { memberEntity, ownedEntity } from '../../shared/table/entities/accounts.ts';
import { classEntity } from '../../shared/table/entities/classes.ts';
import {
  adminEntity,
  classNumbersEntity,
  instanceEntity,
  instanceMetadataEntity,
  instanceNameEntity,
} from '../../shared/table/entities/instances.ts';
import type { ClassData, InstanceData, OwnedData } from '../../shared/table/records/records.ts';
import { countExceeded, invalid } from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';
import { timestamp } from '../../shared/values/timestamp.ts';
import type { instanceFields } from './fields.ts';

/** Creates an instance with its built-in class; the caller is its owner. One transaction. */
export async function createInstance(
  context: Context,
  { name, description, metadata }: Values<typeof instanceFields, 'create'>,
): Promise<{ readonly data: InstanceData; readonly metadata: JsonObject }> {
  const { platform } = context;
  const owner = callingAccount(context).data.id;
  const now = timestamp(platform.clock.micros());
  const id = reservedId(context);
  const data: InstanceData = { id, name, description, owner, created_at: now, updated_at: now };
  const isTaken = () => invalid({ name: [messages.unique] });
  await retryOnConflict(async () => {
    const { taken, owned } = await readTogether(platform.store, {
      taken: instanceNameEntity.at(name),
      owned: ownedEntity.at(owner),
    });
    if (taken !== undefined) throw isTaken();
    const limit = platform.settings.maxInstances;
    if ((owned?.data.instances.length ?? 0) >= limit) throw countExceeded('Instance', limit);
    const nameWrite = createItem(instanceNameEntity, instanceNameEntity.key(name), {
      instance: id,
      owner,
    });
    const writes = [nameWrite, ...contents(data), ...ownership(data, owned)];
    if (Object.keys(metadata).length > 0) {
      writes.push(createItem(instanceMetadataEntity, instanceMetadataEntity.key(id), { metadata }));
    }
    await commitUnique(context, writes, (write) => (write === nameWrite ? isTaken() : undefined));
  });
  return { data, metadata };
}

function contents(data: InstanceData): Write[] {
  const { id, name, created_at } = data;
  return [
    createItem(instanceEntity, instanceEntity.key(id), data),
    createItem(classNumbersEntity, classNumbersEntity.key(name), {
      last: 1,
      numbers: { [profileClass]: 1 },
    }),
    createItem(classEntity, classEntity.key(id, profileClass), profiles(created_at)),
  ];
}

function profiles(created_at: string): ClassData {
  return {
    number: 1,
    name: profileClass,
    description: 'Class that holds profiles for users.',
    schema: [],
    storage: [],
    retiredSlots: [],
    epoch: 1,
    revision: 1,
    status: 'ready',
    group: null,
    group_permissions: 'create_objects',
    other_permissions: 'create_objects',
    created_at,
    updated_at: created_at,
  };
}

/** Returns writes of the membership from both sides, and of the list that limits the number of owned instances. */
function ownership(data: InstanceData, owned: Stored<OwnedData> | undefined): Write[] {
  const { id, owner, created_at } = data;
  const rights = { role: 'full', owner: true } as const;
  const list: OwnedData = { instances: [...(owned?.data.instances ?? []), id] };
  return [
    createItem(memberEntity, memberEntity.key(owner, id), { instance: id, ...rights }),
    createItem(adminEntity, adminEntity.key(id, owner), {
      account: owner,
      ...rights,
      row: 0,
      created_at,
    }),
    createOrUpdate(ownedEntity, { key: ownedEntity.key(owner), current: owned }, list),
  ];
}
