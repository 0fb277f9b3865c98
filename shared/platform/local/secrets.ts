import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  addVersion,
  firstSecrets,
  type MasterSecrets,
  parseSecrets,
  toVersions,
} from '../../accounts/rules/master-secrets.ts';
import { codeOf } from '../../values/caught.ts';
import type { Secrets } from '../ports.ts';
import { createFile, replaceFile } from './files/atomic-file.ts';
import { StartError } from './server/start-error.ts';

const fileName = 'secrets.json';
const rereadAfterMs = 60_000;

/**
 * Opens the master secrets of a data folder: `secrets.json`, readable by its owner only. Every key is derived from
 * them, so they belong in each backup. The file is read again when a version is unknown and when a key is created, at
 * most once a minute: an operator may add a version while the server runs.
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
  let known = toVersions(await readSecrets(path));
  let readAt = nowMs();
  const readAgain = async () => {
    if (nowMs() - readAt < rereadAfterMs) return;
    readAt = nowMs();
    known = toVersions(await readSecrets(path));
  };
  return {
    current: async () => {
      await readAgain();
      return known.current;
    },
    get: async (wanted) => {
      if (!known.all.has(wanted)) await readAgain();
      return known.all.get(wanted);
    },
  };
}

/** Creates secrets that are lost when the process ends. */
export function temporarySecrets(): Secrets {
  const { current, all } = toVersions(firstSecrets());
  return { current: async () => current, get: async (wanted) => all.get(wanted) };
}

/**
 * Adds a version to the secrets of a data folder, even while a server uses it.
 *
 * @returns the number of the version
 * @throws StartError when the folder has no secrets or no room for a version, or when another process is adding one;
 *   nothing is changed then
 */
export async function addSecretVersion(folder: string): Promise<number> {
  const path = join(folder, fileName);
  await readSecrets(path);
  const mark = `${path}.lock`; // of two concurrent additions, one version would be lost, and all its keys
  if (!(await createFile(mark, ''))) {
    throw new StartError(`${path} is being changed; if it is not, remove ${mark} and try again`);
  }
  try {
    const next = addVersion(await readSecrets(path));
    if (next === undefined) throw new StartError(`${path} has version 255, the last there can be`);
    await replaceFile(path, textOf(next));
    return next.current;
  } finally {
    await rm(mark);
  }
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
