import { makeBackup } from '../../shared/backups/make-backup.ts';
import { removeBackup } from '../../shared/backups/remove-backup.ts';
import { restoreBackup } from '../../shared/backups/restore-backup.ts';
import type { FamilyJobs } from '../../shared/core/family.ts';
import { clearData } from '../../shared/instances/clear-partitions.ts';

/** Make backups, restore them, and delete archives and replaced contents. */
export const jobs: FamilyJobs = {
  types: [makeBackup, removeBackup, restoreBackup, clearData],
};
