import { type Attempt, limitAttempts } from '../../accounts/attempts.ts';
import type { Context } from '../../core/routing/route.ts';
import { retryOnConflict } from '../../jobs/write-conflict.ts';
import { commit } from '../../store/commit.ts';
import { readTogether } from '../../store/entity.ts';
import type { Stored, Write } from '../../store/store.ts';
import { createItem, updateItem } from '../../store/writes.ts';
import { userCodeEntity } from '../../table/entities/user-accounts.ts';
import { encodeText } from '../../table/index-keys.ts';
import type { UserAddressData, UserCodeData } from '../../table/records/user-accounts.ts';
import { type ApiError, invalid } from '../../values/errors/errors.ts';
import { type CodeSubject, codeKey, codeSeconds, isCode } from './issue-code.ts';
import { userAddressAt } from './user-address.ts';

/** Wrong codes after which a code is void. */
const maxCodeTries = 5;

/** A code that was right. */
export interface FoundCode {
  /** The write that uses it up. */
  readonly use: Write;
  /** Of the user with the address, if there is one. */
  readonly address: Stored<UserAddressData> | undefined;
}

/**
 * Checks a code. A wrong one, an old one and one for an unknown address cost the same reads and writes: each is counted in
 * the item of the address, which is made where there was none.
 *
 * @throws ApiError 400 for any that is not right, 429 after too many
 */
export async function checkCode(
  context: Context,
  subject: CodeSubject,
  code: string,
): Promise<FoundCode> {
  const key = codeKey(subject);
  const attempt: Attempt = {
    scope: key.pk,
    name: key.sk,
    address: context.request.sourceAddress,
  };
  const found = await limitAttempts(context, attempt, () => countTry(context, subject, code));
  if (found === undefined) throw wrongCode();
  return found;
}

/** Returns the error for a code that is not right, whatever the reason. */
export function wrongCode(): ApiError {
  return invalid({ code: ['Invalid code.'] }, 'login_failed');
}

/** Counts a try before the check, so that concurrent ones have no advantage. */
async function countTry(
  context: Context,
  subject: CodeSubject,
  code: string,
): Promise<FoundCode | undefined> {
  const { platform } = context;
  const { instance, email, use } = subject;
  const key = codeKey(subject);
  const now = platform.clock.micros() / 1_000_000;
  const { address, item, version } = await retryOnConflict(async () => {
    const read = await readTogether(platform.store, {
      address: userAddressAt(instance, email),
      item: userCodeEntity.at(instance, use, encodeText(email)),
    });
    const data = counted(read.item?.data, now);
    const write =
      read.item === undefined ? createItem(userCodeEntity, key, data) : updateItem(read.item, data);
    const made = await commit(context, [{ ...write, expiresAt: data.until }]);
    return { ...read, version: made };
  });
  const { mac, tries, until } = counted(item?.data, now);
  const isRight = await isCode(platform, subject, { code, mac });
  const isOpen = item !== undefined && item.data.until > now && tries <= maxCodeTries;
  if (!(isRight && isOpen && until > now)) return undefined;
  return { address, use: { action: 'delete', key, condition: { kind: 'version', version } } };
}

const noMac = '1.';

/** Returns a code after another try. */
function counted(data: UserCodeData | undefined, now: number): UserCodeData {
  if (data === undefined) {
    return { mac: noMac, tries: 1, key: 0, until: Math.floor(now) + codeSeconds };
  }
  return { ...data, tries: data.tries + 1 };
}
