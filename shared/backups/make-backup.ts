import type { JobContext, JobType, StepResult } from '../jobs/jobs.ts';
import { readTogether } from '../store/entity.ts';
import type { Snapshot, Store } from '../store/store.ts';
import { dataOfInstance } from '../table/data-ids.ts';
import { backupEntity } from '../table/entities/accounts.ts';
import { instanceEntity } from '../table/entities/instances.ts';
import type { BackupDetails, BackupStatus } from '../table/records/backups.ts';
import { archiveFiles } from '../values/file-keys.ts';
import { putChunk, putManifest } from './archive.ts';
import { archivedAliases } from './archived-aliases.ts';
import {
  type BackupReference,
  changeBackup,
  defaultMaxBackupBytes,
  storedBytes,
} from './backup-state.ts';
import { type ContentsPosition, readContentsPart } from './contents.ts';
import { addDetails } from './details.ts';

/** Progress of a backup; absent before its first step. */
type Progress = {
  readonly position: ContentsPosition | null;
  readonly chunks: number;
  readonly bytes: number;
  readonly details: BackupDetails;
  /** Epoch milliseconds of the first step. */
  readonly since: number;
};

type Task = BackupReference & { readonly progress?: Progress };

const maxMs = 86_400_000; // files of the instance are not deleted in this time

/**
 * Makes a backup: each step stores a chunk, the last one the manifest. With a snapshot, which ends with its process, a
 * backup that was interrupted begins again; without one it continues.
 */
export const makeBackup: JobType = {
  name: 'make-backup',
  step: async (context, stored) => {
    const task = stored as Task; // as stored
    try {
      return await step(context, task);
    } catch (error) {
      closeSnapshot(context.store, task.backup); // the next attempt begins again
      throw error;
    }
  },
};

async function step(context: JobContext, task: Task): Promise<StepResult> {
  const { account, backup, instance } = task;
  const nowMs = context.clock.micros() / 1000;
  const begun = task.progress ?? (await begin(context, task));
  if (!(await isCurrent(context, task)))
    return end(context, task, 'aborted', 'Instance was removed.');
  if (nowMs - begun.since > maxMs) return end(context, task, 'aborted', 'Backup took too long.');
  const progress = hasSnapshot(context.store, backup) ? begun : await restart(context, task, begun);
  const archive = archiveFiles(account, backup);
  if (progress.position === null) {
    const aliases = await archivedAliases(context, instance);
    const { chunks } = progress;
    const some = aliases.length > 0 && { aliases };
    await putManifest(context.files, archive, { format: 1, chunks, ...some });
    return end(context, task, 'success', '', progress);
  }
  const reader = readerOf(context.store, backup);
  const { files, clock, log } = context;
  const contents = { reader, files, clock, log, data: instance, archive };
  const part = await readContentsPart(contents, progress.position);
  const chunk = progress.chunks;
  const isEmpty = part.lines.length === 0;
  const stored = isEmpty ? 0 : await putChunk(files, { archive, chunk }, part.lines);
  const next: Progress = {
    ...progress,
    position: part.next ?? null,
    chunks: chunk + (isEmpty ? 0 : 1),
    bytes: progress.bytes + stored + part.fileBytes,
    details: addDetails(progress.details, part.items),
  };
  const maxBytes = context.settings.maxBackupBytes ?? defaultMaxBackupBytes;
  if ((await storedBytes(context, account)) + next.bytes > maxBytes) {
    return end(context, task, 'error', `Size of backups exceeded (${maxBytes} bytes).`);
  }
  if (next.position === null) await changeBackup(context, task, { status: 'uploading' });
  return { task: { ...task, progress: next } };
}

const first: Omit<Progress, 'since'> = {
  position: { at: 0, classes: [] },
  chunks: 0,
  bytes: 0,
  details: {},
};

async function begin(context: JobContext, task: Task): Promise<Progress> {
  await changeBackup(context, task, { status: 'running' });
  return { ...first, since: context.clock.micros() / 1000 };
}

/** Checks whether the backup and its instance exist, with these contents. */
async function isCurrent(
  { store }: JobContext,
  { account, backup, instance }: Task,
): Promise<boolean> {
  const { record, instanceRecord } = await readTogether(store, {
    record: backupEntity.at(account, backup),
    instanceRecord: instanceEntity.at(instance),
  });
  return (
    record !== undefined &&
    instanceRecord !== undefined &&
    dataOfInstance(instanceRecord.data) === instance
  );
}

/** Begins again with a new snapshot, where the store has snapshots. */
async function restart(context: JobContext, task: Task, progress: Progress): Promise<Progress> {
  const { account, backup } = task;
  const snapshot = context.store.openSnapshot?.();
  if (snapshot === undefined) return progress;
  snapshotsOf(context.store).set(backup, snapshot);
  if (progress.chunks > 0) await context.files.removeAll(archiveFiles(account, backup));
  return { ...progress, ...first };
}

/** Ends a backup. Without success its archive is deleted. */
async function end(
  context: JobContext,
  task: Task,
  status: BackupStatus,
  status_info: string,
  complete?: Progress,
): Promise<StepResult> {
  closeSnapshot(context.store, task.backup);
  if (complete === undefined) {
    await context.files.removeAll(archiveFiles(task.account, task.backup));
    await changeBackup(context, task, { status, status_info });
  } else {
    const { bytes: size, details } = complete;
    await changeBackup(context, task, { status, status_info, size, details });
  }
  return 'done';
}

/** Open snapshots by backup, for each store of this process. */
const snapshots = new WeakMap<Store, Map<number, Snapshot>>();

function snapshotsOf(store: Store): Map<number, Snapshot> {
  const known = snapshots.get(store) ?? new Map<number, Snapshot>();
  snapshots.set(store, known);
  return known;
}

function hasSnapshot(store: Store, backup: number): boolean {
  return snapshotsOf(store).has(backup);
}

function readerOf(store: Store, backup: number): Pick<Store, 'query'> {
  return snapshotsOf(store).get(backup) ?? store;
}

function closeSnapshot(store: Store, backup: number): void {
  snapshotsOf(store).get(backup)?.close();
  snapshotsOf(store).delete(backup);
}
