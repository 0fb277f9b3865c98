import { nextKey } from '../../shared/accounts/keys.ts';
import { type Context, instanceOf, type LoadedOf } from '../../shared/core/family.ts';
import type { Response } from '../../shared/core/http/message.ts';
import { inputOf } from '../../shared/core/resource/input.ts';
import { commit } from '../../shared/store/commit.ts';
import { readTogether } from '../../shared/store/entity.ts';
import type { Stored, Write } from '../../shared/store/store.ts';
import { checkUnchanged, createOrUpdate } from '../../shared/store/writes.ts';
import { usedTokenEntity } from '../../shared/table/entities/user-accounts.ts';
import { userEntity, userSocialEntity } from '../../shared/table/entities/users.ts';
import type { UserData } from '../../shared/table/records/records.ts';
import { type ProvedUser, planProof } from '../../shared/users/addresses/plan-proof.ts';
import { addressCreate, findUserByAddress } from '../../shared/users/addresses/user-address.ts';
import { userFields } from '../../shared/users/fields.ts';
import { guestEnd } from '../../shared/users/guests/guest-places.ts';
import type { LogInCode } from '../../shared/users/redirects/sealed-claims.ts';
import { registerLoggedIn } from '../../shared/users/register-logged-in.ts';
import { planSession } from '../../shared/users/sessions/plan-session.ts';
import {
  type userSettingsLoads,
  userSettingsOf,
} from '../../shared/users/settings/user-settings.ts';
import {
  type profileLoads,
  type UserView,
  viewUser,
  wholeUser,
} from '../../shared/users/show-user.ts';
import { planTokenUse } from '../../shared/users/tokens/user-tokens.ts';
import { userAccess } from '../../shared/users/user-access.ts';
import { changeUserWith } from '../../shared/users/write-user.ts';
import { denialOf, isAllowed } from '../../shared/values/access.ts';
import { detailError, forbidden } from '../../shared/values/errors/errors.ts';

/** A request that exchanges a code. */
export type ExchangeContext = Context<LoadedOf<typeof userSettingsLoads & typeof profileLoads>>;

/** Returns the error for a code that this app cannot exchange, whatever the reason. */
export function invalidCode() {
  return detailError(400, 'Invalid code.', 'social_login_failed');
}

/** A log-in at its end. */
interface LogIn {
  readonly code: LogInCode;
  /** Begins a session of a user, uses the code up, and links the user to the identity. */
  readonly writesFor: (user: UserData) => Promise<{ key: string; writes: readonly Write[] }>;
}

/**
 * Logs in the user of an identity: the linked one, else that of the verified address, else the calling guest, else a new
 * one. Tries once.
 *
 * @throws ApiError 400 for a code that was used
 */
export async function logInWith(context: ExchangeContext, code: LogInCode): Promise<Response> {
  const { store } = context.platform;
  const instance = instanceOf(context);
  const backend = `redirect:${code.provider}`; // a colon: no path of another log-in has such a name
  const { used, link } = await readTogether(store, {
    used: usedTokenEntity.at(instance, code.nonce),
    link: userSocialEntity.at(instance, backend, code.identity),
  });
  if (used !== undefined) throw invalidCode();
  const key = userSocialEntity.key(instance, backend, code.identity);
  const linked = link && (await userEntity.read(store, instance, link.data.user));
  const isLinked = (linked?.data.linkEpoch ?? 0) === (link?.data.linkEpoch ?? 0);
  const logIn: LogIn = {
    code,
    writesFor: async (user) => {
      const session = await sessionOf(context, code, user);
      const { id, linkEpoch = 0 } = user;
      const linkTo = createOrUpdate(
        userSocialEntity,
        { key, current: link },
        { user: id, linkEpoch },
      );
      return { key: session.key, writes: [...session.writes, linkTo] };
    },
  };
  const view =
    linked !== undefined && isLinked
      ? await logInLinked(context, code, linked)
      : await logInNew(context, logIn);
  return { status: 200, body: wholeUser(context, { ...view, isLoggedIn: true }) };
}

/** Returns the writes that begin a session and use the code up. */
async function sessionOf(
  { platform, instanceId = 0 }: ExchangeContext,
  code: LogInCode,
  user: UserData,
) {
  const { provider, nonce, until } = code;
  const proved = { instance: instanceId, user, proof: 'provider', provider } as const;
  const session = await planSession(platform, proved);
  const use = planTokenUse(platform, { instance: instanceId, nonce, until });
  return { key: session.key, writes: [use, ...session.writes] };
}

async function logInLinked(
  context: ExchangeContext,
  code: LogInCode,
  linked: Stored<UserData>,
): Promise<UserView> {
  const { key, writes } = await sessionOf(context, code, linked.data);
  await commit(context, [...writes, checkUnchanged(linked)]);
  return { ...(await viewUser(context, linked.data)), key };
}

/** Logs in with an identity that belongs to no user yet. An address counts where the instance has addresses. */
async function logInNew(context: ExchangeContext, logIn: LogIn): Promise<UserView> {
  const { platform, actor } = context;
  const instance = instanceOf(context);
  const mode = userSettingsOf(context).email;
  const email = mode === 'off' ? undefined : logIn.code.email;
  if (email === undefined && mode === 'required') throw addressNeeded();
  const found = email && (await findUserByAddress(platform.store, instance, email));
  if (found) return changeWith(context, logIn, found, email);
  if (!isAllowed(userAccess, actor, 'C')) throw forbidden(denialOf(userAccess, actor, ['C']));
  const guest = await callingGuest(context);
  return guest === undefined
    ? createWith(context, logIn, email)
    : changeWith(context, logIn, guest, email);
}

function addressNeeded() {
  const message = 'The service has not confirmed an e-mail address, and users need one here.';
  return detailError(400, message, 'social_login_failed');
}

/** Returns the guest whose session the request has, as it is now. */
async function callingGuest(context: ExchangeContext): Promise<Stored<UserData> | undefined> {
  const { user, platform } = context;
  if (user?.data.guestUntil === undefined) return undefined;
  const now = await userEntity.read(platform.store, instanceOf(context), user.data.id);
  const isGuest =
    now?.data.guestUntil !== undefined && now.data.generation === user.data.generation;
  return isGuest ? now : undefined;
}

async function changeWith(
  context: ExchangeContext,
  { code, writesFor }: LogIn,
  current: Stored<UserData>,
  email: string | undefined,
): Promise<UserView> {
  const { platform } = context;
  const instance = instanceOf(context);
  const planned = email
    ? await planProof(platform, { instance, current, email })
    : await planUserOfGuest(context, current.data);
  const { key, writes } = await writesFor(planned.data);
  const { services, linkEpoch = 0 } = planned.data;
  const data = { ...planned.data, services: { ...services, [code.provider]: linkEpoch } };
  const input = inputOf(userFields, { value: {}, form: false }, 'patch');
  const view = await changeUserWith(
    context,
    { current, input },
    { ...planned, data, writes: [...planned.writes, ...writes], conflictError: () => undefined },
  );
  return { ...view, key };
}

/** Makes a user of a guest. Its sessions end: whoever has brought a guest into a browser does not share the user. */
async function planUserOfGuest(
  { platform, instanceId = 0 }: ExchangeContext,
  guest: UserData,
): Promise<ProvedUser> {
  const { guestUntil: _, guestPlace: __, ...kept } = guest;
  const data: UserData = {
    ...kept,
    ...(await nextKey(platform.secrets, guest)),
    linkEpoch: (guest.linkEpoch ?? 0) + 1,
  };
  return { data, writes: guestEnd(instanceId, guest), endsPassword: true };
}

async function createWith(
  context: ExchangeContext,
  { code, writesFor }: LogIn,
  email: string | undefined,
): Promise<UserView> {
  const services = { [code.provider]: 0 };
  return registerLoggedIn(context, {
    account: { services, ...(email && { email, isEmailConfirmed: true as const }) },
    begin: async (user) => {
      const { key, writes } = await writesFor(user);
      const address = email ? [addressCreate(instanceOf(context), email, user.id)] : [];
      return { key, writes: [...writes, ...address] };
    },
  });
}
