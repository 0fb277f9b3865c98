import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { FileStore } from '../platform/ports.ts';
import { writeJson } from '../store/exact-json.ts';
import { isJsonObject, type Json } from '../values/json/json.ts';

/*
 * An archive is a folder of files: chunks of items, copies of the instance's files, and last the manifest, without which
 * it is incomplete.
 */

/** An item of an archive: partition below the data id, sort key, kind, data. */
export type ArchivedItem = readonly [below: string, sk: string, kind: string, data: object];

/** What a restore has to know of an archive. */
export interface Manifest {
  readonly format: 1;
  readonly chunks: number;
}

const fileKeyPattern = /^(public|scripts)\/\d+\/(.+)$/;

/** Returns the key of the copy of a file in an archive; undefined for a key of no file of contents. */
export function archivedFile(prefix: string, key: string): string | undefined {
  const [, area, rest] = fileKeyPattern.exec(key) ?? [];
  return area === undefined ? undefined : `${prefix}files/${area}/${rest}`;
}

/** Returns the key of a file under another data id. */
export function movedFile(key: string, data: number): string {
  return key.replace(fileKeyPattern, `$1/${data}/$2`);
}

const chunkKey = (prefix: string, chunk: number) => `${prefix}items/${chunk}`;
const manifestKey = (prefix: string) => `${prefix}manifest`;

/** Stores a chunk; returns its bytes. A chunk of the same number is replaced. */
export async function putChunk(
  files: FileStore,
  { prefix, chunk }: { readonly prefix: string; readonly chunk: number },
  lines: readonly string[],
): Promise<number> {
  const bytes = await promisify(gzip)(lines.join('\n'));
  await files.put(chunkKey(prefix, chunk), { bytes, contentType: 'application/gzip' });
  return bytes.length;
}

/** Writes an item as a line of a chunk. */
export function archiveLine(item: ArchivedItem): string {
  return writeJson(item);
}

/** Reads a chunk; undefined when it is absent or damaged. */
export async function readChunk(
  files: FileStore,
  prefix: string,
  chunk: number,
): Promise<readonly ArchivedItem[] | undefined> {
  const file = await files.get(chunkKey(prefix, chunk));
  if (file === undefined) return undefined;
  try {
    const text = (await promisify(gunzip)(file.bytes)).toString();
    return text.split('\n').map((line) => JSON.parse(line) as ArchivedItem); // as written
  } catch {
    return undefined; // of gunzip, or not JSON
  }
}

/** Stores the manifest, which completes an archive. */
export async function putManifest(
  files: FileStore,
  prefix: string,
  manifest: Manifest,
): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(manifest));
  await files.put(manifestKey(prefix), { bytes, contentType: 'application/json' });
}

/** Reads the manifest; undefined when it is absent or damaged. */
export async function readManifest(
  files: FileStore,
  prefix: string,
): Promise<Manifest | undefined> {
  const file = await files.get(manifestKey(prefix));
  if (file === undefined) return undefined;
  try {
    const found = JSON.parse(Buffer.from(file.bytes).toString()) as Json;
    return isJsonObject(found) && found.format === 1
      ? (found as unknown as Manifest) // of this format
      : undefined;
  } catch {
    return undefined; // not JSON
  }
}
