import { passwordErrors } from '../../../shared/accounts/passwords.ts';
import { defineFields, endpointRoute, instanceOf, text } from '../../../shared/core/family.ts';
import type { Body } from '../../../shared/core/http/body/body.ts';
import type { Response } from '../../../shared/core/http/message.ts';
import { post } from '../../../shared/core/resource/endpoint.ts';
import { readInput, type Values, validValues } from '../../../shared/core/resource/input.ts';
import { retryOnConflict } from '../../../shared/jobs/write-conflict.ts';
import {
  createProvedUser,
  requireCreate,
} from '../../../shared/users/addresses/create-proved-user.ts';
import { proveAddress } from '../../../shared/users/addresses/prove-address.ts';
import { limitRequests } from '../../../shared/users/addresses/request-limits.ts';
import { userOfToken, wrongToken } from '../../../shared/users/addresses/token-user.ts';
import { maxUsername, userFields } from '../../../shared/users/fields.ts';
import { confirmPage, withPage } from '../../../shared/users/pages/link-pages.ts';
import { profileInput, wholeProfile } from '../../../shared/users/profile-input.ts';
import {
  planTokenUse,
  readUserToken,
  type UserTokenClaims,
} from '../../../shared/users/tokens/user-tokens.ts';
import {
  type AddressContext,
  addressLoads,
  userResponse,
  whereAddresses,
  withLink,
} from './address-endpoint.ts';

const tokenFields = defineFields({ token: text(4096, { required: true, writeOnly: true }) });
/** Of all of them, the user has those that the body has. */
const { username, password, profile } = userFields;
const givenFields = defineFields({ username, password, profile });
/** The same as the interface document shows them: none is required. */
const shownFields = defineFields({
  ...tokenFields,
  username: text(maxUsername),
  password: text(128, { writeOnly: true }),
  profile,
});

async function confirm(context: AddressContext, body: Body): Promise<Response> {
  const sent = readInput(givenFields, body, 'patch');
  const more = passwordErrors(context, { password: sent.values.password }, sent.errors);
  const { token } = validValues(readInput(tokenFields, body, 'create'), more);
  await limitRequests(context, 'confirm');
  const claims = await claimsIn(context, token);
  if (claims?.email === undefined) throw wrongToken();
  const { email } = claims;
  const { values } = sent;
  return retryOnConflict(() => confirmOnce(context, { claims, email, body, values }));
}

/** Reads a token of a registration, or of a new address. */
async function claimsIn(
  context: AddressContext,
  token: string,
): Promise<UserTokenClaims | undefined> {
  const { platform } = context;
  const instance = instanceOf(context);
  return (
    (await readUserToken(platform, token, { purpose: 'register', instance })) ??
    (await readUserToken(platform, token, { purpose: 'confirm', instance }))
  );
}

interface Confirmation {
  readonly claims: UserTokenClaims;
  readonly email: string;
  readonly body: Body;
  readonly values: Values<typeof givenFields, 'patch'>;
}

async function confirmOnce(
  context: AddressContext,
  { claims, email, body, values }: Confirmation,
): Promise<Response> {
  const { context: call, user } = await userOfToken(context, claims);
  const use = planTokenUse(context.platform, claims);
  const taken = wrongToken;
  if (claims.purpose === 'register') requireCreate(call);
  if (user === undefined) {
    const given = { username: values.username, password: values.password };
    const profile = () =>
      profileInput(values.profile, body, 'create') ?? wholeProfile({}, 'create');
    const uses = () => [use];
    return createProvedUser(call, {
      email,
      proof: 'email',
      ...given,
      profile,
      uses,
      taken,
    });
  }
  const isGuest = user.data.guestUntil !== undefined;
  if (isGuest !== (claims.purpose === 'register')) throw wrongToken();
  const hasOwnKey = context.user?.data.id === user.data.id;
  return proveAddress(call, {
    current: user,
    email,
    proof: 'email',
    body,
    hasOwnKey,
    uses: [use],
    taken,
  });
}

/** Route of the links that confirm an address (docs/reference/user-accounts.md#confirmation). */
export const confirmRoute = endpointRoute({
  name: 'User Email Confirm',
  operationNames: {
    POST: { id: 'confirmUserEmail', summary: 'Confirm the email address of a user' },
  },
  path: '/instances/{instance}/user/email/confirm/',
  v1Path: null,
  exists: whereAddresses,
  access: withLink,
  loads: addressLoads,
  response: userResponse,
  ...withPage(confirmPage, post({ ...tokenFields, ...givenFields }, confirm)),
  forms: { POST: shownFields },
});
