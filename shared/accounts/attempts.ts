import { retryOnConflict } from '../jobs/write-conflict.ts';
import type { Platform } from '../ports/ports.ts';
import { type Committer, commit } from '../store/commit.ts';
import { type ItemReference, readTogether } from '../store/entity.ts';
import type { Key, Put, Stored, Write } from '../store/store.ts';
import { createOrUpdate, deleteIfExists, deleteItem, updateItem } from '../store/writes.ts';
import {
  attemptsEntity,
  attemptsFromEntity,
  knownAddressesEntity,
} from '../table/entities/deployment.ts';
import type { AttemptsData, KnownAddressesData } from '../table/records/address-limits.ts';
import { throttled } from '../values/errors/errors.ts';
import { addressGroup } from '../values/source-address.ts';
import { type Acquaintance, acquaintance, rememberAddress } from './known-addresses.ts';

/** Maximum number of wrong passwords, or of requests, and the time for which they are counted. */
export interface Limit {
  readonly max: number;
  readonly seconds: number;
  /** Whether time is counted from the last attempt instead of the first. */
  readonly isSliding?: boolean;
}

/** For one name from one address. */
const pairLimit: Limit = { max: 10, seconds: 900, isSliding: true };
/**
 * For one name from all addresses: more than the limit above allows for one address, so one address alone blocks no
 * other.
 */
const nameLimit: Limit = { max: 100, seconds: 3600 };
/** For all names from one address. */
const addressLimit: Limit = { max: 300, seconds: 3600 };
const settleSeconds = 2; // an attempt is decided by then

type Limiter = Committer & { readonly platform: Platform };

/** Attempt to log in. */
export interface Attempt {
  /** Scope in which names are unique: `ACCOUNTS`, or a partition of an instance. Scopes are counted separately. */
  readonly scope: string;
  readonly name: string;
  readonly address: string;
}

/**
 * Runs a check of a password unless there were too many wrong ones: ten in a row for the name from the address, a
 * hundred in an hour for the name, three hundred in an hour from the address. For an address from which the name has
 * logged in within thirty days, only the first limit applies.
 *
 * An attempt is counted before the check, so that parallel attempts have no advantage; an attempt that arrives while
 * others are in progress, which may still succeed, gets a short time to wait. A correct password is not counted.
 *
 * @param check returns undefined when the password is wrong
 * @throws ApiError 429 with the seconds to wait
 */
export async function limitAttempts<Result>(
  by: Limiter,
  attempt: Attempt,
  check: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  const group = addressGroup(attempt.address);
  const items = attemptItems(attempt, group);
  const known = await retryOnConflict(() => countAttempt(by, items, group));
  const result = await check();
  if (result === undefined) return undefined;
  if (known === 'heard of today') await commit(by, [deleteIfExists(items.pair.key)]);
  else await retryOnConflict(() => forgive(by, items, group));
  return result;
}

/** Returns the writes that end the count of wrong passwords for a name from an address: it was nobody's until now. */
export function resetAttempts({ scope, name, address }: Attempt): readonly Write[] {
  const keys = [addressGroup(address), undefined].map((group) =>
    attemptsEntity.key(scope, name, group),
  );
  return keys.map((key) => deleteIfExists(key));
}

/** The counters of attempts, and the addresses that the name has logged in from. */
type AttemptItems = {
  readonly pair: ItemReference<AttemptsData>;
  readonly name: ItemReference<AttemptsData>;
  readonly address: ItemReference<AttemptsData>;
  readonly known: ItemReference<KnownAddressesData>;
};

function attemptItems({ scope, name }: Attempt, group: string): AttemptItems {
  return {
    pair: attemptsEntity.at(scope, name, group),
    name: attemptsEntity.at(scope, name, undefined),
    address: attemptsFromEntity.at(scope, group),
    known: knownAddressesEntity.at(scope, name),
  };
}

async function countAttempt(
  by: Limiter,
  items: AttemptItems,
  group: string,
): Promise<Acquaintance> {
  const { store, clock } = by.platform;
  const now = clock.micros() / 1_000_000;
  const found = await readTogether(store, items);
  const known = acquaintance(found.known, group, now);
  const counts = [raise(items.pair.key, found.pair, pairLimit, now)];
  if (known === 'new') {
    counts.push(raise(items.name.key, found.name, nameLimit, now));
    counts.push(raise(items.address.key, found.address, addressLimit, now));
  }
  const wait = Math.max(...counts.map(({ waitSeconds }) => waitSeconds));
  if (wait > 0) throw throttled(wait);
  await commit(
    by,
    counts.map(({ put }) => put),
  );
  return known;
}

/** Counts one more attempt; returns the seconds to wait if it exceeds the limit, otherwise 0. */
export function raise(
  key: Key,
  current: Stored<AttemptsData> | undefined,
  { max, seconds, isSliding = false }: Limit,
  now: number,
): { readonly put: Put; readonly waitSeconds: number } {
  const at = Math.floor(now);
  const count = (current?.data.count ?? 0) + 1;
  const until = isSliding || current === undefined ? at + seconds : current.data.until;
  const data: AttemptsData = { count, at, until };
  const put = createOrUpdate(attemptsEntity, { key, current }, data);
  const waitSeconds = current === undefined || count <= max ? 0 : secondsLeft(current.data, now);
  return { put: { ...put, expiresAt: until }, waitSeconds };
}

function secondsLeft({ at, until }: AttemptsData, now: number): number {
  return now - at < settleSeconds ? 1 : until - now;
}

/** Reverses the counts for a correct password, and stores its address. */
async function forgive(by: Limiter, items: AttemptItems, group: string): Promise<void> {
  const { store, clock } = by.platform;
  const now = clock.micros() / 1_000_000;
  const { pair, ...others } = items;
  const { name, address, known } = await readTogether(store, others);
  const isNew = acquaintance(known, group, now) === 'new';
  const counts = isNew ? [...lower(name), ...lower(address)] : [];
  await commit(by, [
    deleteIfExists(pair.key),
    ...counts,
    rememberAddress(known, items.known.key, group, now),
  ]);
}

function lower(current: Stored<AttemptsData> | undefined): readonly Write[] {
  if (current === undefined) return []; // expired
  const { count, until } = current.data;
  if (count <= 1) return [deleteItem(current)];
  return [{ ...updateItem(current, { ...current.data, count: count - 1 }), expiresAt: until }];
}
