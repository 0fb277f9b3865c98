import { nextKey } from '../accounts/keys.ts';
import type { JobContext, StepResult } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import type { Stored } from '../store/store.ts';
import { updateItem } from '../store/writes.ts';
import { dataOfName } from '../table/data-ids.ts';
import { scriptEndpointEntity, scriptEndpointPositionEntity } from '../table/entities/endpoints.ts';
import { userEntity } from '../table/entities/users.ts';
import type { Keyed, UserData } from '../table/records/records.ts';
import type { ScriptEndpointData } from '../table/records/scripts.ts';
import { dataOf, keepsKeys, type RestoreTask, readPointers } from './restore-state.ts';

const stepSize = 500;

/**
 * Gives restored users and script endpoints the generation of the keys that they have now: a key that was reset after
 * the backup does not become valid again. Records that were deleted since have the keys of the backup. Contents of
 * another lineage have new keys: none of them may equal a current one.
 */
export async function keepKeys(context: JobContext, task: RestoreTask): Promise<StepResult> {
  const found = await readPointers(context, task.instance);
  const current = dataOfName(found?.pointer.data) ?? task.instance;
  const data = dataOf(task);
  const change = found === undefined || keepsKeys(task, found) ? keptKey : differentKey;
  if (task.isOfEndpoints !== true) {
    const part = { after: task.after, limit: stepSize };
    const { items, last } = await userEntity.list(context.store, [current], part);
    const ids = items.map((item) => [data, item.data.id] as const);
    const restored = await userEntity.readAll(context.store, ids);
    await changeAll<UserData>(context, change, { items, restored });
    const { after: _, ...rest } = task;
    const next = last === undefined ? { isOfEndpoints: true } : { after: last };
    return { task: { ...rest, ...next } };
  }
  const part = { after: task.after, limit: stepSize };
  const { items, last } = await scriptEndpointEntity.list(context.store, [current], part);
  const positions = await scriptEndpointPositionEntity.readAll(
    context.store,
    items.map((item) => [data, item.data.row] as const),
  );
  const names = positions.flatMap((item) => (item === undefined ? [] : [item.data.name]));
  const restored = await scriptEndpointEntity.readAll(
    context.store,
    names.map((name) => [data, name] as const),
  );
  const byPosition = new Map(restored.map((item) => [item?.data.row, item]));
  const same = items.map((item) => byPosition.get(item.data.row));
  await changeAll<ScriptEndpointData>(context, change, { items, restored: same });
  if (last !== undefined) return { task: { ...task, after: last } };
  return { task: { ...task, phase: 'switch' } };
}

/** Returns the key of a restored record in place of its own, given the key that its id has now. */
type KeyChange = (context: JobContext, own: Keyed, current: Keyed) => Keyed | Promise<Keyed>;

const keptKey: KeyChange = (_, _own, { generation, secret_version }) => ({
  generation,
  secret_version,
});

const differentKey: KeyChange = ({ secrets }, own, current) =>
  isSame(own, current) ? nextKey(secrets, own) : own;

/** Updates restored records whose keys change. */
async function changeAll<Data extends Keyed>(
  context: JobContext,
  change: KeyChange,
  {
    items,
    restored,
  }: {
    readonly items: readonly Stored<Data>[];
    readonly restored: readonly (Stored<Data> | undefined)[];
  },
): Promise<void> {
  await Promise.all(
    items.map(async (item, at) => {
      const own = restored[at];
      if (own === undefined) return;
      const { generation, secret_version } = await change(context, own.data, item.data);
      if (isSame(own.data, { generation, secret_version })) return;
      await maintain(context, [updateItem(own, { ...own.data, generation, secret_version })]);
    }),
  );
}

function isSame(a: Keyed, b: Keyed): boolean {
  return a.generation === b.generation && a.secret_version === b.secret_version;
}
