import type { Platform } from '../ports/ports.ts';
import type { Key, Put, Stored } from '../store/store.ts';
import { createOrUpdate } from '../store/writes.ts';
import { traceEntity } from '../table/entities/runs.ts';
import type { TraceData, TraceKind, TracePart } from '../table/records/scripts.ts';
import {
  dataOwner,
  type FileKey,
  newFileKey,
  storedKeyOf,
  traceFiles,
} from '../values/file-keys.ts';
import { parseExactJson, toExactJson } from '../values/json/exact-number.ts';
import type { Json } from '../values/json/json.ts';

/** Value of a trace without a result yet. */
export const noResult: TracePart = { value: {} };
/** Arguments in a trace that keeps none: many large requests leave no large traces. */
export const noTraceArguments: TracePart = { value: {} };

const liveMs = 24 * 3_600_000; // docs/reference/scripts.md#retention
const maxInlineBytes = 32_768; // an item is limited to 400 KB, and a list reads a hundred of them

/** Returns the write of a new trace; with `current` it changes that one. It expires a day after its creation. */
export function traceWrite(key: Key, data: TraceData, current?: Stored<TraceData>): Put {
  return { expiresAt: expiryOf(data), ...createOrUpdate(traceEntity, { key, current }, data) };
}

/** Returns when a trace, and what belongs to it, expires, in epoch seconds. */
export function expiryOf({ createdMs }: Pick<TraceData, 'createdMs'>): number {
  return Math.ceil((createdMs + liveMs) / 1000);
}

/**
 * Creates a value of a trace: a large one, or one with large numbers, is stored in a file, which is deleted after a day
 * even if no trace refers to it.
 */
export async function keepPart(
  { files, ids }: Pick<Platform, 'files' | 'ids'>,
  instance: number,
  value: Json,
): Promise<TracePart> {
  const { text, isExact } = toExactJson(value);
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxInlineBytes && !isExact) return { value }; // an item has doubles only
  const folder = traceFiles(instance);
  const file = newFileKey(folder, ids);
  await files.put(folder.owner, file, { bytes, contentType: 'application/json' });
  return { file, length: text.length };
}

/** Copies a value of a trace for another trace: each file belongs to one trace, with which it is deleted. */
export async function copyPart(
  platform: Pick<Platform, 'files' | 'ids'>,
  instance: number,
  part: TracePart,
): Promise<TracePart> {
  return 'file' in part
    ? keepPart(platform, instance, await readTraceValue(platform, instance, part))
    : part;
}

/** Returns the keys of the files of a value: one, or none when the trace itself contains it. */
export function filesOf(instance: number, part: TracePart): readonly FileKey[] {
  return 'file' in part ? [storedKeyOf(dataOwner(instance), 'traces', part.file)] : [];
}

/** Reads a value of a trace. Throws Error when its file was deleted, which never happens before the trace is. */
export async function readTraceValue(
  { files }: Pick<Platform, 'files'>,
  instance: number,
  part: TracePart,
): Promise<Json> {
  if ('value' in part) return part.value;
  const owner = dataOwner(instance);
  const found = await files.get(owner, storedKeyOf(owner, 'traces', part.file));
  if (found === undefined) throw new Error('a value of a trace is gone');
  return parseExactJson(new TextDecoder().decode(found.bytes)) as Json; // keepPart wrote it
}

/** Owner of traces: a script, or a script endpoint by its list position. */
export interface TraceParent {
  readonly instance: number;
  readonly kind: TraceKind;
  readonly parent: number;
}

/** Maximum number of traces in a list: the newest of one parent (docs/reference/scripts.md#retention). */
export const listed = 100;
/** Milliseconds for which a trace displaced from the list is found by its id. */
export const afterlifeMs = 300_000;

/** Reads the newest traces of a parent, newest first: as many as a list has, or fewer. */
export async function newestTraces(
  { store }: Pick<Platform, 'store'>,
  { instance, kind, parent }: TraceParent,
  limit: number = listed,
): Promise<readonly Stored<TraceData>[]> {
  const newest = { descending: true, limit: Math.min(limit, listed) };
  return (await traceEntity.list(store, [instance, kind, parent], newest)).items;
}

/** Finds a trace by its id; undefined when it has expired, or was displaced from the list a while ago. */
export async function findTrace(
  { store, clock }: Pick<Platform, 'store' | 'clock'>,
  { instance, kind, parent }: TraceParent,
  id: number,
): Promise<Stored<TraceData> | undefined> {
  const found = await traceEntity.read(store, instance, kind, parent, id);
  const latestMs = clock.micros() / 1000 - afterlifeMs; // a newer trace cannot have been displaced before that
  if (found === undefined || found.data.createdMs > latestMs) return found;
  const newer = { after: found.key.sk, limit: listed };
  const { items } = await traceEntity.list(store, [instance, kind, parent], newer);
  const pushing = items[listed - 1];
  return pushing !== undefined && pushing.data.createdMs < latestMs ? undefined : found;
}

const shownCharacters = 65_536;

/**
 * Reads a value for a list: a value that is too large is replaced without reading it
 * (docs/reference/scripts.md#retention).
 */
export async function readListedPart(
  platform: Pick<Platform, 'files'>,
  instance: number,
  { part, tooBig }: { readonly part: TracePart; readonly tooBig: string },
): Promise<Json> {
  const isTooBig = 'file' in part && part.length > shownCharacters;
  return isTooBig ? { __error__: tooBig } : readTraceValue(platform, instance, part);
}
