import { fileKey, tracePrefix } from '../domain/file-keys.ts';
import type { Json } from '../domain/json.ts';
import { traceEntity } from '../store/entities.ts';
import type { TraceData, TracePart } from '../store/script-records.ts';
import type { Key, Put, Stored } from '../store/store.ts';
import { insert, replace } from '../store/writes.ts';
import type { Platform } from './ports.ts';

const liveMs = 24 * 3_600_000; // reference: traces, retention
const maxInlineBytes = 32_768; // an item has 400 KB, and a list reads a hundred of them

/** Writes a new trace; with `current` it changes that one. It expires a day after it was made. */
export function traceWrite(key: Key, data: TraceData, current?: Stored<TraceData>): Put {
  const put = current === undefined ? insert(traceEntity, key, data) : replace(current, data);
  return { ...put, expiresAt: Math.ceil((data.createdMs + liveMs) / 1000) };
}

/** Makes a value of a trace: a large one is put into a file, which nobody has to remove. */
export async function keepPart(
  { files, ids }: Pick<Platform, 'files' | 'ids'>,
  instance: number,
  value: Json,
): Promise<TracePart> {
  const text = JSON.stringify(value);
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxInlineBytes) return { value };
  const file = fileKey(tracePrefix(instance), ids.random() + ids.random(), '');
  await files.put(file, { bytes, contentType: 'application/json' });
  return { file, length: text.length };
}

/** Reads a value of a trace. Throws Error when its file is gone, which does not happen before the trace is. */
export async function readPart({ files }: Pick<Platform, 'files'>, part: TracePart): Promise<Json> {
  if ('value' in part) return part.value;
  const found = await files.get(part.file);
  if (found === undefined) throw new Error('a value of a trace is gone');
  return JSON.parse(new TextDecoder().decode(found.bytes));
}
