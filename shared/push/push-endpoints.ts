import type { JobContext, JobType } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import { waitWhileSuspended } from '../jobs/while-suspended.ts';
import type { Stored } from '../store/store.ts';
import { deleteItem } from '../store/writes.ts';
import { pushConfigEntity, pushEndpointEntity } from '../table/entities/push.ts';
import type { PushEndpointData } from '../table/records/push.ts';
import { readDeviceToken, rememberEndpoint } from './push-delivery.ts';
import { failureReason } from './push-failure.ts';
import {
  type PushEnvironment,
  type PushProvider,
  type PushScope,
  pushEnvironments,
} from './rules/provider.ts';

/** Device that was activated, deactivated or deleted. */
export type ChangedDevice = {
  readonly instance: number;
  readonly provider: PushProvider;
  readonly token: string;
};

/** Updates the endpoints of a device at the push service, if any, to its current state. */
export const syncEndpoints = waitWhileSuspended({
  name: 'sync-push-endpoints',
  step: async (context, task) => {
    const { token, ...at } = task as ChangedDevice; // as stored
    for (const environment of pushEnvironments)
      await syncOne(context, { ...at, environment }, token);
    return 'done';
  },
});

async function syncOne(context: JobContext, scope: PushScope, token: string): Promise<void> {
  const { device, endpoint } = await readDeviceToken(context, scope, token);
  if (endpoint === undefined) return;
  if (device === undefined) return forget(context, endpoint);
  const isEnabled = device.data.is_active;
  const isThere = await context.push
    .setEndpoint(endpoint.data.endpoint, token, isEnabled)
    .then(() => true)
    .catch((error: unknown) => {
      if (failureReason(error) !== 'missing') throw error;
      return false;
    });
  if (isThere) await rememberEndpoint(context, scope, token, { ...endpoint.data, isEnabled });
  else await maintain(context, [deleteItem(endpoint)]);
}

async function forget(context: JobContext, endpoint: Stored<PushEndpointData>): Promise<void> {
  await context.push.removeEndpoint(endpoint.data.endpoint);
  await maintain(context, [deleteItem(endpoint)]);
}

/** Application whose credential was removed. */
export type ClosedApplication = {
  readonly instance: number;
  readonly provider: PushProvider;
  readonly environment: PushEnvironment;
  readonly application: string;
};

const stepSize = 25;

/** Deletes an application with all its endpoints, unless it has a credential again. */
export const closeApplication: JobType = {
  name: 'close-push-application',
  step: async (context, task) => {
    const { application, instance, provider, environment } = task as ClosedApplication; // so it was stored
    const item = await pushConfigEntity.read(context.store, instance, provider);
    const side = item?.data[environment];
    if (side?.application === application) return 'done';
    const some = { limit: stepSize };
    const list = [instance, provider, environment] as const;
    const { items, last } = await pushEndpointEntity.list(context.store, list, some);
    await Promise.all(items.map((each) => forget(context, each)));
    if (last !== undefined) return { task };
    await context.push.closeApplication(application);
    return 'done';
  },
};
