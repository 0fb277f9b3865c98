import type { Store } from '../../shared/store/store.ts';
import { queuedMailEntity } from '../../shared/table/entities/deployment.ts';
import { userEntity } from '../../shared/table/entities/users.ts';
import type { QueuedMailData } from '../../shared/table/records/mails.ts';
import type { UserData } from '../../shared/table/records/records.ts';
import type { UserMailAbout } from '../../shared/table/records/user-accounts.ts';
import { type UserTokenClaims, userTokenText } from '../../shared/users/tokens/user-tokens.ts';
import type { ApiResponse, Credentials, World } from './api.ts';
import { instanceId } from './stored-records.ts';

/** A store that records what requests ask of it. */
export interface MailRecorder extends Store {
  /** Mails that were requested, the oldest first. */
  readonly mails: UserMailAbout[];
  /** Items that were read and written, by kind of operation, since `reset`. */
  readonly counted: { read: number; written: number };
  reset(): void;
}

/** Wraps a store so that requested mails, and the items of requests, are recorded. */
export function recordMails(store: Store): MailRecorder {
  const mails: UserMailAbout[] = [];
  const counted = { read: 0, written: 0 };
  return {
    ...store,
    get: (keys) => {
      counted.read += keys.length;
      return store.get(keys);
    },
    query: (query) => store.query(query),
    next: (counter, count, most) => store.next(counter, count, most),
    close: () => store.close(),
    write: async (transaction) => {
      await store.write(transaction);
      counted.written += transaction.writes.length;
      for (const write of transaction.writes) {
        if (write.action !== 'put' || write.kind !== queuedMailEntity.kind) continue;
        const { about } = write.data as QueuedMailData;
        // one with a version is of the job that sends it; those of functions have no conditions
        if (write.condition.kind !== 'version' && 'mail' in about) mails.push(about);
      }
    },
    mails,
    counted,
    reset: () => {
      mails.length = 0;
      counted.read = 0;
      counted.written = 0;
    },
  };
}

/** Makes the token of a mail about a user, as the job that sends it does; user 0: there is none yet. */
export async function tokenFor(
  world: World,
  claims: Pick<UserTokenClaims, 'purpose' | 'email'> & Partial<UserTokenClaims>,
  seconds = 3600,
): Promise<string> {
  const { platform } = world.api;
  const user = claims.user ? await userRecord(world, claims.user) : undefined;
  const instance = await instanceId(platform.store, world.instance);
  const made = { instance, key: 1, user: 0, generation: user?.generation ?? 0, ...claims };
  return userTokenText(platform, made, seconds);
}

/** Returns the record of a user. */
export async function userRecord({ api, instance }: World, id: number): Promise<UserData> {
  const { store } = api.platform;
  const found = await userEntity.read(store, await instanceId(store, instance), id);
  if (found === undefined) throw new Error(`there is no user ${id}`);
  return found.data;
}

/** Returns the credentials of the user of a response. */
export function signedInAs(key: string, { body }: Pick<ApiResponse, 'body'>): Credentials {
  return { key, user: body.user_key };
}

/** Returns the status of a read of the own user: 200 while its key counts. */
export async function ownStatus(world: World, as: Credentials): Promise<number> {
  return (await world.call(as, 'GET', 'user/')).status;
}
