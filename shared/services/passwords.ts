import { hashPassword, isPassword } from '../domain/passwords.ts';
import type { Context } from '../resource/route.ts';
import type { Share } from './fair-queue.ts';

/** What is needed of the request that brings a password. */
export type PasswordCall = Pick<Context, 'platform' | 'instanceId' | 'request'>;

/**
 * Hashes a new password.
 *
 * @throws ApiError 503 while too many passwords are being hashed
 */
export function hashOf(call: PasswordCall, password: string): Promise<string> {
  const { settings, passwords } = call.platform;
  return hashPassword(password, settings.passwordCost, (job) => passwords.run(job, shareOf(call)));
}

/**
 * Tells whether a password is the one that was hashed.
 *
 * @throws ApiError 503 while too many passwords are being hashed
 */
export function matchesHash(call: PasswordCall, password: string, hash: string): Promise<boolean> {
  const { passwords } = call.platform;
  return isPassword(password, hash, (job) => passwords.run(job, shareOf(call)));
}

/** Users of an instance share its turns; who has no instance yet has those of the address. */
function shareOf({ instanceId, request }: PasswordCall): Share {
  return instanceId === undefined
    ? { owner: `address ${request.sourceAddress}`, instance: '' }
    : { owner: `instance ${instanceId}`, instance: '' };
}
