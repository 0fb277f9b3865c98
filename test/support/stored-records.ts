import { classEntity, instanceNameEntity } from '../../shared/store/entities.ts';
import type { ClassData } from '../../shared/store/records/records.ts';
import type { Store, Stored } from '../../shared/store/store.ts';

/** Returns the id of an instance. Throws if there is none of this name. */
export async function instanceId(store: Store, name: string): Promise<number> {
  const pointer = await instanceNameEntity.read(store, name);
  if (pointer === undefined) throw new Error(`no instance ${name}`);
  return pointer.data.instance;
}

interface StoredWorld {
  readonly api: { readonly platform: { readonly store: Store } };
  readonly instance: string;
}

/** Returns the id of the world's instance, and the stored record of one of its classes. Throws if there is none. */
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
