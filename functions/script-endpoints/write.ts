import { firstKey, nextKey } from '../../shared/accounts/keys.ts';
import {
  type Context,
  instanceOf,
  notFound,
  reservedId,
  type Update,
} from '../../shared/core/family.ts';
import type { Body } from '../../shared/core/http/body/body.ts';
import { type Input, validValues } from '../../shared/core/resource/input.ts';
import {
  freedPosition,
  type NamedKind,
  newName,
  takeName,
} from '../../shared/core/resource/named-records.ts';
import { newJob } from '../../shared/jobs/jobs.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { clearTraces } from '../../shared/scripts/clear-script.ts';
import { scriptErrors, toV11Names, withScript } from '../../shared/scripts/script-reference.ts';
import { commit } from '../../shared/store/commit.ts';
import type { Stored, Write } from '../../shared/store/store.ts';
import { deleteItem, putItem, updateItem } from '../../shared/store/writes.ts';
import {
  scriptEndpointEntity,
  scriptEndpointPositionEntity,
} from '../../shared/table/entities/endpoints.ts';
import type {
  ScriptEndpointData,
  ScriptEndpointPositionData,
} from '../../shared/table/records/scripts.ts';
import type { EndpointFields } from './fields.ts';

/** Kind of script endpoints. A list position names the script as well, so that public links need no extra read. */
export const scriptEndpointKind = {
  entity: scriptEndpointEntity,
  positionEntity: scriptEndpointPositionEntity,
  positionDataOf: ({ name, script }: ScriptEndpointData): ScriptEndpointPositionData => ({
    name,
    script,
  }),
} satisfies NamedKind<ScriptEndpointData>;

/** Creates a script endpoint; the name of one that was deleted with its script is free. */
export async function createScriptEndpoint(
  context: Context,
  input: Input<EndpointFields, 'create'>,
): Promise<ScriptEndpointData> {
  return retryOnConflict(async () => {
    const reading = input.read();
    const draft = validValues(reading, await scriptErrors(context, reading.values));
    const { name, description, public: isPublic, raw } = draft;
    const data: ScriptEndpointData = {
      name,
      description,
      public: isPublic,
      script: 'codebox' in draft ? draft.codebox : draft.script,
      ...(raw && { raw }),
      row: reservedId(context),
      ...(await firstKey(context.platform)),
    };
    const { leaves, ...taken } = await holderOf(context, data.name);
    await takeName(context, scriptEndpointKind, { data, ...taken, field: 'name', more: leaves });
    return data;
  });
}

/** Changes a script endpoint, except its name. */
export async function updateScriptEndpoint(
  context: Context,
  { current, input }: Update<ScriptEndpointData, EndpointFields>,
): Promise<ScriptEndpointData> {
  await checkLiving(context, current);
  const reading = input.read();
  const draft = validValues(reading, await scriptErrors(context, reading.values));
  const { raw, ...others } = { ...current.data, ...toV11Names(draft) };
  const data: ScriptEndpointData = { ...others, ...(raw && { raw }) };
  const positionKey = scriptEndpointPositionEntity.key(instanceOf(context), data.row);
  const isMoved = data.script !== current.data.script;
  const positionWrites = isMoved
    ? [putItem(scriptEndpointPositionEntity, positionKey, scriptEndpointKind.positionDataOf(data))]
    : [];
  await commit(context, [updateItem(current, data), ...positionWrites]);
  return data;
}

/** Renames a script endpoint; the old name is free with the same transaction, the public link is kept. */
export async function renameScriptEndpoint(
  context: Context,
  current: Stored<ScriptEndpointData>,
  body: Body,
): Promise<ScriptEndpointData> {
  await checkLiving(context, current);
  const name = newName(body);
  if (name === current.data.name) return current.data;
  const data: ScriptEndpointData = { ...current.data, name };
  const { leaves, ...taken } = await holderOf(context, name);
  const more = [deleteItem(current), ...leaves];
  await takeName(context, scriptEndpointKind, { data, ...taken, field: 'new_name', more });
  return data;
}

/** Replaces the public link of a script endpoint; the write invalidates the old one. */
export async function resetLink(
  context: Context,
  current: Stored<ScriptEndpointData>,
): Promise<ScriptEndpointData> {
  await checkLiving(context, current);
  const { secrets } = context.platform;
  const data: ScriptEndpointData = { ...current.data, ...(await nextKey(secrets, current.data)) };
  await commit(context, [updateItem(current, data)]);
  return data;
}

/** Deletes a script endpoint, and later its traces. */
export async function removeScriptEndpoint(
  context: Context,
  current: Stored<ScriptEndpointData>,
): Promise<void> {
  await checkLiving(context, current);
  const freed = freedPosition(context, scriptEndpointKind, current.data);
  await commit(context, [deleteItem(current), freed, clearTracesLater(context, current.data)]);
}

/** Returns a write that starts the deletion of a deleted endpoint's traces. */
function clearTracesLater(context: Context, { row: position }: ScriptEndpointData): Write {
  const traces = { instance: instanceOf(context), kind: 'endpoint', parent: position };
  return newJob(context.platform, clearTraces, traces);
}

async function checkLiving(context: Context, current: Stored<ScriptEndpointData>): Promise<void> {
  if ((await withScript(context, [current])).length === 0) throw notFound();
}

/** Returns the holder of a name, whether its script exists, and the clean-up writes if not. */
async function holderOf(context: Context, name: string) {
  const { store } = context.platform;
  const holder = await scriptEndpointEntity.read(store, instanceOf(context), name);
  const isLiving = holder !== undefined && (await withScript(context, [holder])).length > 0;
  const leaves = holder === undefined || isLiving ? [] : [clearTracesLater(context, holder.data)];
  return { holder, isLiving: () => isLiving, leaves };
}
