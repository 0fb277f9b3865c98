import { existsSync } from 'node:fs';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder } from '../files/atomic-file.ts';
import { StartError } from '../server/start-error.ts';
import { archiveBytes, packBackup } from './archive.ts';
import { type BackupSize, backUp, checkOutside } from './backup.ts';
import { openEncryption } from './encryption.ts';
import { openBucket } from './s3/bucket.ts';
import { maxObjectBytes, partBytesFor, uploadObject } from './s3/upload.ts';
import { type BackupSettings, bucketAccess } from './storage.ts';
import { openStoredBackups, pruneBackups, removeOldDrafts } from './stored.ts';
import { type BackupTarget, newBackupName, parseTarget } from './target.ts';
import { withDraft, writeLastBackups } from './work-folder.ts';

/** A backup that was stored. */
export interface StoredBackupSize extends BackupSize {
  readonly name: string;
  /** Of its one file; undefined for a folder. */
  readonly bytes?: number;
}

/** Options of a backup. */
export interface BackUpOptions {
  readonly settings: BackupSettings;
  /** Ends the backup, which then leaves nothing at its target. */
  readonly signal?: AbortSignal;
}

type Wrap = (plain: ReadableStream<Uint8Array>) => Promise<ReadableStream<Uint8Array>>;

/**
 * Makes a backup of a data folder at a target under a new name, also while a server uses it, and remembers the success.
 * Then a target folder keeps what the retention says.
 *
 * @throws StartError for settings that do not suffice, BucketError when the bucket does not confirm it
 */
export async function backUpTo(
  folder: string,
  to: string,
  options: BackUpOptions,
): Promise<StoredBackupSize> {
  await checkBackupSettings(folder, to, options.settings);
  const target = parseTarget(to);
  const form = formOf(target, options.settings.recipient);
  const wrap = await openForm(options.settings.recipient);
  if (!existsSync(join(folder, 'format.json'))) throw new StartError(`${folder} holds no data`);
  const name = newBackupName(Date.now(), form);
  const made = await withDraft(folder, async (draft): Promise<StoredBackupSize> => {
    if (target.kind === 'folder') await removeOldDrafts(target.folder);
    if (target.kind === 'folder' && form === 'folder') {
      return { name, ...(await backUp(folder, join(target.folder, name))) };
    }
    const size = await backUp(folder, draft);
    const expectedBytes = await archiveBytes(draft);
    const content = await wrap(packBackup(draft, { name, ...size }));
    const bytes = await store(target, { name, content, expectedBytes }, options);
    return { name, ...size, bytes };
  });
  await writeLastBackups(folder, { success: { at: new Date().toISOString(), name } });
  const { keep } = options.settings;
  if (keep !== undefined) {
    await pruneBackups(openStoredBackups(to, options.settings), {
      keep,
      isDry: false,
      nowMs: Date.now(),
    });
  }
  return made;
}

/**
 * Checks that settings suffice for a target of the backups of a data folder.
 *
 * @throws StartError otherwise
 */
export async function checkBackupSettings(
  folder: string,
  to: string,
  settings: BackupSettings,
): Promise<void> {
  const target = parseTarget(to);
  formOf(target, settings.recipient);
  await openForm(settings.recipient);
  if (target.kind === 'folder') return checkOutside(folder, target.folder);
  bucketAccess(settings);
  if (settings.keep === undefined) return;
  throw new StartError(
    'GROUNDWORK_BACKUP_KEEP is for folders: a bucket is pruned by groundwork backup prune, with other credentials',
  );
}

/** Chooses the form of a backup: a bucket gets a plain one only where that is asked for. */
function formOf({ kind }: BackupTarget, recipient: string | undefined) {
  if (recipient !== undefined && recipient !== 'plain') return 'encrypted';
  if (kind === 'folder') return 'folder';
  if (recipient === 'plain') return 'plain';
  throw new StartError(
    'a bucket gets encrypted backups: set GROUNDWORK_BACKUP_RECIPIENT to a public key (groundwork backup keygen), or to plain',
  );
}

async function openForm(recipient: string | undefined): Promise<Wrap> {
  if (recipient === undefined || recipient === 'plain') return async (plain) => plain;
  return openEncryption(recipient);
}

interface Archive {
  readonly name: string;
  readonly content: ReadableStream<Uint8Array>;
  readonly expectedBytes: number;
}

async function store(
  target: BackupTarget,
  { name, content, expectedBytes }: Archive,
  { settings, signal }: BackUpOptions,
): Promise<number> {
  if (target.kind === 'folder') return writeNew(join(target.folder, name), content, signal);
  if (expectedBytes > maxObjectBytes) {
    throw new StartError(`a backup in a bucket has at most ${maxObjectBytes} bytes`);
  }
  const bucket = openBucket(target.bucket, bucketAccess(settings), { ...(signal && { signal }) });
  return uploadObject(bucket, target.prefix + name, content, partBytesFor(expectedBytes));
}

/** Writes a file, which appears when it is complete and on the disk. */
async function writeNew(
  path: string,
  content: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<number> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.part`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await writeFile(file, content, { signal });
    await file.sync();
    const { size } = await file.stat();
    await rename(draft, path);
    await syncFolder(dirname(path));
    return size;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}
