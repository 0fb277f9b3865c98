import type { Context } from '../core/routing/route.ts';
import { type Share, shareOf } from '../ports/limits/fair-queue.ts';
import type { FieldErrors } from '../values/errors/errors.ts';
import { messages } from '../values/errors/messages.ts';
import { characterCount } from '../values/scalars.ts';
import { hashPassword, isPassword } from './rules/passwords.ts';

/** Properties of a request with a password. */
export type PasswordCall = Pick<Context, 'platform' | 'instanceId' | 'instanceName' | 'request'>;

/**
 * Hashes a new password.
 *
 * @throws ApiError 503 while too many passwords are being hashed
 */
export function newPasswordHash(call: PasswordCall, password: string): Promise<string> {
  const { settings, passwords } = call.platform;
  return hashPassword(password, settings.passwordCost, (job) =>
    passwords.run(job, shareOfCall(call)),
  );
}

/**
 * Adds the errors of new passwords that are shorter than the operator allows (docs/reference/accounts.md#registration).
 *
 * @param given the new password by its field; undefined where none is set
 * @param errors those of the other fields
 * @returns undefined when there are no errors
 */
export function passwordErrors(
  { platform }: Pick<PasswordCall, 'platform'>,
  given: Readonly<Record<string, string | undefined>>,
  errors?: FieldErrors,
): FieldErrors | undefined {
  const { passwordMin = 1 } = platform.settings;
  const short = Object.entries(given).filter(
    ([, password]) => password !== undefined && characterCount(password) < passwordMin,
  );
  if (short.length === 0) return errors;
  const message = messages.minLength(passwordMin);
  return { ...errors, ...Object.fromEntries(short.map(([field]) => [field, [message]])) };
}

/**
 * Checks whether a password is the one that was hashed.
 *
 * @throws ApiError 503 while too many passwords are being hashed
 */
export function matchesHash(call: PasswordCall, password: string, hash: string): Promise<boolean> {
  const { passwords } = call.platform;
  return isPassword(password, hash, (job) => passwords.run(job, shareOfCall(call)));
}

/**
 * Returns the share of a request: an instance has its share of its owner's turns; without an instance, those of the
 * address.
 */
export function shareOfCall({ instanceId, instanceName, request }: PasswordCall): Share {
  return instanceId === undefined
    ? { owner: `address ${request.sourceAddress}`, instance: '' }
    : shareOf(instanceId, instanceName?.data.owner);
}
