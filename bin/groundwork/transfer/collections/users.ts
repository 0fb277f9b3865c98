import type { ForeignRecord } from '../convert.ts';

/*
 * Members of a user of another system that are no values of the profile. What is of its server is left out without a
 * line: it is of no use here.
 */

/** Keys of sessions, states of e-mails and of attempts to log in, which end with the move. */
const ofTheServer = [
  'sessionToken',
  '_session_token',
  'tokenKey',
  'emailVerified',
  'emailVisibility',
  'verified',
  '_email_verify_token',
  '_email_verify_token_expires_at',
  '_perishable_token',
  '_perishable_token_expires_at',
  '_password_changed_at',
  '_password_history',
  '_account_lockout_expires_at',
  '_failed_login_count',
  '_tombstone',
];

const passwordNames = ['bcryptPassword', '_hashed_password', 'passwordHash'];

/** Members of a user that need no field of the profile. */
export const namesOfUsers: readonly string[] = [
  ...ofTheServer,
  ...passwordNames,
  'username',
  'email',
  'authData',
  'password',
];

const notMoved = 'identities at other services are not moved';

/** Checks whether a member of a user is an identity at a service. */
export function isAuthData(name: string): boolean {
  return name.startsWith('_auth_data_');
}

/** Hashes that the server accepts (docs/reference/transfer.md#users). */
const bcryptHash = /^\$2[aby]\$(0[4-9]|1[0-2])\$[./A-Za-z0-9]{53}$/;

/** Counts a member of a user that is left out. */
type LeaveMember = (name: string, reason: string) => void;

/** Returns the hash of a user's password; undefined where there is none that a log-in can check. */
export function passwordOf(record: ForeignRecord, leave: LeaveMember): string | undefined {
  for (const name of passwordNames) {
    const hash = record[name];
    if (hash === undefined || hash === null || hash === '') continue;
    if (typeof hash === 'string' && bcryptHash.test(hash)) return hash;
    leave(name, 'it is no hash of bcrypt of cost 4 to 12');
  }
  return undefined;
}

/**
 * Counts the members of a user that are neither values of the profile nor of its server.
 *
 * @param hasField checks whether the profile has a field for a name
 */
export function leaveMembers(
  record: ForeignRecord,
  hasField: (name: string) => boolean,
  leave: LeaveMember,
): void {
  const { username, email, authData, password } = record;
  const isSet = (value: unknown) => value !== undefined && value !== null && value !== '';
  const isName = !isSet(username); // then the e-mail address is the name
  if (isSet(email) && !isName && !hasField('email')) {
    leave('email', 'the class user_profile has no field email');
  }
  const hasData = isSet(authData) && Object.keys(Object(authData)).length > 0;
  if (hasData && !hasField('authData')) leave('authData', notMoved);
  for (const [name, value] of Object.entries(record)) {
    // one for each service, in a database of Parse
    if (isAuthData(name) && isSet(value)) leave(name, notMoved);
  }
  if (isSet(password) && !hasField('password')) leave('password', 'only hashes are imported');
}
