import type { FileArea } from '../values/file-keys.ts';

/**
 * A use of the table, in addition to reads of single items, which every function needs for the records of credentials:
 * `list` scans a partition, `filter` an index; `write` puts and deletes; `check` makes a transaction depend on an item
 * that it does not change; `count` takes numbers; `meter` adds to the usage of an instance.
 */
export type TableUse = 'list' | 'filter' | 'write' | 'check' | 'count' | 'meter';

/** A use of push services: `configure` creates applications of credentials, `send` is all else. */
export type PushUse = 'configure' | 'send';

/** A use of the vault: `seal` encrypts texts, `open` decrypts them. */
export type VaultUse = 'seal' | 'open';

/**
 * A use of scripts: `run` invokes their functions, `start` the function for background runs, `deploy` creates, changes
 * and deletes their functions.
 */
export type ScriptUse = 'run' | 'start' | 'deploy';

/** Access to AWS that the role of a family's function allows, in addition to the access of all functions. */
export interface Grants {
  readonly table?: readonly TableUse[];
  /** Areas of files that it keeps. */
  readonly files?: readonly FileArea[];
  /** Includes the vault, for their credentials. */
  readonly push?: readonly PushUse[];
  readonly vault?: readonly VaultUse[];
  readonly scripts?: readonly ScriptUse[];
  /** Whether it sends mails. */
  readonly mail?: boolean;
}
