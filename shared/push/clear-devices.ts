import { type JobContext, newJob } from '../jobs/jobs.ts';
import { cascade, maintain } from '../jobs/maintain.ts';
import { unlessConflict } from '../jobs/write-conflict.ts';
import type { Stored } from '../store/store.ts';
import { deleteIfExists, deleteItem } from '../store/writes.ts';
import { pushDeviceEntity, pushDevicePositionEntity } from '../table/entities/push.ts';
import type { PushDeviceData, PushDevicePositionData } from '../table/records/push.ts';
import { syncEndpoints } from './push-endpoints.ts';
import { type PushProvider, pushProviders } from './rules/provider.ts';

const stepSize = 25;

interface Owner {
  readonly instance: number;
  readonly user: number;
}

/**
 * Deletes some devices of a deleted user: they receive no more pushes, and their tokens may be registered again. A
 * later job updates the push service.
 *
 * @returns the number of devices found; 0 when none is left
 */
export async function removeDevices(context: JobContext, owner: Owner): Promise<number> {
  const counts = await Promise.all(
    pushProviders.map((provider) => removeSome(context, provider, owner)),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

async function removeSome(
  context: JobContext,
  provider: PushProvider,
  owner: Owner,
): Promise<number> {
  const { instance, user } = owner;
  const list = [instance, provider, user] as const;
  const { items: positions } = await pushDevicePositionEntity.list(context.store, list, {
    limit: stepSize,
  });
  const devices = await pushDeviceEntity.readAll(
    context.store,
    positions.map(({ data }) => [instance, provider, data.code]),
  );
  await Promise.all(
    positions.map((position, at) =>
      removeOne(context, { ...owner, provider, position, device: devices[at] }),
    ),
  );
  return positions.length;
}

interface ClearedDevice extends Owner {
  readonly provider: PushProvider;
  /** Position in the list of its user. */
  readonly position: Stored<PushDevicePositionData>;
  readonly device: Stored<PushDeviceData> | undefined;
}

async function removeOne(
  context: JobContext,
  { instance, user, provider, position, device }: ClearedDevice,
): Promise<void> {
  if (device?.data.user !== user)
    return void (await maintain(context, [deleteIfExists(position.key)])); // moved, or deleted
  const { row: number, registration_id: token } = device.data;
  const writes = [
    deleteItem(device),
    deleteIfExists(pushDevicePositionEntity.key(instance, provider, undefined, number)),
    deleteIfExists(position.key),
    newJob(context, syncEndpoints, { instance, provider, token }),
  ];
  await unlessConflict(cascade(context, writes)); // if it was changed, the next step finds it again
}
