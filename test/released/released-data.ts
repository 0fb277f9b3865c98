import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openTables } from '../../shared/platforms/local/store/tables.ts';
import { kinds } from '../../shared/table/kinds.ts';
import type { Credentials } from '../support/http-client.ts';

/** The data of the last release, as texts. */

const home = fileURLToPath(new URL('data', import.meta.url));
const tableFile = join(home, 'tables.jsonl');
const callsFile = join(home, 'calls.json');
const otherFiles = ['format.json', 'secrets.json', 'files'];
const tableNames = ['items', 'indexes', 'counters', 'changes'] as const;

/** An entry of a table of the store. */
type Entry = readonly [table: (typeof tableNames)[number], key: string, value: string];

/** How the data are used. */
export interface ReleasedCalls {
  /** Time at which they were written: some of them expire later. */
  readonly writtenAt: string;
  /** Key of the account that owns the instance. */
  readonly owner: string;
  readonly account: { readonly email: string; readonly password: string };
  readonly user: { readonly username: string; readonly password: string };
  readonly responses: readonly ReleasedResponse[];
}

/** The response of the last release to a GET; in its body, `<url>` is the address of the server. */
export interface ReleasedResponse {
  readonly as: Credentials;
  readonly path: string;
  readonly status: number;
  readonly body: unknown;
}

/** Writes a closed data folder into the repository. */
export async function writeReleased(folder: string, calls: ReleasedCalls): Promise<void> {
  const tables = openTables({ folder: join(folder, 'store'), durable: false });
  const entries = tableNames.flatMap((name) =>
    [...tables[name].getRange({ start: '', end: '\u{10FFFF}' })].map(
      ({ key, value }): Entry => [name, key, value],
    ),
  );
  await tables.close();
  writeFileSync(tableFile, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  writeFileSync(callsFile, `${JSON.stringify(calls, undefined, 1)}\n`);
  for (const file of otherFiles) {
    cpSync(join(folder, file), join(home, file), { recursive: true });
  }
}

/** Returns the kinds of items that this code knows. */
export function allKinds(): ReadonlySet<string> {
  return new Set(kinds.map(({ kind }) => kind));
}

/** Returns the kinds of the stored items. */
export function releasedKinds(): ReadonlySet<string> {
  const items = readEntries().filter(([table]) => table === 'items');
  return new Set(items.map(([, , value]) => value.slice(0, value.indexOf('\n'))));
}

export function readReleasedCalls(): ReleasedCalls {
  return JSON.parse(readFileSync(callsFile, 'utf8'));
}

/** Makes the data folder of the last release. */
export async function restoreReleased(folder: string): Promise<void> {
  mkdirSync(folder);
  for (const file of otherFiles) {
    cpSync(join(home, file), join(folder, file), { recursive: true });
  }
  const tables = openTables({ folder: join(folder, 'store'), durable: false });
  for (const [name, key, value] of readEntries()) tables[name].putSync(key, value);
  await tables.close();
}

function readEntries(): readonly Entry[] {
  const lines = readFileSync(tableFile, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}
