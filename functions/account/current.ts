import { type Context, callingAccount } from '../../shared/core/family.ts';
import type { Stored } from '../../shared/store/store.ts';
import { accountEntity } from '../../shared/table/entities/accounts.ts';
import type { AccountData } from '../../shared/table/records/records.ts';

/** Returns the calling account: as read with the request, or read again after a write conflict. */
export async function currentAccount(
  context: Context,
  isFirst: boolean,
): Promise<Stored<AccountData>> {
  const account = callingAccount(context);
  if (isFirst) return account;
  const now = await accountEntity.read(context.platform.store, account.data.id);
  if (now === undefined) throw new Error('an account is gone'); // accounts are never deleted
  return now;
}
