import type { Context } from '../core/routing/route.ts';
import { type Share, shareOf } from '../ports/limits/fair-queue.ts';
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
function shareOfCall({ instanceId, instanceName, request }: PasswordCall): Share {
  return instanceId === undefined
    ? { owner: `address ${request.sourceAddress}`, instance: '' }
    : shareOf(instanceId, instanceName?.data.owner);
}
