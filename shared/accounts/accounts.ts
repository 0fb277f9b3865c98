import { accountEntity, accountMetadataEntity, as } from '../store/entities.ts';
import type { AccountData } from '../store/records/records.ts';
import type { Store } from '../store/store.ts';
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
  const items = await store.get([
    ...distinct.map((id) => accountEntity.key(id)),
    ...distinct.map((id) => accountMetadataEntity.key(id)),
  ]);
  const owners = new Map<number, JsonObject>();
  for (const [at, id] of distinct.entries()) {
    const account = as(accountEntity, items[at]);
    const metadata = as(accountMetadataEntity, items[distinct.length + at])?.data.metadata ?? {};
    if (account !== undefined) owners.set(id, showAccount(account.data, metadata));
  }
  return owners;
}
