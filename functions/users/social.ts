import { isAllowed } from '../../shared/domain/access.ts';
import { refused } from '../../shared/domain/errors.ts';
import type { Response } from '../../shared/http/message.ts';
import { type Fields, text } from '../../shared/resource/field.ts';
import { type Body, validInput } from '../../shared/resource/input.ts';
import { instanceOf } from '../../shared/resource/place.ts';
import type { Context } from '../../shared/resource/route.ts';
import { type UserView, viewUser, wholeUser } from '../../shared/resource/show-user.ts';
import { userAccess } from '../../shared/resource/user-access.ts';
import { commit } from '../../shared/services/commit.ts';
import { retryLostRace } from '../../shared/services/lost-race.ts';
import type { SocialProfile } from '../../shared/services/ports.ts';
import { verifiedProfile } from '../../shared/services/social.ts';
import { as, instanceCounter, userEntity, userSocialEntity } from '../../shared/store/entities.ts';
import { insert, replace } from '../../shared/store/writes.ts';
import { findUser } from './auth.ts';
import { wholeProfile } from './profile-input.ts';
import { nameKey, registerUser } from './write.ts';

/** What a log-in by another service sends. */
export const socialFields: Fields = { access_token: text(undefined, { shownRequired: true }) };

/**
 * Logs in by a token of another service: the user that it was linked to, else the one whose name is the verified
 * address, which is linked then, else a new one without password (reference: log in).
 */
export async function authenticateSocially(context: Context, body: Body): Promise<Response> {
  const backend = context.params.backend ?? '';
  const { access_token } = validInput(socialFields, body, 'create') as { access_token: string }; // the field says so
  const profile = await verifiedProfile(context.platform, backend, access_token);
  const user = await retryLostRace(() => userOf(context, backend, profile));
  return { status: 200, body: wholeUser(context, user) };
}

async function userOf(
  context: Context,
  backend: string,
  { id, email }: SocialProfile,
): Promise<UserView> {
  const { store } = context.platform;
  const instance = instanceOf(context);
  const at = (user: number) => userEntity.key(instance, user);
  const key = userSocialEntity.key(instance, backend, id);
  const link = as(userSocialEntity, (await store.get([key]))[0]);
  const known = link && as(userEntity, (await store.get([at(link.data.user)]))[0]);
  if (known !== undefined) return viewUser(context, known.data);
  if (email === undefined)
    throw refused(400, 'Invalid social scope, missing email.', 'social_login_failed');
  // a link may have outlived its user
  const linkTo = (user: number) =>
    link === undefined ? insert(userSocialEntity, key, { user }) : replace(link, { user });
  const found = await findUser(context, nameKey(instance, email));
  if (found !== undefined) {
    const user = found.data;
    const isThere = { action: 'check', key: at(user.id), condition: { kind: 'present' } } as const;
    await commit(context, [linkTo(user.id), isThere]);
    return viewUser(context, user);
  }
  if (!isAllowed(userAccess, context.actor, 'C')) {
    throw refused(403, 'You do not have permission to create new user.', 'key_flag_needed');
  }
  return registerUser(context, await store.next(instanceCounter(instance, 'user')), {
    ...{ username: email, password: undefined },
    profile: () => wholeProfile({}, 'create'),
    beside: (user) => [linkTo(user)],
  });
}
