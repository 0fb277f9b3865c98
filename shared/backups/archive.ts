import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { FileStore } from '../ports/file-store.ts';
import { writeJson } from '../store/exact-json.ts';
import type { AliasData, ApiKeyData, Keyed } from '../table/records/records.ts';
import { chunkKey, type FileFolder, manifestKey } from '../values/file-keys.ts';
import { isJsonObject, type Json } from '../values/json/json.ts';

/*
 * An archive is a folder of files: chunks of items, copies of the instance's files, and last the manifest, without which
 * it is incomplete.
 */

/** An item of an archive: partition below the data id, sort key, kind, data. */
export type ArchivedItem = readonly [below: string, sk: string, kind: string, data: object];

/** An alias of an API key of the instance, for restores into another one. */
export interface ArchivedAlias
  extends Pick<AliasData, 'mac' | 'last_four' | 'secret_version'>,
    Required<Pick<AliasData, 'origin'>> {
  /** Its API key, which is in no archive itself. */
  readonly key: Omit<ApiKeyData, keyof Keyed | 'created_at'>;
}

/** Properties of an archive that a restore uses. */
export interface Manifest {
  readonly format: 1;
  readonly chunks: number;
  /** Absent without any, and in archives of version 0.1. */
  readonly aliases?: readonly ArchivedAlias[];
}

/** Stores a chunk; returns its bytes. A chunk of the same number is replaced. */
export async function putChunk(
  files: FileStore,
  { archive, chunk }: { readonly archive: FileFolder; readonly chunk: number },
  lines: readonly string[],
): Promise<number> {
  const bytes = await promisify(gzip)(lines.join('\n'));
  const file = { bytes, contentType: 'application/gzip' };
  await files.put(archive.owner, chunkKey(archive, chunk), file);
  return bytes.length;
}

/** Writes an item as a line of a chunk. */
export function archiveLine(item: ArchivedItem): string {
  return writeJson(item);
}

/** Reads a chunk; undefined when it is absent or damaged. */
export async function readChunk(
  files: Pick<FileStore, 'get'>,
  archive: FileFolder,
  chunk: number,
): Promise<readonly ArchivedItem[] | undefined> {
  const file = await files.get(archive.owner, chunkKey(archive, chunk));
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
  archive: FileFolder,
  manifest: Manifest,
): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(manifest));
  const file = { bytes, contentType: 'application/json' };
  await files.put(archive.owner, manifestKey(archive), file);
}

/** Reads the manifest; undefined when it is absent or damaged. */
export async function readManifest(
  files: Pick<FileStore, 'get'>,
  archive: FileFolder,
): Promise<Manifest | undefined> {
  const file = await files.get(archive.owner, manifestKey(archive));
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
