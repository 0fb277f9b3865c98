import { maintain } from '../jobs/maintain.ts';
import { retryOnConflict } from '../jobs/write-conflict.ts';
import type { Platform } from '../platform/ports.ts';
import { instanceEntity, instanceNameEntity } from '../store/entities.ts';
import type { InstanceData, InstanceNameData, Suspension } from '../store/records/records.ts';
import type { Stored } from '../store/store.ts';
import { updateItem } from '../store/writes.ts';

/** An instance that an operator has stopped. */
export interface SuspendedInstance extends Suspension {
  readonly name: string;
}

/** What an operator does with an instance: stop it for a reason, or end that. */
export type SuspensionChange =
  | { readonly name: string; readonly action: 'suspend'; readonly reason: string }
  | { readonly name: string; readonly action: 'resume' };

/** The kinds of items that {@link suspensionIn} reads. */
export const suspensionKinds = [instanceEntity.kind] as const;

/**
 * Suspends an instance, or ends that: one transaction, which every request and every run that begins later sees
 * (docs/reference/instances.md#suspended). A second suspension has the new reason.
 *
 * @throws Error when there is no such instance, or it is not suspended
 */
export async function changeSuspension(
  services: Pick<Platform, 'store' | 'ids'>,
  change: SuspensionChange,
  nowMs: number,
): Promise<void> {
  const { name } = change;
  await retryOnConflict(async () => {
    const pointer = await instanceNameEntity.read(services.store, name);
    const place = pointer && (await instanceEntity.read(services.store, pointer.data.instance));
    if (pointer === undefined || place === undefined)
      throw new Error(`there is no instance ${name}`);
    const { suspension: before } = pointer.data;
    if (change.action === 'resume' && before === undefined)
      throw new Error(`${name} is not suspended`);
    const suspension =
      change.action === 'resume'
        ? undefined
        : { since: before?.since ?? new Date(nowMs).toISOString(), reason: change.reason };
    await maintain(services, [
      updateItem(pointer, withSuspension<InstanceNameData>(pointer, suspension)),
      updateItem(place, withSuspension<InstanceData>(place, suspension)),
    ]);
  });
}

function withSuspension<Data extends { readonly suspension?: Suspension }>(
  { data }: Stored<Data>,
  suspension: Suspension | undefined,
): Data {
  const { suspension: _, ...rest } = data;
  return { ...rest, ...(suspension && { suspension }) } as Data;
}

/** Returns the suspended instance that an item is; undefined for all others. */
export function suspensionIn({ data }: Stored): SuspendedInstance | undefined {
  const { name, suspension } = data as InstanceData; // of a kind in `suspensionKinds`
  return suspension && { name, ...suspension };
}
