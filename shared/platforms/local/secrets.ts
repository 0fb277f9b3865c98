import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  addVersion,
  cannotRetire,
  firstSecrets,
  type MasterSecrets,
  parseSecrets,
  retireVersion,
  toVersions,
} from '../../accounts/rules/master-secrets.ts';
import type { Secrets } from '../../ports/ports.ts';
import { cacheSecrets } from '../../ports/secret-cache.ts';
import { codeOf } from '../../values/caught.ts';
import { createFile, replaceFile } from './files/atomic-file.ts';
import { StartError } from './server/start-error.ts';

const fileName = 'secrets.json';
const ages = { forNewKeys: 60_000, forKnown: 60_000 };

/**
 * Opens the master secrets of a data folder: `secrets.json`, readable by its owner only. Every key is derived from
 * them, so they belong in each backup. The file is read again when it is used after a minute, and when a version is
 * unknown: an operator may add or retire one while the server runs.
 *
 * @param isNew whether the folder holds no data yet; only then are secrets created
 * @throws StartError when the file is missing although there is data, or is damaged
 */
export async function openSecrets(
  folder: string,
  { isNew, nowMs }: { readonly isNew: boolean; readonly nowMs: () => number },
): Promise<Secrets> {
  const path = join(folder, fileName);
  if (isNew) await createFile(path, textOf(firstSecrets()));
  const secrets = cacheSecrets(() => readSecrets(path), { nowMs, ages });
  await secrets.current();
  return secrets;
}

/** Creates secrets that are lost when the process ends. */
export function temporarySecrets(): Secrets {
  const { currentAt, all } = toVersions(firstSecrets());
  return { current: async () => currentAt(0), get: async (wanted) => all.get(wanted) };
}

/**
 * Adds a version to the secrets of a data folder, even while a server uses it.
 *
 * @returns the number of the version
 * @throws StartError when the folder has no secrets or no room for a version, or when another process is changing them;
 *   nothing is changed then
 */
export async function addSecretVersion(folder: string): Promise<number> {
  const nowMs = Date.now();
  const changed = await changeSecrets(folder, (secrets, path) => {
    const next = addVersion(secrets, { nowMs, from: nowMs }); // only one process derives keys
    if (next === undefined) throw new StartError(`${path} has version 255, the last there can be`);
    return next;
  });
  return changed.current;
}

/**
 * Removes a version from the secrets of a data folder, even while a server uses it.
 *
 * @throws StartError when there is no such version, or when new keys use it; nothing is changed then
 */
export async function retireSecretVersion(folder: string, retired: number): Promise<void> {
  await changeSecrets(folder, (secrets, path) => {
    const next = retireVersion(secrets, { retired, nowMs: Date.now() });
    if (next === undefined) throw new StartError(cannotRetire(path, retired));
    return next;
  });
}

async function changeSecrets(
  folder: string,
  change: (secrets: MasterSecrets, path: string) => MasterSecrets,
): Promise<MasterSecrets> {
  const path = join(folder, fileName);
  await readSecrets(path);
  const mark = `${path}.lock`; // of two concurrent changes, one would be lost, and all keys of an added version
  if (!(await createFile(mark, ''))) {
    throw new StartError(`${path} is being changed; if it is not, remove ${mark} and try again`);
  }
  try {
    const changed = change(await readSecrets(path), path);
    await replaceFile(path, textOf(changed));
    return changed;
  } finally {
    await rm(mark);
  }
}

/**
 * Reads the secrets of a data folder.
 *
 * @throws StartError when they are missing or damaged
 */
export function readFolderSecrets(folder: string): Promise<MasterSecrets> {
  return readSecrets(join(folder, fileName));
}

async function readSecrets(path: string): Promise<MasterSecrets> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    throw new StartError(`${path} is missing: restore it from a backup, all keys depend on it`);
  }
  const secrets = parseSecrets(text);
  // the error must not show the text: it can hold a secret
  if (secrets !== undefined) return secrets;
  throw new StartError(`${path} is damaged: restore it from a backup, all keys depend on it`);
}

function textOf(secrets: MasterSecrets): string {
  return `${JSON.stringify(secrets, undefined, 2)}\n`;
}
