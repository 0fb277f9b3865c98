import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import type { Secrets, SecretVersion } from '../services/ports.ts';
import { createFile } from './atomic-file.ts';
import { codeOf, StartError } from './start-error.ts';

const fileName = 'secrets.json';
const secretBytes = 32;
const rereadAfterMs = 60_000;

const version = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(255));
const fileSchema = v.pipe(
  v.object({
    current: version,
    versions: v.array(v.object({ version, secret: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)) })),
  }),
  v.check(({ current, versions }) => versions.some((one) => one.version === current)),
);

interface Versions {
  readonly current: SecretVersion;
  readonly all: ReadonlyMap<number, SecretVersion>;
}

/**
 * Opens the master secrets of a data folder: `secrets.json`, readable by its owner only. Every key is derived
 * from them, so they are part of each backup. A version that is not known is looked for in the file again, at
 * most once a minute: an operator may add one while the server runs.
 *
 * @param isNew whether the folder holds no data yet; only then are secrets made
 * @throws StartError when the file is missing beside data, or damaged
 */
export async function openSecrets(
  folder: string,
  { isNew, nowMs }: { readonly isNew: boolean; readonly nowMs: () => number },
): Promise<Secrets> {
  const path = join(folder, fileName);
  if (isNew) await createFile(path, `${JSON.stringify(firstSecrets(), undefined, 2)}\n`);
  let known = await readVersions(path);
  let readAt = nowMs();
  return {
    current: async () => known.current,
    get: async (wanted) => {
      if (!known.all.has(wanted) && nowMs() - readAt >= rereadAfterMs) {
        readAt = nowMs();
        known = await readVersions(path);
      }
      return known.all.get(wanted);
    },
  };
}

/** Makes secrets that are gone with the process. */
export function temporarySecrets(): Secrets {
  const { current, all } = toVersions(firstSecrets());
  return { current: async () => current, get: async (wanted) => all.get(wanted) };
}

function firstSecrets(): v.InferOutput<typeof fileSchema> {
  return {
    current: 1,
    versions: [{ version: 1, secret: randomBytes(secretBytes).toString('hex') }],
  };
}

async function readVersions(path: string): Promise<Versions> {
  try {
    return toVersions(v.parse(fileSchema, JSON.parse(await readFile(path, 'utf8'))));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') {
      throw new StartError(`${path} is missing: restore it from a backup, all keys depend on it`);
    }
    if (error instanceof SyntaxError || error instanceof v.ValiError) {
      // Neither the text nor the complaint may be shown: both can hold a secret.
      throw new StartError(`${path} is damaged: restore it from a backup, all keys depend on it`);
    }
    throw error;
  }
}

function toVersions({ current, versions }: v.InferOutput<typeof fileSchema>): Versions {
  const all = new Map(
    versions.map((one) => [
      one.version,
      { version: one.version, secret: Buffer.from(one.secret, 'hex') },
    ]),
  );
  const newest = all.get(current);
  if (newest === undefined) throw new StartError('the secrets have no current version');
  return { current: newest, all };
}
