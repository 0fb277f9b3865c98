import { firstKey } from '../accounts/keys.ts';
import { maxAliases } from '../accounts/rules/max-aliases.ts';
import type { JobContext } from '../jobs/jobs.ts';
import type { Put, Stored } from '../store/store.ts';
import { createItem } from '../store/writes.ts';
import { instanceCounter } from '../table/counters.ts';
import { apiKeyEntity } from '../table/entities/instances.ts';
import type { AliasData, ApiKeyData, InstanceNameData } from '../table/records/records.ts';
import { archiveFiles } from '../values/file-keys.ts';
import { ownerOfData } from '../values/keys/data-ids.ts';
import { timestamp } from '../values/timestamp.ts';
import { type ArchivedAlias, readManifest } from './archive.ts';
import { type RestoreTask, readPointers } from './restore-state.ts';

/** Returns the aliases of an instance, for an archive: those whose API key was neither reset nor deleted. */
export async function archivedAliases(
  context: JobContext,
  data: number,
): Promise<readonly ArchivedAlias[]> {
  const instance = ownerOfData(data);
  const found = await readPointers(context, instance);
  const aliases = found?.pointer.data.aliases ?? [];
  if (aliases.length === 0) return [];
  const keys = await keysOf(context, instance, aliases);
  return aliases.flatMap((alias) => {
    const key = keys.find((each) => isOf(each, alias))?.data;
    if (key === undefined) return [];
    const { mac, last_four, secret_version } = alias;
    const { generation: _, secret_version: __, created_at: ___, ...of } = key;
    return [{ mac, last_four, secret_version, origin: alias.origin ?? instance, key: of }];
  });
}

async function keysOf({ store }: JobContext, instance: number, aliases: readonly AliasData[]) {
  const ids = [...new Set(aliases.map(({ key }) => key))];
  const keys = await apiKeyEntity.readAll(
    store,
    ids.map((id) => [instance, id] as const),
  );
  return keys.filter((key) => key !== undefined);
}

function isOf({ data }: Stored<ApiKeyData>, alias: AliasData): boolean {
  const { id, generation, secret_version } = data;
  const isSame = generation === alias.generation && secret_version === alias.secret_version;
  return id === alias.key && isSame;
}

/** Keys and aliases that an instance gets from the archive of another one. */
interface BroughtAliases {
  /** New API keys for which the aliases stand. */
  readonly keys: readonly Put[];
  /** All aliases of the instance from now on. */
  readonly aliases: readonly AliasData[];
}

/**
 * Returns the aliases of an instance after a restore. From another instance of its owner they come along, with new API
 * keys that have the flags of the old ones: apps that were shipped with an old key work on.
 */
export async function broughtAliases(
  context: JobContext,
  task: RestoreTask,
  { instance, aliases = [] }: InstanceNameData,
): Promise<BroughtAliases> {
  if (task.origin === undefined || task.isOfOwner !== true) return { keys: [], aliases };
  const manifest = await readManifest(context.files, archiveFiles(task.account, task.backup));
  const keys = await keysOf(context, instance, aliases);
  const living = aliases.filter((alias) => keys.some((key) => isOf(key, alias)));
  const known = new Set(living.map(({ mac }) => mac));
  const brought = (manifest?.aliases ?? [])
    .filter(({ mac, origin }) => origin !== instance && !known.has(mac))
    .slice(0, maxAliases - living.length);
  const made = new Map<number, ApiKeyData>();
  for (const { key, secret_version } of brought) {
    if (!made.has(key.id))
      made.set(key.id, await newKey(context, instance, { key, secret_version }));
  }
  const added = brought.flatMap(({ mac, last_four, origin, key }): readonly AliasData[] => {
    const own = made.get(key.id);
    if (own === undefined) return [];
    const { id, generation, secret_version } = own;
    return [{ mac, key: id, last_four, secret_version, generation, origin }];
  });
  const puts = [...made.values()].map((data) =>
    createItem(apiKeyEntity, apiKeyEntity.key(instance, data.id), data),
  );
  return { keys: puts, aliases: [...added, ...living] }; // of equal texts the last one is found
}

/** Returns a new API key. Its aliases have the version of its secret, so it has theirs. */
async function newKey(
  context: JobContext,
  instance: number,
  { key, secret_version }: Pick<ArchivedAlias, 'key' | 'secret_version'>,
): Promise<ApiKeyData> {
  const id = await context.store.next(instanceCounter(instance, 'key'));
  const created_at = timestamp(context.clock.micros());
  const { generation } = await firstKey(context);
  return { ...key, id, created_at, generation, secret_version };
}
