import { firstKey, nextKey } from '../../shared/accounts/keys.ts';
import { type Body, type Input, readInput } from '../../shared/core/resource/input.ts';
import type { Update } from '../../shared/core/resource/lists/list-resource.ts';
import {
  freedRow,
  type NamedKind,
  newName,
  takeName,
} from '../../shared/core/resource/named-records.ts';
import { instanceOf, reservedId } from '../../shared/core/resource/place.ts';
import type { Context } from '../../shared/core/resource/route.ts';
import { newJob } from '../../shared/jobs/jobs.ts';
import { retryOnConflict } from '../../shared/jobs/write-conflict.ts';
import { clearTraces } from '../../shared/scripts/clear-script.ts';
import { commit } from '../../shared/store/commit.ts';
import {
  as,
  scriptEndpointEntity,
  scriptEndpointRowEntity,
  scriptEndpointRowPrefix,
  scriptEntity,
} from '../../shared/store/entities.ts';
import type {
  ScriptEndpointData,
  ScriptEndpointRowData,
} from '../../shared/store/records/scripts.ts';
import type { Stored, Write } from '../../shared/store/store.ts';
import { store as put, remove, replace } from '../../shared/store/writes.ts';
import { type FieldErrors, invalid, notFound } from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import { endpointFields, scriptWord } from './fields.ts';

/** Kind of script endpoints. A list position names the script as well, so that public links need no extra read. */
export const kind = {
  entity: scriptEndpointEntity,
  rowEntity: scriptEndpointRowEntity,
  rowPrefix: scriptEndpointRowPrefix,
  rowOf: ({ name, script }: ScriptEndpointData): ScriptEndpointRowData => ({ name, script }),
} satisfies NamedKind<ScriptEndpointData>;

/** Values of a valid body of an endpoint; unchanged ones are absent. */
type Draft = Partial<Pick<ScriptEndpointData, 'name' | 'description' | 'script' | 'public'>>;

/** Removes endpoints of deleted scripts: they are deleted together (docs/reference/scripts.md#deletion). */
export async function livingOf<Endpoint extends Pick<Stored<ScriptEndpointData>, 'data'>>(
  context: Context,
  endpoints: readonly Endpoint[],
): Promise<readonly Endpoint[]> {
  const ids = [...new Set(endpoints.map(({ data }) => data.script))];
  if (ids.length === 0) return [];
  const instance = instanceOf(context);
  const found = await context.platform.store.get(ids.map((id) => scriptEntity.key(instance, id)));
  const living = new Set(ids.filter((_, at) => found[at] !== undefined));
  return endpoints.filter(({ data }) => living.has(data.script));
}

/** Creates a script endpoint; the name of one that was deleted with its script is free. */
export async function createEndpoint(context: Context, body: Body): Promise<ScriptEndpointData> {
  const fields = endpointFields(context.version);
  return retryOnConflict(async () => {
    const draft = await checked(context, readInput(fields, body, 'create'));
    const keyed = await firstKey(context.platform);
    const data = { ...draft, row: reservedId(context), ...keyed } as ScriptEndpointData; // all fields have values
    const { leaves, ...taken } = await holderOf(context, data.name);
    await takeName(context, kind, { data, ...taken, field: 'name', more: leaves });
    return data;
  });
}

/** Changes a script endpoint, except its name. */
export async function updateEndpoint(
  context: Context,
  { current, body, mode }: Update<ScriptEndpointData>,
): Promise<ScriptEndpointData> {
  await checkLiving(context, current);
  const draft = await checked(context, readInput(endpointFields(context.version), body, mode));
  const data: ScriptEndpointData = { ...current.data, ...draft };
  const rowKey = scriptEndpointRowEntity.key(instanceOf(context), data.row);
  const isMoved = data.script !== current.data.script;
  const row = isMoved ? [put(scriptEndpointRowEntity, rowKey, kind.rowOf(data))] : [];
  await commit(context, [replace(current, data), ...row]);
  return data;
}

/** Renames a script endpoint; the old name is free with the same transaction, the public link is kept. */
export async function renameEndpoint(
  context: Context,
  current: Stored<ScriptEndpointData>,
  body: Body,
): Promise<ScriptEndpointData> {
  await checkLiving(context, current);
  const name = newName(body);
  if (name === current.data.name) return current.data;
  const data: ScriptEndpointData = { ...current.data, name };
  const { leaves, ...taken } = await holderOf(context, name);
  const more = [remove(current), ...leaves];
  await takeName(context, kind, { data, ...taken, field: 'new_name', more });
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
  await commit(context, [replace(current, data)]);
  return data;
}

/** Deletes a script endpoint, and later its traces. */
export async function removeEndpoint(
  context: Context,
  current: Stored<ScriptEndpointData>,
): Promise<void> {
  await checkLiving(context, current);
  const freed = freedRow(context, kind, current.data);
  await commit(context, [remove(current), freed, tracesCleared(context, current.data)]);
}

/** Returns a write that starts the deletion of a deleted endpoint's traces. */
function tracesCleared(context: Context, { row }: ScriptEndpointData): Write {
  const traces = { instance: instanceOf(context), kind: 'endpoint', parent: row };
  return newJob(context.platform, clearTraces, traces);
}

async function checkLiving(context: Context, current: Stored<ScriptEndpointData>): Promise<void> {
  if ((await livingOf(context, [current])).length === 0) throw notFound();
}

/** Returns the holder of a name, whether its script exists, and the clean-up writes if not. */
async function holderOf(context: Context, name: string) {
  const [found] = await context.platform.store.get([
    scriptEndpointEntity.key(instanceOf(context), name),
  ]);
  const holder = as(scriptEndpointEntity, found);
  const isLiving = holder !== undefined && (await livingOf(context, [holder])).length > 0;
  const leaves = holder === undefined || isLiving ? [] : [tracesCleared(context, holder.data)];
  return { holder, isLiving: () => isLiving, leaves };
}

/**
 * Looks up the script that a body names, and throws the messages of all failed fields together.
 *
 * @throws ApiError 400
 */
async function checked(context: Context, { values, errors }: Input): Promise<Draft> {
  const word = scriptWord[context.version];
  const { [word]: sent, ...others } = values;
  const script = sent as number | undefined; // validated
  const failed: Record<string, FieldErrors[string]> = { ...errors };
  if (script !== undefined) {
    const key = scriptEntity.key(instanceOf(context), script);
    const [found] = await context.platform.store.get([key]);
    if (found === undefined) failed[word] = [messages.noSuchPk(script)];
  }
  if (Object.keys(failed).length > 0) throw invalid(failed);
  return { ...(others as Draft), ...(script !== undefined && { script }) }; // validated
}
