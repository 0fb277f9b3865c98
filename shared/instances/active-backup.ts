import { instanceBackupEntity } from '../store/entities.ts';
import type { Store } from '../store/store.ts';

/** Milliseconds after which a job looks again whether a backup has ended. */
export const backupPauseMs = 2000;

/** Checks whether a backup of an instance is being made. Until its end no file of the instance is deleted. */
export async function isBackedUp(store: Pick<Store, 'query'>, instance: number): Promise<boolean> {
  const backups = await instanceBackupEntity.listAll(store, [instance]); // 75 for each administrator at most
  return backups.some(({ data }) => data.isActive);
}
