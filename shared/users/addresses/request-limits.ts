import { type Limit, raise } from '../../accounts/attempts.ts';
import { instanceOf } from '../../core/resource/context-values.ts';
import type { Context } from '../../core/routing/route.ts';
import { retryOnConflict } from '../../jobs/write-conflict.ts';
import { commit } from '../../store/commit.ts';
import { type ItemReference, readTogether } from '../../store/entity.ts';
import { attemptsEntity, attemptsFromEntity } from '../../table/entities/deployment.ts';
import { userAddressEntity } from '../../table/entities/user-accounts.ts';
import { encodeText } from '../../table/index-keys.ts';
import type { AttemptsData } from '../../table/records/address-limits.ts';
import { throttled } from '../../values/errors/errors.ts';
import { addressGroup } from '../../values/source-address.ts';

/** Requests of one client address to one path without a password (docs/reference/limits.md#users-of-apps). */
export const maxClientRequests = 60;
/** New guests of one client address. */
export const maxClientGuests = 30;
/** Requests of log-ins by redirect of one client address; a log-in has three. Networks of mobiles have one address. */
export const maxClientRedirects = 600;
/** Requests that may send a mail to one e-mail address, by path. */
export const maxAddressRequests = 20;
const seconds = 3600;

/** The paths whose requests are counted. */
export type LimitedPath =
  | 'register'
  | 'reset'
  | 'code'
  | 'email'
  | 'confirm'
  | 'guest'
  | 'delete'
  | 'redirect';

const otherMaxima: Partial<Record<LimitedPath, number>> = {
  guest: maxClientGuests,
  redirect: maxClientRedirects,
};

interface Counted {
  readonly at: ItemReference<AttemptsData>;
  readonly limit: Limit;
}

/**
 * Counts a request of a client address to a path, and for an e-mail address where it names one, known or not.
 *
 * @throws ApiError 429 with the seconds to wait
 */
export async function limitRequests(
  context: Context,
  path: LimitedPath,
  email?: string,
): Promise<void> {
  const { pk, sk } = userAddressEntity.key(instanceOf(context), encodeText(email ?? ''));
  const scope = `${pk}#${path}`;
  const client = addressGroup(context.request.sourceAddress);
  const max = otherMaxima[path] ?? maxClientRequests;
  const ofClient = { at: attemptsFromEntity.at(scope, client), limit: { max, seconds } };
  const ofAddress = {
    at: attemptsEntity.at(scope, sk, undefined),
    limit: { max: maxAddressRequests, seconds },
  };
  await count(context, email === undefined ? [ofClient] : [ofClient, ofAddress]);
}

function count(context: Context, counted: readonly Counted[]): Promise<void> {
  const { store, clock } = context.platform;
  return retryOnConflict(async () => {
    const now = clock.micros() / 1_000_000;
    const { found } = await readTogether(store, { found: counted.map(({ at }) => at) });
    const counts = counted.map(({ at, limit }, index) => raise(at.key, found[index], limit, now));
    const wait = Math.max(...counts.map(({ waitSeconds }) => waitSeconds));
    if (wait > 0) throw throttled(wait);
    await commit(
      context,
      counts.map(({ put }) => put),
    );
  });
}
