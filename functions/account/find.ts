import { readTogether } from '../../shared/store/entity.ts';
import type { Store, Stored, WriteCondition } from '../../shared/store/store.ts';
import {
  accountEntity,
  accountMetadataEntity,
  emailEntity,
  passwordEntity,
} from '../../shared/table/entities/accounts.ts';
import type { AccountData } from '../../shared/table/records/records.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';

/** An account with all data that log-ins and mails need. */
export interface FoundAccount {
  readonly item: Stored<AccountData>;
  readonly data: AccountData;
  readonly metadata: JsonObject;
  /** Of the password; absent when the account has none. */
  readonly hash: string | undefined;
  /** Condition that the password is still the one that was read. */
  readonly unchangedPassword: WriteCondition;
}

/** Finds an account by its e-mail, in lower case. */
export async function findAccountByEmail(
  store: Store,
  email: string,
): Promise<FoundAccount | undefined> {
  const item = await emailEntity.read(store, email);
  return item && findAccount(store, item.data.account);
}

export async function findAccount(store: Store, id: number): Promise<FoundAccount | undefined> {
  const { item, password, metadata } = await readTogether(store, {
    item: accountEntity.at(id),
    password: passwordEntity.at(id),
    metadata: accountMetadataEntity.at(id),
  });
  if (item === undefined) return undefined;
  return {
    item,
    data: item.data,
    metadata: metadata?.data.metadata ?? {},
    hash: password?.data.hash,
    unchangedPassword:
      password === undefined ? { kind: 'absent' } : { kind: 'version', version: password.version },
  };
}
