import {
  type MasterSecrets,
  type SecretVersions,
  toVersions,
} from '../accounts/rules/master-secrets.ts';
import type { Secrets } from './ports.ts';

/** Age in milliseconds at which the master secrets are read again. */
export interface SecretAges {
  /** When a key is created: a version that an operator adds is used after this time at the latest. */
  readonly forNewKeys: number;
  /** When a key of a known version is checked: a version that an operator retires is rejected after this time. */
  readonly forKnown: number;
}

/** Options of {@link cacheSecrets}. */
export interface SecretCacheOptions {
  readonly nowMs: () => number;
  readonly ages: SecretAges;
  /** Receives the error of a failed read after which known versions stay in use, once. */
  readonly whenOutdated?: (error: unknown) => void;
}

/** A key of an unknown version causes a read at most this often, so that forged keys are cheap. */
const forUnknownMs = 1000;

/**
 * Time between the addition of a version and its first key, where several processes use the secrets. It is longer than
 * a process waits before it reads them again, so all processes change to the version at the same time, and none meets a
 * key of a version that it may not read yet.
 */
export const addedAheadMs = 90_000;

/**
 * Caches the master secrets; at most one read is pending. Known versions stay valid when a read fails. An unknown
 * version is an error then, as it may exist.
 *
 * @param read reads them
 */
export function cacheSecrets(
  read: () => Promise<MasterSecrets>,
  { nowMs, ages, whenOutdated }: SecretCacheOptions,
): Secrets {
  let known: SecretVersions | undefined;
  let pending: Promise<SecretVersions> | undefined;
  let failure: { readonly error: unknown } | undefined; // of the last read
  let readAt = 0;
  const isOlder = (ms: number) => nowMs() - readAt >= ms;
  const readAgain = async (): Promise<SecretVersions> => {
    readAt = nowMs();
    try {
      known = toVersions(await read());
      failure = undefined;
      return known;
    } catch (error) {
      failure = { error };
      throw error;
    } finally {
      pending = undefined;
    }
  };
  const newest = () => {
    pending ??= readAgain();
    return pending;
  };
  let reported: unknown;
  const orCached = (error: unknown, cached: SecretVersions) => {
    if (reported !== error) whenOutdated?.(error); // callers that share the read get the same error
    reported = error;
    return cached;
  };
  const versions = (ageMs: number): SecretVersions | Promise<SecretVersions> => {
    if (known === undefined) return newest();
    const cached = known;
    return isOlder(ageMs) ? newest().catch((error) => orCached(error, cached)) : cached;
  };
  return {
    current: async () => (await versions(ages.forNewKeys)).currentAt(nowMs()),
    get: async (version) => {
      const found = (await versions(ages.forKnown)).all.get(version);
      if (found !== undefined) return found;
      if (pending !== undefined || isOlder(forUnknownMs)) return (await newest()).all.get(version);
      if (failure !== undefined) throw failure.error;
      return undefined;
    },
  };
}
