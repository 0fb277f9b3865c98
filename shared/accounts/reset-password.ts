import { maintain } from '../jobs/maintain.ts';
import { retryOnConflict } from '../jobs/write-conflict.ts';
import type { Platform } from '../ports/ports.ts';
import { putItem, updateItem } from '../store/writes.ts';
import { accountEntity, emailEntity, passwordEntity } from '../table/entities/accounts.ts';
import { nextKey } from './keys.ts';

/**
 * Gives an account another password, for an operator, who does not know the old one. The account key is reset as well,
 * as with the token of a mail.
 *
 * @throws Error when no account has the address
 */
export async function resetPassword(
  platform: Pick<Platform, 'store' | 'ids' | 'secrets'>,
  { email, hash }: { readonly email: string; readonly hash: string },
): Promise<void> {
  const { store, secrets } = platform;
  const address = await emailEntity.read(store, email.toLowerCase());
  if (address === undefined) throw new Error(`there is no account ${email}`);
  await retryOnConflict(async () => {
    const account = await accountEntity.read(store, address.data.account);
    if (account === undefined) throw new Error('an account is gone'); // accounts are never deleted
    const { data } = account;
    const next = await nextKey(secrets, data);
    await maintain(platform, [
      updateItem(account, { ...data, ...next, has_password: true }),
      putItem(passwordEntity, passwordEntity.key(data.id), { hash }),
    ]);
  });
}
