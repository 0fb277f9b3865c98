import { type JobContext, newJob } from '../jobs/jobs.ts';
import { cascade, maintain } from '../jobs/maintain.ts';
import { unlessConflict } from '../jobs/write-conflict.ts';
import {
  as,
  pushDeviceEntity,
  pushDeviceRowEntity,
  pushDeviceRowPrefix,
} from '../store/entities.ts';
import type { PushDeviceRowData } from '../store/records/push.ts';
import type { Stored } from '../store/store.ts';
import { erase, remove } from '../store/writes.ts';
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
  const prefix = pushDeviceRowPrefix(user);
  const { items } = await context.store.query({
    pk: pushDeviceRowEntity.key(instance, provider, user, 0).pk,
    lower: { key: prefix, inclusive: true },
    upper: { key: `${prefix}\u{10FFFF}`, inclusive: false },
    limit: stepSize,
  });
  const rows = items.map((item) => as(pushDeviceRowEntity, item));
  const keys = rows.map(({ data }) => pushDeviceEntity.key(instance, provider, data.code));
  const devices = rows.length === 0 ? [] : await context.store.get(keys);
  await Promise.all(
    rows.map((row, at) => removeOne(context, { ...owner, provider, row, found: devices[at] })),
  );
  return rows.length;
}

interface Place extends Owner {
  readonly provider: PushProvider;
  /** Position in the list of its user. */
  readonly row: Stored<PushDeviceRowData>;
  readonly found: Stored | undefined;
}

async function removeOne(
  context: JobContext,
  { instance, user, provider, row, found }: Place,
): Promise<void> {
  const device = as(pushDeviceEntity, found);
  if (device?.data.user !== user) return void (await maintain(context, [erase(row.key)])); // moved, or deleted
  const { row: number, registration_id: token } = device.data;
  const writes = [
    remove(device),
    erase(pushDeviceRowEntity.key(instance, provider, undefined, number)),
    erase(row.key),
    newJob(context, syncEndpoints, { instance, provider, token }),
  ];
  await unlessConflict(cascade(context, writes)); // if it was changed, the next step finds it again
}
