import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { parsedJson } from '../../values/json/parsed-json.ts';

/*
 * The master secrets of a deployment, as they lie in the data folder or in Secrets Manager:
 * {"current": 2, "versions": [{"version": 1, "secret": "<64 hex digits>"}, ...]}
 *
 * With `"next": {"version": 3, "from": <epoch milliseconds>}`, new keys use version 3 from that time on. Until then
 * every process has time to read it: a key is rejected by a process that does not know its version.
 */

const secretBytes = 32;
const maxVersion = 255;

const version = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(maxVersion));
const hexSecret = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
const schema = v.pipe(
  v.object({
    current: version,
    next: v.optional(v.object({ version, from: v.number() })),
    versions: v.array(v.object({ version, secret: hexSecret })),
  }),
  v.check(({ current, next = { version: current }, versions }) =>
    [current, next.version].every((used) => versions.some((one) => one.version === used)),
  ),
);

/** All versions of the master secret, in hex. New keys use `current`, or `next` when its time has come. */
export type MasterSecrets = v.InferOutput<typeof schema>;

/** One version of the master secret: 32 random bytes. */
export interface SecretVersion {
  readonly version: number;
  readonly secret: Uint8Array;
}

/** Versions of the master secret, decoded. */
export interface SecretVersions {
  /** Returns the version that new keys use at a time (epoch milliseconds). */
  readonly currentAt: (nowMs: number) => SecretVersion;
  readonly all: ReadonlyMap<number, SecretVersion>;
}

/** Creates the secrets of a new deployment: version 1. */
export function firstSecrets(): MasterSecrets {
  return { current: 1, versions: [{ version: 1, secret: newSecret() }] };
}

/** Parses secrets from JSON, or from 64 hex digits, which are version 1; undefined for anything else. */
export function parseSecrets(text: string): MasterSecrets | undefined {
  if (v.is(hexSecret, text)) return { current: 1, versions: [{ version: 1, secret: text }] };
  const parsed = v.safeParse(schema, parsedJson(text));
  return parsed.success ? parsed.output : undefined;
}

/**
 * Adds a random version, which new keys use from then on. Earlier versions remain valid for their keys.
 *
 * @param at the current time, and the time from which new keys use it (epoch milliseconds)
 * @returns undefined when version 255 is taken, the last that a key can name
 */
export function addVersion(
  { versions, ...secrets }: MasterSecrets,
  { nowMs, from }: { readonly nowMs: number; readonly from: number },
): MasterSecrets | undefined {
  const next = Math.max(...versions.map((one) => one.version)) + 1;
  if (next > maxVersion) return undefined;
  const all = [...versions, { version: next, secret: newSecret() }];
  if (from <= nowMs) return { current: next, versions: all };
  return { current: currentOf(secrets, nowMs), next: { version: next, from }, versions: all };
}

/**
 * Removes a version; its keys become invalid.
 *
 * @returns undefined when there is no such version, or when new keys use it, now or soon
 */
export function retireVersion(
  secrets: MasterSecrets,
  { retired, nowMs }: { readonly retired: number; readonly nowMs: number },
): MasterSecrets | undefined {
  const versions = secrets.versions.filter(({ version: one }) => one !== retired);
  if (versions.length === secrets.versions.length) return undefined;
  const { next } = secrets;
  if (retired === next?.version) return undefined;
  if (retired !== secrets.current) return { ...secrets, versions };
  return next && next.from <= nowMs ? { current: next.version, versions } : undefined;
}

/** Returns the error message for a version that cannot be removed. */
export function cannotRetire(holder: string, retired: number): string {
  return `${holder} has no version ${retired}, or new keys use it, now or soon`;
}

/** Returns the number of the version that new keys use at a time (epoch milliseconds). */
export function currentOf(
  { current, next }: Pick<MasterSecrets, 'current' | 'next'>,
  nowMs: number,
): number {
  return next !== undefined && next.from <= nowMs ? next.version : current;
}

/** Decodes the versions of the master secret. */
export function toVersions(secrets: MasterSecrets): SecretVersions {
  const all = new Map(
    secrets.versions.map((one): [number, SecretVersion] => [
      one.version,
      { version: one.version, secret: Buffer.from(one.secret, 'hex') },
    ]),
  );
  const currentAt = (nowMs: number): SecretVersion => {
    const used = all.get(currentOf(secrets, nowMs));
    if (used === undefined) throw new Error('the secrets have no current version');
    return used;
  };
  return { currentAt, all };
}

function newSecret(): string {
  return randomBytes(secretBytes).toString('hex');
}
