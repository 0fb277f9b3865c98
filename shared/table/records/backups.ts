import type { JsonObject } from '../../values/json/json.ts';

/* Data of items for backups. */

/** States of a backup or a restore; the first three are active. */
export type BackupStatus = 'scheduled' | 'running' | 'uploading' | 'success' | 'error' | 'aborted';

/** Contents of a backup, by kind: the number; of classes the first names. Version 0.1 stored names of all kinds. */
export type BackupDetails = Readonly<
  Record<string, { readonly count: number; readonly list?: readonly string[] }>
>;

/** A backup of the contents of an instance. */
export interface BackupData {
  readonly id: number;
  /** Instance id; the instance may be deleted. */
  readonly instance: number;
  /** Account id of the instance's owner at the time; absent in records of version 0.1. */
  readonly owner?: number;
  /** Lineage of the instance's contents, as in the instance. */
  readonly lineage?: number;
  readonly label: string;
  readonly description: string;
  readonly metadata: JsonObject;
  readonly status: BackupStatus;
  readonly status_info: string;
  /** Bytes of the archive with its files; null until it is complete. */
  readonly size: number | null;
  readonly details: BackupDetails;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The active backup of an account, if any; enforces the limits on their number. */
export interface ActiveBackupData {
  readonly backup: number | null;
}

/** A backup by its instance: while it is active, no file of the instance is deleted. */
export interface InstanceBackupData {
  /** Id of the account that made it. */
  readonly account: number;
  readonly isActive: boolean;
}

/** A restore of a backup into an instance. */
export interface RestoreData {
  readonly id: number;
  readonly backup: number;
  /** Id of the account that requested it. */
  readonly author: number;
  readonly status: BackupStatus;
  readonly status_info: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** An active restore of a backup, by the account that made the backup: until its end the archive is kept. */
export interface BackupReaderData {
  readonly backup: number;
}

/** The active restore of an instance. */
export interface ActiveRestoreData {
  readonly restore: number;
  /** Id of the account that made the backup. */
  readonly account: number;
  readonly backup: number;
}
