import type { Response } from '../../core/http/message.ts';
import { instanceOf } from '../../core/resource/context-values.ts';
import type { Write } from '../../store/store.ts';
import type { SessionProof } from '../../table/records/user-accounts.ts';
import { isAllowed } from '../../values/access.ts';
import { type ApiError, detailError } from '../../values/errors/errors.ts';
import { type LoggedInUser, registerLoggedIn } from '../register-logged-in.ts';
import { planSession } from '../sessions/plan-session.ts';
import { type UserContext, wholeUser } from '../show-user.ts';
import { userAccess } from '../user-access.ts';
import { addressCreate } from './user-address.ts';

/** A new user who has proved its address. */
export interface NewProvedUser
  extends Pick<LoggedInUser, 'username' | 'password' | 'profile' | 'errors'> {
  readonly email: string;
  readonly proof: SessionProof;
  /** Name of the service, where the user comes from one. */
  readonly provider?: string;
  /** Written in the same transaction, as the use of a token. */
  readonly uses: (user: number) => readonly Write[];
  /** Error where the token was used, or another user has the address by now. */
  readonly taken: () => ApiError;
}

/**
 * Creates a user with a proved address and begins a session.
 *
 * @returns the user with the key of the session
 * @throws ApiError 403 for an API key that may not create users
 */
export async function createProvedUser(
  context: UserContext,
  { email, proof, provider, uses, taken, ...user }: NewProvedUser,
): Promise<Response> {
  const { platform } = context;
  const instance = instanceOf(context);
  requireCreate(context);
  let used: readonly Write[] = [];
  const view = await registerLoggedIn(context, {
    ...user,
    account: { email, isEmailConfirmed: true },
    begin: async (data) => {
      const from = provider !== undefined && { provider };
      const session = await planSession(platform, { instance, user: data, proof, ...from });
      used = [addressCreate(instance, email, data.id), ...uses(data.id)];
      return { key: session.key, writes: [...used, ...session.writes] };
    },
    conflictError: (write) => (used.includes(write) ? taken() : undefined),
  });
  return { status: 200, body: wholeUser(context, view) };
}

/**
 * Requires an API key that may create users.
 *
 * @throws ApiError 403
 */
export function requireCreate({ actor }: Pick<UserContext, 'actor'>): void {
  if (actor.kind !== 'apiKey' || !isAllowed(userAccess, actor, 'C')) {
    throw detailError(403, 'You do not have permission to create new user.', 'key_flag_needed');
  }
}
