import type { JobContext } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import { retryOnConflict } from '../jobs/write-conflict.ts';
import { readTogether } from '../store/entity.ts';
import { updateItem } from '../store/writes.ts';
import { activeBackupEntity, backupEntity } from '../table/entities/accounts.ts';
import { instanceBackupEntity } from '../table/entities/instances.ts';
import type { BackupData, BackupStatus } from '../table/records/backups.ts';
import { timestamp } from '../values/timestamp.ts';

/** A backup: the account that made it, its id, and the data id of its instance. */
export type BackupReference = {
  readonly account: number;
  readonly backup: number;
  readonly instance: number;
};

/** Bytes of all backups of an account, where the operator has not set another limit. */
export const defaultMaxBackupBytes = 10_737_418_240; // docs/reference/backups.md#limits

/** Backups of an account (docs/reference/backups.md#limits). */
export const maxBackups = 75;

/** Checks whether a backup or a restore has not ended. */
export function isActive(status: BackupStatus): boolean {
  return status === 'scheduled' || status === 'running' || status === 'uploading';
}

/** Checks whether a backup may be deleted: one that no job has begun to make, or that has ended. */
export function mayBeDeleted(status: BackupStatus): boolean {
  return status === 'scheduled' || !isActive(status);
}

/** Changes the record of a backup, if it still exists; at its end, another backup may begin. */
export async function changeBackup(
  context: JobContext,
  { account, backup, instance }: BackupReference,
  changes: Partial<BackupData>,
): Promise<void> {
  await retryOnConflict(async () => {
    const { record, active, ofInstance } = await readTogether(context.store, {
      record: backupEntity.at(account, backup),
      active: activeBackupEntity.at(account),
      ofInstance: instanceBackupEntity.at(instance, backup),
    });
    const hasEnded = changes.status !== undefined && !isActive(changes.status);
    const updated_at = timestamp(context.clock.micros());
    const writes = [
      ...(record ? [updateItem(record, { ...record.data, ...changes, updated_at })] : []),
      ...(hasEnded && active?.data.backup === backup ? [updateItem(active, { backup: null })] : []),
      ...(hasEnded && ofInstance
        ? [updateItem(ofInstance, { ...ofInstance.data, isActive: false })]
        : []),
    ];
    if (writes.length > 0) await maintain(context, writes);
  });
}

/** Returns the bytes of an account's backups that are complete. */
export async function storedBytes(
  { store }: Pick<JobContext, 'store'>,
  account: number,
): Promise<number> {
  const backups = await backupEntity.listAll(store, [account]);
  return backups.reduce((sum, { data }) => sum + (data.size ?? 0), 0);
}
