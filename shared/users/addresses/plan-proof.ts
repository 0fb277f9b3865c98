import { nextKey } from '../../accounts/keys.ts';
import type { Platform } from '../../ports/ports.ts';
import type { Stored, Write } from '../../store/store.ts';
import type { UserData } from '../../table/records/records.ts';
import { guestEnd } from '../guests/guest-places.ts';
import { generatedName } from './generated-name.ts';
import { addressCreate, addressDeletes } from './user-address.ts';

/** Proof that a user owns an address. */
export interface AddressProof {
  /** Data id. */
  readonly instance: number;
  readonly current: Stored<UserData>;
  readonly email: string;
  /** The request has a key of the user as well, so that one person has both. */
  readonly hasOwnKey?: boolean;
}

/** A user who has proved an address, for `changeUserWith`. */
export interface ProvedUser {
  readonly data: UserData;
  /** All but that of the user's record and name. A create among them fails where another user has the address. */
  readonly writes: readonly Write[];
  /** Earlier credentials are void, and the password with them. */
  readonly endsPassword: boolean;
}

/**
 * Plans the proof of an address. Where the user had not proved it, another person may have waited for its owner: password,
 * keys, sessions, identities at other services, and a name by which a service finds the user, are void
 * (docs/reference/user-accounts.md#the-first-proof). A user who has proved an address keeps them
 * when it changes to another one with its own key; tokens of earlier mails are void then, as others may have them.
 */
export async function planProof(
  platform: Pick<Platform, 'secrets' | 'ids' | 'clock'>,
  { instance, current, email, hasOwnKey = false }: AddressProof,
): Promise<ProvedUser> {
  const before = current.data;
  const isSame = before.email === email;
  const writes = isSame
    ? []
    : [addressCreate(instance, email, before.id), ...addressDeletes(instance, before)];
  const isProved = isSame && before.isEmailConfirmed === true;
  const isOwnChange = hasOwnKey && before.email !== undefined && before.isEmailConfirmed === true;
  if (isProved || isOwnChange) {
    const moved = isOwnChange && { passwordAt: platform.clock.micros() };
    const data: UserData = { ...before, ...moved, email, isEmailConfirmed: true };
    return { data, writes, endsPassword: false };
  }
  const { guestUntil: _, guestPlace: __, isConfirmed: ___, ...kept } = before;
  const isOtherAddress = before.username.includes('@') && before.username !== email;
  const data: UserData = {
    ...kept,
    ...(await nextKey(platform.secrets, before)),
    username: isOtherAddress ? generatedName(platform) : before.username,
    linkEpoch: (before.linkEpoch ?? 0) + 1,
    email,
    isEmailConfirmed: true,
  };
  return { data, writes: [...writes, ...guestEnd(instance, before)], endsPassword: true };
}
