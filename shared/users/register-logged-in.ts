import { instanceOf } from '../core/resource/context-values.ts';
import { instanceCounter } from '../table/counters.ts';
import type { UserData } from '../table/records/records.ts';
import { generatedName } from './addresses/generated-name.ts';
import { wholeProfile } from './profile-input.ts';
import type { PlannedSession } from './sessions/plan-session.ts';
import type { UserContext, UserView } from './show-user.ts';
import { type NewUser, registerUser } from './write-user.ts';

/** A new user with a session. Without name it gets one, and it may have no password. */
export interface LoggedInUser
  extends Partial<Omit<NewUser, 'username' | 'password' | 'moreWrites'>> {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Plans the session; its writes have all that belongs to the same transaction. */
  readonly begin: (user: UserData) => Promise<PlannedSession>;
}

/**
 * Registers a user who is logged in at once.
 *
 * @returns the user with the key of the session
 * @throws ApiError as {@link registerUser}
 */
export async function registerLoggedIn(
  context: UserContext,
  { begin, ...user }: LoggedInUser,
): Promise<UserView> {
  const { platform } = context;
  const id = await platform.store.next(instanceCounter(instanceOf(context), 'user'));
  let key = '';
  const view = await registerUser(context, id, {
    profile: () => wholeProfile({}, 'create'),
    ...user,
    username: user.username || generatedName(platform),
    password: user.password,
    moreWrites: async (data) => {
      const begun = await begin(data);
      key = begun.key;
      return begun.writes;
    },
  });
  return { ...view, key, isLoggedIn: true };
}
