import { throttled } from '../domain/errors.ts';
import { as, attemptsEntity } from '../store/entities.ts';
import type { Key } from '../store/store.ts';
import { erase, insert, replace } from '../store/writes.ts';
import { type Committer, commit } from './commit.ts';
import { retryLostRace } from './lost-race.ts';
import type { Platform } from './ports.ts';

const maxAttempts = 10;
const windowSeconds = 900;
const settleSeconds = 2; // an attempt is decided by then

/**
 * Runs a check of a password, at most ten times in a row without success for one name from one address, and then
 * again a quarter of an hour later. An attempt is counted before the check, so that many at once gain nothing; who
 * comes while others are under way, which may yet go well, is told to come again soon.
 *
 * @param check gives undefined when the password is wrong
 * @throws ApiError 429 with the seconds to wait
 */
export async function limitAttempts<Result>(
  by: Committer & { readonly platform: Platform },
  who: string,
  address: string,
  check: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  const key = attemptsEntity.key(who, address);
  const now = by.platform.clock.micros() / 1_000_000;
  await retryLostRace(async () => {
    const current = as(attemptsEntity, (await by.platform.store.get([key]))[0]);
    const count = (current?.data.count ?? 0) + 1;
    if (count > maxAttempts) throw throttled(waitSeconds((current?.data.until ?? now) - now));
    const data = { count, until: Math.floor(now) + windowSeconds };
    const put = current === undefined ? insert(attemptsEntity, key, data) : replace(current, data);
    await commit(by, [{ ...put, expiresAt: data.until }]);
  });
  const result = await check();
  if (result !== undefined) await forget(by, key);
  return result;
}

function waitSeconds(left: number): number {
  return left > windowSeconds - settleSeconds ? 1 : left;
}

async function forget(by: Committer, key: Key): Promise<void> {
  await commit(by, [erase(key)]);
}
