import type { PushUse } from './push-platforms.ts';
import type { ScriptUse } from './script-sandbox.ts';

/** A use of the table by a family. */
export type TableUse = 'read' | 'list' | 'filter' | 'write' | 'check' | 'count' | 'meter';

/*
 * Uses of the table by each family: its role allows these and nothing else. `read` is of single items; every family
 * has it, for the records of credentials; `list` scans a partition, `filter` an index; `write` puts and deletes;
 * `check` makes a transaction depend on an item that it does not change; `count` takes numbers; `meter` adds to the
 * usage of an instance.
 */
const uses: Readonly<Record<string, readonly TableUse[]>> = {
  root: ['read', 'meter'],
  account: ['read', 'list', 'write', 'count'],
  instances: ['read', 'list', 'write', 'count', 'meter'],
  'api-keys': ['read', 'list', 'write', 'count', 'meter'],
  classes: ['read', 'list', 'write', 'meter'],
  objects: ['read', 'list', 'filter', 'write', 'count', 'meter'],
  'data-endpoints': ['read', 'list', 'filter', 'write', 'count', 'meter'],
  'script-endpoints': ['read', 'list', 'write', 'count', 'meter'],
  templates: ['read', 'list', 'write', 'count', 'meter'],
  users: ['read', 'list', 'write', 'check', 'count', 'meter'],
  push: ['read', 'list', 'write', 'count', 'meter'],
  scripts: ['read', 'list', 'write', 'count', 'meter'],
  schema: ['read'],
  usage: ['read', 'list'],
  background: ['read', 'list', 'filter', 'write', 'meter'],
  'script-runs': ['read', 'list', 'write', 'meter'],
  batch: ['read', 'list', 'filter', 'write', 'check', 'count', 'meter'], // all: it serves the whole map
};

/** Returns the uses of the table by a family; every family is listed. */
export function usesOf(family: string): readonly TableUse[] {
  const found = uses[family];
  if (found === undefined) throw new Error(`lib/grants.ts does not say what ${family} does`);
  return found;
}

const mailing: readonly string[] = ['account', 'instances', 'batch'];

/** Returns whether a family sends mails. */
export function sendsMail(family: string): boolean {
  return mailing.includes(family);
}

/** Actions of a policy on the table's items. Transactions need those of their parts and no others. */
export const tableActions: Readonly<Record<Exclude<TableUse, 'filter'>, readonly string[]>> = {
  read: ['dynamodb:BatchGetItem', 'dynamodb:GetItem'],
  list: ['dynamodb:Query'],
  write: ['dynamodb:DeleteItem', 'dynamodb:PutItem'],
  check: ['dynamodb:ConditionCheckItem'],
  count: ['dynamodb:UpdateItem'],
  meter: ['dynamodb:ConditionCheckItem'], // and put, but only items of usage
};

/** Areas of files: public files, large uploads, sources of scripts, large values of traces. */
export const fileAreas = ['public', 'uploads', 'scripts', 'traces'] as const;
/** The folder of one area. */
export type FileArea = (typeof fileAreas)[number];

const filing: Readonly<Record<string, readonly FileArea[]>> = {
  objects: ['public', 'uploads'],
  'data-endpoints': ['public', 'uploads'],
  users: ['public', 'uploads'], // of profiles
  'script-endpoints': ['traces'],
  scripts: ['scripts', 'traces'],
  background: fileAreas, // those that are no longer needed
  batch: fileAreas,
  'script-runs': ['scripts', 'traces'],
};

/** Returns the areas of files that a family keeps. */
export function fileAreasOf(family: string): readonly FileArea[] {
  return filing[family] ?? [];
}

const pushing: Readonly<Record<string, readonly PushUse[]>> = {
  push: ['configure'],
  batch: ['configure'],
  background: ['send'],
};

/** Returns the uses of push services by a family. */
export function pushUsesOf(family: string): readonly PushUse[] {
  return pushing[family] ?? [];
}

const scripting: Readonly<Record<string, readonly ScriptUse[]>> = {
  'script-endpoints': ['run', 'start'],
  batch: ['run', 'start'],
  background: ['start', 'deploy'],
  'script-runs': ['run'],
};

/** Returns the uses of scripts by a family. */
export function scriptUsesOf(family: string): readonly ScriptUse[] {
  return scripting[family] ?? [];
}
