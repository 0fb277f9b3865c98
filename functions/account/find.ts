import {
  accountEntity,
  accountMetadataEntity,
  as,
  emailEntity,
  passwordEntity,
} from '../../shared/store/entities.ts';
import type { AccountData } from '../../shared/store/records/records.ts';
import type { Condition, Store, Stored } from '../../shared/store/store.ts';
import type { JsonObject } from '../../shared/values/json/json.ts';

/** An account with all data that log-ins and mails need. */
export interface FoundAccount {
  readonly item: Stored<AccountData>;
  readonly data: AccountData;
  readonly metadata: JsonObject;
  /** Of the password; absent when the account has none. */
  readonly hash: string | undefined;
  /** Condition that the password is still the one that was read. */
  readonly unchangedPassword: Condition;
}

/** Finds an account by its e-mail, in lower case. */
export async function findAccountByEmail(
  store: Store,
  email: string,
): Promise<FoundAccount | undefined> {
  const item = await emailEntity.read(store, email);
  const id = item?.data.account;
  return id === undefined ? undefined : findAccount(store, id);
}

export async function findAccount(store: Store, id: number): Promise<FoundAccount | undefined> {
  const [account, found, metadata] = await store.get([
    accountEntity.key(id),
    passwordEntity.key(id),
    accountMetadataEntity.key(id),
  ]);
  const item = as(accountEntity, account);
  if (item === undefined) return undefined;
  const password = as(passwordEntity, found);
  return {
    item,
    data: item.data,
    metadata: as(accountMetadataEntity, metadata)?.data.metadata ?? {},
    hash: password?.data.hash,
    unchangedPassword:
      password === undefined ? { kind: 'absent' } : { kind: 'version', version: password.version },
  };
}
