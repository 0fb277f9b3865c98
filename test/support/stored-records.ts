import { maintain } from '../../shared/jobs/maintain.ts';
import type { Ids } from '../../shared/ports/ports.ts';
import type { RunReference } from '../../shared/ports/run-request.ts';
import type { Store, Stored } from '../../shared/store/store.ts';
import { updateItem } from '../../shared/store/writes.ts';
import { dataOfName } from '../../shared/table/data-ids.ts';
import { classEntity } from '../../shared/table/entities/classes.ts';
import { instanceNameEntity } from '../../shared/table/entities/instances.ts';
import { traceEntity } from '../../shared/table/entities/runs.ts';
import type { ClassData } from '../../shared/table/records/records.ts';
import type { TraceData } from '../../shared/table/records/scripts.ts';

/** Returns the data id of an instance. Throws if there is none of this name. */
export async function instanceId(store: Store, name: string): Promise<number> {
  const data = dataOfName((await instanceNameEntity.read(store, name))?.data);
  if (data === undefined) throw new Error(`no instance ${name}`);
  return data;
}

/** Returns an item as a plain object: equality of test results does not see data that are parsed when they are used. */
export function plain(item: Stored | undefined): Stored | undefined {
  return item && { key: item.key, kind: item.kind, version: item.version, data: item.data };
}

interface StoredWorld {
  readonly api: { readonly platform: { readonly store: Store; readonly ids: Ids } };
  readonly instance: string;
}

/** Returns the data id of the world's instance, and the stored record of one of its classes. Throws if there is none. */
export async function storedClass(
  { api, instance: name }: StoredWorld,
  className: string,
): Promise<{ readonly instance: number; readonly item: Stored<ClassData> }> {
  const { store } = api.platform;
  const instance = await instanceId(store, name);
  const item = await classEntity.read(store, instance, className);
  if (item === undefined) throw new Error(`no class ${className}`);
  return { instance, item };
}

/** Changes a stored trace. Throws if there is none. */
export async function changeTrace(
  { api, instance: name }: StoredWorld,
  { kind, parent, trace }: Omit<RunReference, 'instance'>,
  changes: Partial<TraceData>,
): Promise<void> {
  const { platform } = api;
  const instance = await instanceId(platform.store, name);
  const current = await traceEntity.read(platform.store, instance, kind, parent, trace);
  if (current === undefined) throw new Error(`no trace ${trace}`);
  await maintain(platform, [updateItem(current, { ...current.data, ...changes })]);
}
