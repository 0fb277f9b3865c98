import { type Context, instanceOf, notFound } from '../../shared/core/family.ts';
import { parseProjection } from '../../shared/core/resource/projection.ts';
import { SourceChanged, wholeSource } from '../../shared/scripts/script-sources.ts';
import { ConditionFailed, type Stored } from '../../shared/store/store.ts';
import { scriptSourceEntity } from '../../shared/table/entities/scripts.ts';
import type { ScriptData, ScriptSourceData } from '../../shared/table/records/scripts.ts';
import { scriptFields } from './fields.ts';
import type { ScriptContext } from './loads.ts';

/** A script with as much of its source as a response shows. */
export interface ScriptView {
  readonly data: ScriptData;
  readonly source: string;
}

/** Joins scripts with their sources: a list shortens long ones, and does not read the parts that it omits. */
export async function viewScripts(
  context: ScriptContext,
  items: readonly Stored<ScriptData>[],
): Promise<readonly ScriptView[]> {
  const project = parseProjection(context.request.query);
  const isShown = 'source' in project({ source: '' }, scriptFields);
  if (!isShown || items.length === 0) return items.map(({ data }) => ({ data, source: '' }));
  if (context.route.kind !== 'list') {
    return Promise.all(
      items.map(async (item) => {
        const source = context.loaded.source?.data;
        return { data: item.data, source: await wholeOf(context, item.data.id, source) };
      }),
    );
  }
  const instance = instanceOf(context);
  const sources = await scriptSourceEntity.readAll(
    context.platform.store,
    items.map(({ data }) => [instance, data.id]),
  );
  return items.map(({ data }, at) => ({
    data,
    source: sources[at]?.data.text ?? '', // deleted since
  }));
}

/** Returns the source of a script as it was read. Throws ConditionFailed when the script has changed since. */
export async function sourceOf(
  context: ScriptContext,
  { data: { id, version } }: Stored<ScriptData>,
): Promise<ScriptSourceData> {
  const read = context.loaded.source?.data;
  const source = read?.version === version ? read : await readAgain(context, id);
  if (source?.version !== version) throw new ConditionFailed(0, undefined);
  return source;
}

/**
 * Returns a whole source; the current one when it has changed since it was read.
 *
 * @throws ApiError 404 when the script was deleted
 */
export async function wholeOf(
  context: Context,
  script: number,
  read: ScriptSourceData | undefined,
): Promise<string> {
  for (let source = read; ; source = await readAgain(context, script)) {
    if (source === undefined) throw notFound();
    try {
      return await wholeSource(context.platform, instanceOf(context), source);
    } catch (error) {
      if (!(error instanceof SourceChanged)) throw error;
    }
  }
}

async function readAgain(context: Context, script: number): Promise<ScriptSourceData | undefined> {
  const { store } = context.platform;
  return (await scriptSourceEntity.read(store, instanceOf(context), script))?.data;
}
