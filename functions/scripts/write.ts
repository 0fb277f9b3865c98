import { type Context, instanceOf, reservedId, type Update } from '../../shared/core/family.ts';
import type { Input } from '../../shared/core/resource/input.ts';
import { newJob } from '../../shared/jobs/jobs.ts';
import { clearScript } from '../../shared/scripts/clear-script.ts';
import { hasFullAccess } from '../../shared/scripts/rules/script-config.ts';
import { commit } from '../../shared/store/commit.ts';
import type { Stored, Write } from '../../shared/store/store.ts';
import {
  createItem,
  deleteIfExists,
  deleteItem,
  putItem,
  updateItem,
} from '../../shared/store/writes.ts';
import { scriptEntity, scriptSourceEntity } from '../../shared/table/entities/scripts.ts';
import type { ScriptData, ScriptSourceData } from '../../shared/table/records/scripts.ts';
import { hasFullRole } from '../../shared/values/access.ts';
import { forbidden } from '../../shared/values/errors/errors.ts';
import { isSameJson } from '../../shared/values/json/json-values.ts';
import { timestamp } from '../../shared/values/timestamp.ts';
import type { scriptFields } from './fields.ts';
import type { ScriptContext } from './loads.ts';
import { type ScriptView, sourceOf, wholeOf } from './read.ts';
import { dropSource, storeSource } from './source.ts';

export async function createScript(
  context: ScriptContext,
  input: Input<typeof scriptFields, 'create'>,
): Promise<ScriptView> {
  const { source, ...given } = input.valid();
  if (isFull(context, given)) checkMayGrant(context);
  const instance = instanceOf(context);
  const id = reservedId(context);
  const at = timestamp(context.platform.clock.micros());
  const data: ScriptData = { id, ...given, created_at: at, updated_at: at, version: 1 };
  const stored = storeSource(context.platform, { instance, script: id }, { source, version: 1 });
  await stored.save((fileWrites) =>
    commit(context, [
      createItem(scriptEntity, scriptEntity.key(instance, id), data),
      createItem(scriptSourceEntity, scriptSourceEntity.key(instance, id), stored.data),
      ...fileWrites,
    ]),
  );
  return { data, source };
}

/** Changes a script; another source or runtime, or the loss of full access, makes another version. */
export async function updateScript(
  context: ScriptContext,
  { current, input }: Update<ScriptData, typeof scriptFields>,
): Promise<ScriptView> {
  const { source, ...given } = input.valid();
  const before = await sourceOf(context, current);
  const updated_at = timestamp(context.platform.clock.micros());
  const changed = { ...current.data, ...given, updated_at };
  const isSameSource =
    source === undefined || (before.file === undefined && before.text === source);
  const isSameRuntime = changed.runtime_name === current.data.runtime_name;
  const [wasFull, becomesFull] = [isFull(context, current.data), isFull(context, changed)];
  const isSameCode = isSameSource && isSameRuntime;
  if (!isSameCode || !isSameJson(changed.config, current.data.config)) {
    if (wasFull || becomesFull) checkMayGrant(context);
  }
  if (isSameCode && (becomesFull || !wasFull)) {
    await commit(context, [updateItem(current, changed)]);
    return { data: changed, source: await wholeOf(context, changed.id, before) };
  }
  const data: ScriptData = { ...changed, version: current.data.version + 1 };
  return isSameSource
    ? keepSource(context, current, { data, before })
    : changeSource(context, current, { data, before, source });
}

/** Returns whether a script gets a token to act on behalf of the owner (docs/reference/scripts.md#full-access). */
function isFull({ loaded }: ScriptContext, { config }: Pick<ScriptData, 'config'>): boolean {
  return hasFullAccess(loaded.config?.data.config ?? {}, config);
}

/**
 * Checks that the caller may choose scripts with full access.
 *
 * @throws ApiError 403 for members below `full`, who would gain the rights of `full` by it
 */
function checkMayGrant({ actor }: Context): void {
  if (!hasFullRole(actor)) throw forbidden('role_too_low');
}

interface Renewal {
  readonly data: ScriptData;
  readonly before: ScriptSourceData;
}

async function keepSource(
  context: Context,
  current: Stored<ScriptData>,
  { data, before }: Renewal,
): Promise<ScriptView> {
  const source = { ...before, version: data.version };
  await commit(context, [updateItem(current, data), sourceWrite(context, data, source)]);
  return { data, source: await wholeOf(context, data.id, source) };
}

async function changeSource(
  context: Context,
  current: Stored<ScriptData>,
  { data, before, source }: Renewal & { readonly source: string },
): Promise<ScriptView> {
  const { version, id: script } = data;
  const at = { instance: instanceOf(context), script };
  const stored = storeSource(context.platform, at, { source, version });
  await stored.save((fileWrites) =>
    commit(context, [
      updateItem(current, data),
      sourceWrite(context, data, stored.data),
      ...dropSource(context.platform, at.instance, before),
      ...fileWrites,
    ]),
  );
  return { data, source };
}

/** Returns the write of a source, part of the script's write and its condition. */
function sourceWrite(context: Context, { id }: ScriptData, source: ScriptSourceData): Write {
  return putItem(scriptSourceEntity, scriptSourceEntity.key(instanceOf(context), id), source);
}

/** Deletes a script, and with it its endpoints; their remains are deleted later. */
export async function removeScript(context: Context, current: Stored<ScriptData>): Promise<void> {
  const instance = instanceOf(context);
  const { id } = current.data;
  await commit(context, [
    deleteItem(current),
    deleteIfExists(scriptSourceEntity.key(instance, id)),
    newJob(context.platform, clearScript, { instance, script: id }),
  ]);
}
