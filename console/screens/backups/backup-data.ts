import type { backupFields, restoreFields } from '../../../functions/backups/fields.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
import { at, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { readAll } from '../../core/api.ts';
import { type Loading, useLoad } from '../../core/load.ts';

/** A backup. */
export type Backup = ShownRecord<
  typeof backupFields,
  { readonly details: Readonly<Record<string, BackupDetail>> }
>;

/** What a backup has of a kind; names of classes only. */
interface BackupDetail {
  readonly count: number;
  readonly list?: readonly string[];
}

/** A restore. */
export type Restore = ShownRecord<typeof restoreFields>;

/** The backups of the account, of all its instances and of deleted ones. */
export const accountBackups = at`backups/full/`;

/** How often the lists look for the end of what is active. */
export const lookMs = 2_000;

/** Loads a whole list, the newest first. */
export function useNewestFirst<Item>(path: RequestPath): Loading<Item[]> {
  return useLoad(async () => (await readAll<Item>(path)).reverse(), [path]);
}

const activeStates = ['scheduled', 'running', 'uploading'];

/** Checks whether one of a list has not ended yet. */
export function isAnyActive({
  data = [],
}: Pick<Loading<readonly { readonly status: string }[]>, 'data'>): boolean {
  return data.some(({ status }) => activeStates.includes(status));
}

/** Checks whether a backup may be deleted: not while it is made. */
export function mayDelete({ status }: Backup): boolean {
  return status === 'scheduled' || !activeStates.includes(status);
}

/** Returns how a backup is named. */
export function backupTitle({ label, id }: Backup): string {
  return label === '' ? `Backup ${id}` : label;
}
