import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unzipSync } from 'fflate';

/** How the data of a release are used, and what it responded. */
export interface Release {
  /** Time at which they were written: some of them expire later. */
  readonly writtenAt: string;
  /** Kinds of items that the release knows. */
  readonly kinds: readonly string[];
  /** Key of the account that owns the instance `library`. */
  readonly owner: string;
  readonly apiKey: string;
  readonly account: { readonly email: string; readonly password: string };
  readonly user: { readonly username: string; readonly password: string };
  /** Lists; `<url>` is the address of the server. */
  readonly responses: readonly { readonly path: string; readonly objects: readonly unknown[] }[];
}

const home = fileURLToPath(new URL('.', import.meta.url));

/** The released versions, the oldest first. */
export const versions: readonly string[] = readdirSync(home)
  .filter((name) => name.endsWith('.zip'))
  .map((name) => name.replace('.zip', ''))
  .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));

/** Writes the folders `data`, `backup` and `export` of a released version into a folder. */
export function unpackRelease(version: string, folder: string): Release {
  const files = unzipSync(readFileSync(join(home, `${version}.zip`)));
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
  return JSON.parse(readFileSync(join(folder, 'release.json'), 'utf8'));
}
