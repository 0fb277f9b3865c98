import type { JobType } from '../jobs/jobs.ts';
import { backupReaderEntity } from '../table/entities/accounts.ts';
import { activeRestoreEntity } from '../table/entities/instances.ts';
import { archiveFiles } from '../values/file-keys.ts';
import type { BackupReference } from './backup-state.ts';

const pauseMs = 2000;

/** Deletes the archive of a deleted backup, once no restore reads it. */
export const removeBackup: JobType = {
  name: 'remove-backup',
  step: async ({ store, files }, task) => {
    const { account, backup, instance } = task as BackupReference; // as stored
    const active = await activeRestoreEntity.read(store, instance);
    const readers = await backupReaderEntity.listAll(store, [account]);
    const isRead = readers.some(({ data }) => data.backup === backup);
    // version 0.1 has begun restores without such a record
    if (isRead || active?.data.backup === backup) return { task, afterMs: pauseMs };
    await files.removeAll(archiveFiles(account, backup));
    return 'done';
  },
};
