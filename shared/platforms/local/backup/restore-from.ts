import { createReadStream } from 'node:fs';
import { mkdir, readFile, rm, stat, statfs } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { codeOf } from '../../../values/caught.ts';
import { decodeReplacing } from '../../../values/text/decode-text.ts';
import { readFormat } from '../files/data-folder.ts';
import { StartError } from '../server/start-error.ts';
import { type ArchiveManifest, unpackArchive } from './archive.ts';
import { checkBackup } from './backup.ts';
import { openDecryption } from './encryption.ts';
import { checkEmpty, restoreDataFolder } from './restore.ts';
import { openBucket } from './s3/bucket.ts';
import { openObject, type StoredObject } from './s3/download.ts';
import { BucketError } from './s3/responses.ts';
import { type BackupSettings, bucketAccess } from './storage.ts';
import { extensions, isInBucket, parseBackupAddress } from './target.ts';

/** Options of a restore. */
export interface RestoreOptions {
  /** File with the private key; undefined for a backup that is not encrypted. */
  readonly identity: string | undefined;
  /** Reads the settings of the bucket; not called for a folder or file. */
  readonly settings: () => BackupSettings;
}

/**
 * Restores any backup into a data folder, as {@link restoreDataFolder}: a folder, a file, or an object of a bucket. A
 * file or object is read and checked whole in a folder next to the data folder, before anything of it is put there.
 *
 * @param backup path, or address `s3://<bucket>/<key>`
 * @throws StartError for a backup that is not complete, was changed, or is another one than its name says
 */
export async function restoreFrom(
  backup: string,
  folder: string,
  options: RestoreOptions,
): Promise<number> {
  if (!isInBucket(backup) && (await isFolder(backup))) return restoreDataFolder(backup, folder);
  await checkEmpty(folder);
  const draft = `${resolve(folder)}.${process.pid}.part`;
  await mkdir(dirname(draft), { recursive: true });
  await mkdir(draft, { mode: 0o700 });
  try {
    await unpackBackup(backup, draft, options);
    return await restoreDataFolder(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    throw new StartError(`${path} does not exist`);
  }
}

async function unpackBackup(
  backup: string,
  draft: string,
  { identity, settings }: RestoreOptions,
): Promise<void> {
  const open = await openForm(backup, identity);
  const { bytes, content } = isInBucket(backup)
    ? await openInBucket(backup, settings())
    : await openFile(backup);
  await checkSpace(draft, bytes);
  try {
    const manifest = await unpackArchive(await open(content), draft);
    await checkManifest(backup, manifest, draft);
  } catch (cause) {
    if (cause instanceof StartError || cause instanceof BucketError || codeOf(cause)) throw cause;
    throw new StartError(`${backup} is not complete or was changed: nothing is restored`, {
      cause,
    });
  }
}

async function openForm(backup: string, identity: string | undefined) {
  if (!backup.endsWith(extensions.encrypted)) {
    return async (content: ReadableStream<Uint8Array>) => content;
  }
  if (identity === undefined) {
    throw new StartError(`${backup} is encrypted: give --identity, the file with the private key`);
  }
  return openDecryption(decodeReplacing(await readFile(identity)).text);
}

async function openInBucket(backup: string, settings: BackupSettings): Promise<StoredObject> {
  const { bucket, prefix, name } = parseBackupAddress(backup);
  return openObject(openBucket(bucket, bucketAccess(settings)), prefix + name);
}

async function openFile(path: string): Promise<StoredObject> {
  const { size } = await stat(path);
  return { bytes: size, content: ReadableStream.from(createReadStream(path)) };
}

async function checkSpace(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < bytes)
    throw new StartError(`the disk of ${folder} lacks space for ${bytes} bytes`);
}

/** Checks that the unpacked files are the backup that its name and its manifest say. */
async function checkManifest(
  backup: string,
  manifest: ArchiveManifest,
  draft: string,
): Promise<void> {
  if (manifest.name !== basename(backup)) {
    throw new StartError(`${backup} is another backup, ${manifest.name}: nothing is restored`);
  }
  if ((await readFormat(draft)) === undefined) throw new Error('format.json is missing');
  const { items, files, missing } = await checkBackup(draft);
  if (missing !== undefined) throw new Error('a file is missing');
  if (items !== manifest.items || files !== manifest.files) throw new Error('the counts differ');
}
