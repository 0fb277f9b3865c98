import { maintain } from '../jobs/maintain.ts';
import { retryOnConflict } from '../jobs/write-conflict.ts';
import type { Platform } from '../ports/ports.ts';
import { readTogether } from '../store/entity.ts';
import type { Store, Stored } from '../store/store.ts';
import { createOrUpdate, deleteItem, updateItem } from '../store/writes.ts';
import { suspensionEntity } from '../table/entities/deployment.ts';
import { instanceEntity, instanceNameEntity } from '../table/entities/instances.ts';
import type { SuspensionData } from '../table/records/instances/suspensions.ts';
import type { InstanceData, InstanceNameData } from '../table/records/records.ts';
import { maxReasonLength } from '../values/bounds.ts';
import { timestamp } from '../values/timestamp.ts';

/*
 * An operator stops an instance, and lets it go on (docs/reference/instances.md#suspended). The mark is a member of the
 * two records that requests and jobs read anyway; a list of its own has the reasons.
 */

type Writer = Pick<Platform, 'store' | 'ids' | 'clock'>;

/** A change that an operator requests. */
export type SuspensionRequest =
  | { readonly action: 'suspend'; readonly instance: string; readonly reason?: string | undefined }
  | { readonly action: 'resume'; readonly instance: string };

/** A suspended instance, as operators see it. */
export interface Suspension {
  /** Its name. */
  readonly instance: string;
  readonly reason: string | null;
  readonly suspended_at: string;
}

/**
 * Suspends an instance, or resumes it. A repeated suspension replaces the reason, if it has one, and not the time.
 *
 * @throws Error when there is no such instance, it is not suspended, or the reason is too long
 */
export async function changeSuspension(by: Writer, request: SuspensionRequest): Promise<void> {
  if (request.action === 'suspend' && (request.reason?.length ?? 0) > maxReasonLength) {
    throw new Error(`a reason has at most ${maxReasonLength} characters`);
  }
  await retryOnConflict(async () => {
    const found = await readRecords(by.store, request.instance);
    if (request.action === 'suspend') {
      await suspend(by, found, request.reason);
      return;
    }
    const { name, instanceRecord, suspension } = found;
    if (suspension === undefined) throw new Error(`${request.instance} is not suspended`);
    await maintain(by, [
      updateItem(name, withoutMark(name.data)),
      updateItem(instanceRecord, withoutMark(instanceRecord.data)),
      deleteItem(suspension),
    ]);
  });
}

interface Records {
  readonly name: Stored<InstanceNameData>;
  readonly instanceRecord: Stored<InstanceData>;
  readonly suspension: Stored<SuspensionData> | undefined;
}

async function readRecords(store: Pick<Store, 'get'>, instance: string): Promise<Records> {
  const name = await instanceNameEntity.read(store, instance);
  const id = name?.data.instance ?? 0; // no instance has it
  const { instanceRecord, suspension } = await readTogether(store, {
    instanceRecord: instanceEntity.at(id),
    suspension: suspensionEntity.at(id),
  });
  if (name === undefined || instanceRecord === undefined)
    throw new Error(`there is no instance ${instance}`);
  return { name, instanceRecord, suspension };
}

async function suspend(
  by: Writer,
  { name, instanceRecord, suspension: current }: Records,
  reason = current?.data.reason,
): Promise<void> {
  const instance = instanceRecord.data.id;
  const key = suspensionEntity.key(instance);
  const data: SuspensionData = {
    instance,
    ...(reason !== undefined && { reason }),
    suspended_at: current?.data.suspended_at ?? timestamp(by.clock.micros()),
  };
  await maintain(by, [
    updateItem(name, { ...name.data, isSuspended: true }),
    updateItem(instanceRecord, { ...instanceRecord.data, isSuspended: true }),
    createOrUpdate(suspensionEntity, { key, current }, data),
  ]);
}

function withoutMark<Data extends { readonly isSuspended?: true }>({
  isSuspended: _,
  ...data
}: Data): Omit<Data, 'isSuspended'> {
  return data;
}

const pageSize = 100;

/** Lists the suspended instances, in the order of their ids. */
export async function listSuspensions(
  store: Pick<Store, 'get' | 'query'>,
): Promise<readonly Suspension[]> {
  const found: Suspension[] = [];
  let after: string | undefined;
  do {
    const { items, last } = await suspensionEntity.list(store, [], { limit: pageSize, after });
    const instances = await instanceEntity.readAll(
      store,
      items.map(({ data }) => [data.instance]),
    );
    for (const [at, { data }] of items.entries()) {
      const { instance: id, reason = null, suspended_at } = data;
      found.push({ instance: instances[at]?.data.name ?? `instance ${id}`, reason, suspended_at });
    }
    after = last;
  } while (after !== undefined);
  return found;
}
