import { idKey, ofInstance } from '../key-parts.ts';
import { entity } from '../kind.ts';
import type {
  GuestPlaceData,
  SessionData,
  UsedTokenData,
  UserAddressData,
  UserCodeData,
  UserSettingsData,
} from '../records/user-accounts.ts';

/** Settings of the users of an instance. */
export const userSettingsEntity = entity<UserSettingsData>('user-settings').keyed(
  ofInstance,
  'USERSETTINGS',
  { belongsTo: 'contents' },
);

/** The user that has an address; `code` is the address as index-keys.ts encodes text. */
export const userAddressEntity = entity<UserAddressData>('user-address').keyed(
  (instance: number) => `INSTANCE#${instance}#USERADDRESS`,
  '',
  (code: string) => code,
  { belongsTo: 'derived' },
);

/** A session of a user, by user and number; it expires. */
export const sessionEntity = entity<SessionData>('session').keyed(
  (instance: number) => `INSTANCE#${instance}#SESSIONS`,
  (_instance: number, user: number) => `${idKey(user)}#`,
  idKey,
  { belongsTo: 'derived' },
);

/** Pattern of the partitions of sessions, for policies. */
export const anySessionPartition = 'INSTANCE#*#SESSIONS';

/** Mark that a token of a mail or a log-in was used; it expires. */
export const usedTokenEntity = entity<UsedTokenData>('used-token').keyed(
  (instance: number) => `INSTANCE#${instance}#USEDTOKENS`,
  '',
  (nonce: string) => nonce,
  { belongsTo: 'derived' },
);

/** A code that was sent to an address, by purpose; it expires. */
export const userCodeEntity = entity<UserCodeData>('user-code').keyed(
  (instance: number) => `INSTANCE#${instance}#USERCODES`,
  '',
  (purpose: string, code: string) => `${purpose}#${code}`,
  { belongsTo: 'derived' },
);

/** A place that a guest takes, of those that an instance has; it expires with the guest. */
export const guestPlaceEntity = entity<GuestPlaceData>('guest-place').keyed(
  (instance: number) => `INSTANCE#${instance}#GUESTS`,
  '',
  idKey,
  { belongsTo: 'derived' },
);

/** The kinds of accounts of users. */
export const userAccountKinds = [
  userSettingsEntity,
  userAddressEntity,
  sessionEntity,
  guestPlaceEntity,
  usedTokenEntity,
  userCodeEntity,
] as const;
