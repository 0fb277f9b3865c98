import type { Response } from '../../core/http/message.ts';
import { instanceOf } from '../../core/resource/context-values.ts';
import type { ParsedSystemFields } from '../../objects/object-checks.ts';
import type { Write } from '../../store/store.ts';
import { instanceCounter } from '../../table/counters.ts';
import type { SessionProof } from '../../table/records/user-accounts.ts';
import { isAllowed } from '../../values/access.ts';
import { type ApiError, detailError, type FieldErrors } from '../../values/errors/errors.ts';
import { wholeProfile } from '../profile-input.ts';
import { planSession } from '../sessions/plan-session.ts';
import { type UserContext, wholeUser } from '../show-user.ts';
import { userAccess } from '../user-access.ts';
import { registerUser } from '../write-user.ts';
import { generatedName } from './generated-name.ts';
import { addressCreate } from './user-address.ts';

/** A new user who has proved its address. */
export interface NewProvedUser {
  readonly email: string;
  readonly proof: SessionProof;
  /** Name of the service, where the user comes from one. */
  readonly provider?: string;
  /** Absent: one is generated. */
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly profile?: () => ParsedSystemFields;
  readonly errors?: FieldErrors | undefined;
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
  { email, proof, provider, ...user }: NewProvedUser,
): Promise<Response> {
  const { platform } = context;
  const instance = instanceOf(context);
  requireCreate(context);
  const begun = { key: '', uses: [] as readonly Write[] };
  const view = await registerUser(
    context,
    await platform.store.next(instanceCounter(instance, 'user')),
    {
      username: user.username || generatedName(platform),
      password: user.password,
      errors: user.errors,
      profile: user.profile ?? (() => wholeProfile({}, 'create')),
      account: { email, isEmailConfirmed: true },
      moreWrites: async (data) => {
        const from = provider !== undefined && { provider };
        const session = await planSession(platform, { instance, user: data, proof, ...from });
        begun.key = session.key;
        begun.uses = [addressCreate(instance, email, data.id), ...user.uses(data.id)];
        return [...begun.uses, ...session.writes];
      },
      conflictError: (write) => (begun.uses.includes(write) ? user.taken() : undefined),
    },
  );
  return { status: 200, body: wholeUser(context, { ...view, key: begun.key, isLoggedIn: true }) };
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
