import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { resetPassword } from '../../../accounts/reset-password.ts';
import { hashAside } from '../../../accounts/rules/hash-aside.ts';
import { hashPassword } from '../../../accounts/rules/passwords.ts';
import { openIds } from '../../../ports/ids.ts';
import { askServer } from '../control.ts';
import { StartError } from '../server/start-error.ts';
import { inUnusedStore } from './unused-store.ts';

/** A new password of an account. */
export interface NewPassword {
  readonly email: string;
  readonly password: string;
}

/**
 * Gives an account of a data folder another password, also while a server uses the folder.
 *
 * @throws StartError when the folder cannot be used; Error when no account has the address
 */
export async function resetFolderPassword(folder: string, given: NewPassword): Promise<void> {
  if (!existsSync(join(folder, 'format.json'))) throw new StartError(`${folder} holds no data`);
  try {
    await askServer(folder, { resetPassword: given });
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    await resetUnused(folder, given); // no server uses it
  }
}

const cost = 15; // the default of GROUNDWORK_PASSWORD_COST

async function resetUnused(folder: string, { email, password }: NewPassword): Promise<void> {
  await inUnusedStore(folder, async (unused) => {
    const hash = await hashPassword(password, cost, hashAside);
    await resetPassword({ ...unused, ids: openIds() }, { email, hash });
  });
}
