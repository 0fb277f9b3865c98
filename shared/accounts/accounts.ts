import { readTogether } from '../store/entity.ts';
import type { Store } from '../store/store.ts';
import { accountEntity, accountMetadataEntity } from '../table/entities/accounts.ts';
import type { AccountData } from '../table/records/records.ts';
import type { JsonObject } from '../values/json/json.ts';

/** Formats an account for responses, without its key (docs/reference/accounts.md#record). */
export function showAccount(data: AccountData, metadata: JsonObject): JsonObject {
  const { id, email, first_name, last_name, is_active, has_password } = data;
  return { id, email, first_name, last_name, is_active, has_password, metadata };
}

/** Reads accounts in the form of owners, in one step; a deleted account is absent. */
export async function readOwners(
  store: Store,
  ids: readonly number[],
): Promise<ReadonlyMap<number, JsonObject>> {
  const distinct = [...new Set(ids)];
  const { accounts, metadata } = await readTogether(store, {
    accounts: distinct.map((id) => accountEntity.at(id)),
    metadata: distinct.map((id) => accountMetadataEntity.at(id)),
  });
  const owners = new Map<number, JsonObject>();
  for (const [at, id] of distinct.entries()) {
    const account = accounts[at];
    const own = metadata[at]?.data.metadata ?? {};
    if (account !== undefined) owners.set(id, showAccount(account.data, own));
  }
  return owners;
}
