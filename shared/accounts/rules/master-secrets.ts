import { randomBytes } from 'node:crypto';
import * as v from 'valibot';

/*
 * The master secrets of a deployment, as they lie in the data folder or in Secrets Manager:
 * {"current": 2, "versions": [{"version": 1, "secret": "<64 hex digits>"}, ...]}
 */

const secretBytes = 32;
const maxVersion = 255;

const version = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(maxVersion));
const hexSecret = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
const schema = v.pipe(
  v.object({
    current: version,
    versions: v.array(v.object({ version, secret: hexSecret })),
  }),
  v.check(({ current, versions }) => versions.some((one) => one.version === current)),
);

/** All versions of the master secret, in hex. New keys use `current`. */
export type MasterSecrets = v.InferOutput<typeof schema>;

/** One version of the master secret: 32 random bytes. */
export interface SecretVersion {
  readonly version: number;
  readonly secret: Uint8Array;
}

/** Versions of the master secret, decoded. */
export interface SecretVersions {
  readonly current: SecretVersion;
  readonly all: ReadonlyMap<number, SecretVersion>;
}

/** Creates the secrets of a new deployment: version 1. */
export function firstSecrets(): MasterSecrets {
  return { current: 1, versions: [{ version: 1, secret: newSecret() }] };
}

/** Parses secrets from JSON, or from 64 hex digits, which are version 1; undefined for anything else. */
export function parseSecrets(text: string): MasterSecrets | undefined {
  if (v.is(hexSecret, text)) return { current: 1, versions: [{ version: 1, secret: text }] };
  const parsed = v.safeParse(schema, readJson(text));
  return parsed.success ? parsed.output : undefined;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

/**
 * Adds a random version, which new keys use from then on. Earlier versions remain valid for their keys.
 *
 * @returns undefined when version 255 is taken, the last that a key can name
 */
export function addVersion({ versions }: MasterSecrets): MasterSecrets | undefined {
  const next = Math.max(...versions.map((one) => one.version)) + 1;
  if (next > maxVersion) return undefined;
  return { current: next, versions: [...versions, { version: next, secret: newSecret() }] };
}

export function toVersions({ current, versions }: MasterSecrets): SecretVersions {
  const all = new Map(
    versions.map((one): [number, SecretVersion] => [
      one.version,
      { version: one.version, secret: Buffer.from(one.secret, 'hex') },
    ]),
  );
  const newest = all.get(current);
  if (newest === undefined) throw new Error('the secrets have no current version');
  return { current: newest, all };
}

function newSecret(): string {
  return randomBytes(secretBytes).toString('hex');
}
