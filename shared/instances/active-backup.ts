import type { Platform } from '../ports/ports.ts';
import { instanceBackupEntity } from '../table/entities/instances.ts';

/** Milliseconds after which a job looks again whether a backup has ended. */
export const backupPauseMs = 2000;

/** Checks whether a backup of an instance, or of all data, is being made. Until its end no file of it is deleted. */
export async function isBackedUp(
  { store, files }: Pick<Platform, 'store' | 'files'>,
  instance: number,
): Promise<boolean> {
  if (await files.isHeld?.()) return true;
  const backups = await instanceBackupEntity.listAll(store, [instance]); // 75 for each administrator at most
  return backups.some(({ data }) => data.isActive);
}
