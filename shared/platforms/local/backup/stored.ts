import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../../values/caught.ts';
import { StartError } from '../server/start-error.ts';
import { expiredBackups, keepPattern, type StoredBackup } from './retention.ts';
import { openBucket } from './s3/bucket.ts';
import { listBucket } from './s3/listing.ts';
import { expectSuccess } from './s3/responses.ts';
import { type BackupSettings, bucketAccess } from './storage.ts';
import { isBackupName, isDraftName, parseTarget } from './target.ts';

/** The backups of a target. */
export interface StoredBackups {
  /** In the order of their names, and so of their times. */
  list(): Promise<readonly StoredBackup[]>;
  delete(name: string): Promise<void>;
}

const smallestBytes = 4096; // a store alone has more

/**
 * Opens the backups of a target. A bucket needs credentials that may list and delete.
 *
 * @throws StartError for an invalid target, or without credentials
 */
export function openStoredBackups(to: string, settings: BackupSettings): StoredBackups {
  const target = parseTarget(to);
  return target.kind === 'folder'
    ? inFolder(target.folder)
    : inBucket(target.bucket, target.prefix, settings);
}

function inBucket(name: string, prefix: string, settings: BackupSettings): StoredBackups {
  const bucket = openBucket(name, bucketAccess(settings));
  return {
    list: async () => {
      const objects = await listBucket(bucket, `${prefix}groundwork-`);
      const backups = objects.map(({ key, bytes, storedMs }) => {
        return { name: key.slice(prefix.length), storedMs, isGood: bytes >= smallestBytes };
      });
      return backups.filter(({ name }) => isBackupName(name));
    },
    delete: async (each) => {
      const request = { method: 'DELETE', key: prefix + each } as const;
      expectSuccess(await bucket.send(request), request);
    },
  };
}

function inFolder(folder: string): StoredBackups {
  return {
    list: async () => {
      const names = (await readdir(folder).catch(noneIfAbsent)).filter(isBackupName).sort();
      return Promise.all(names.map((name) => describe(folder, name)));
    },
    delete: (name) => rm(join(folder, name), { recursive: true, force: true }),
  };
}

function noneIfAbsent(error: unknown): readonly string[] {
  if (codeOf(error) !== 'ENOENT') throw error;
  return [];
}

const oldDraftMs = 2 * 86_400_000; // no backup is being made for longer

/** Deletes what killed processes have left in a target folder. */
export async function removeOldDrafts(folder: string): Promise<void> {
  const names = (await readdir(folder).catch(noneIfAbsent)).filter(isDraftName);
  for (const name of names) {
    const { mtimeMs } = await stat(join(folder, name));
    if (mtimeMs < Date.now() - oldDraftMs) {
      await rm(join(folder, name), { recursive: true, force: true });
    }
  }
}

async function describe(folder: string, name: string): Promise<StoredBackup> {
  const stats = await stat(join(folder, name));
  if (!stats.isDirectory()) {
    return { name, storedMs: stats.mtimeMs, isGood: stats.size >= smallestBytes };
  }
  const inside = await readdir(join(folder, name));
  return { name, storedMs: stats.mtimeMs, isGood: inside.includes('format.json') };
}

/** Names of the backups that a retention keeps and deletes. */
export interface Pruned {
  readonly kept: readonly string[];
  readonly deleted: readonly string[];
}

/**
 * Deletes the backups that a retention does not keep, the oldest first. The newest good one is always kept.
 *
 * @param keep number of backups, or of days such as `30d`
 * @throws StartError for another `keep`, and when no backup is good: then nothing is deleted
 */
export async function pruneBackups(
  stored: StoredBackups,
  {
    keep,
    isDry,
    nowMs,
  }: { readonly keep: string; readonly isDry: boolean; readonly nowMs: number },
): Promise<Pruned> {
  if (keep === '' || !keepPattern.test(keep)) {
    throw new StartError('--keep takes a number of backups from 1 to 9999, or of days such as 30d');
  }
  const all = await stored.list();
  const names = expiredBackups(all, keep, nowMs).map(({ name }) => name);
  const deleted = names.reverse();
  if (!isDry) for (const name of deleted) await stored.delete(name);
  const kept = all.map(({ name }) => name).filter((name) => !deleted.includes(name));
  return { kept, deleted };
}
