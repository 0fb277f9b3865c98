import { passwordErrors } from '../../../shared/accounts/passwords.ts';
import {
  defineFields,
  endpointRoute,
  instanceOf,
  text,
  validInput,
} from '../../../shared/core/family.ts';
import type { Body } from '../../../shared/core/http/body/body.ts';
import type { Response } from '../../../shared/core/http/message.ts';
import { post } from '../../../shared/core/resource/endpoint.ts';
import { readInput, validValues } from '../../../shared/core/resource/input.ts';
import { retryOnConflict } from '../../../shared/jobs/write-conflict.ts';
import { proveAddress } from '../../../shared/users/addresses/prove-address.ts';
import { allowedRedirect } from '../../../shared/users/addresses/redirects.ts';
import { limitRequests } from '../../../shared/users/addresses/request-limits.ts';
import { userOfToken, wrongToken } from '../../../shared/users/addresses/token-user.ts';
import { addressField } from '../../../shared/users/addresses/user-address.ts';
import { resetPage, withPage } from '../../../shared/users/pages/link-pages.ts';
import { userSettingsOf } from '../../../shared/users/settings/user-settings.ts';
import { planTokenUse, readUserToken } from '../../../shared/users/tokens/user-tokens.ts';
import {
  type AddressContext,
  addressLoads,
  anyApiKey,
  requestMail,
  userResponse,
  whereAddresses,
  withLink,
} from './address-endpoint.ts';

const resetFields = defineFields({ email: addressField(), redirect: text(2048) });

async function requestReset(context: AddressContext, body: Body): Promise<Response> {
  const { email, redirect } = validInput(resetFields, body, 'create');
  const page = allowedRedirect(userSettingsOf(context), redirect);
  await limitRequests(context, 'reset', email);
  return requestMail(context, { purpose: 'reset', email, redirect: page });
}

const newPasswordFields = defineFields({
  token: text(4096, { required: true, writeOnly: true }),
  password: text(128, { required: true, writeOnly: true }),
});

/** Sets a new password; all sessions and the user's key end. */
async function resetPassword(context: AddressContext, body: Body): Promise<Response> {
  const { platform } = context;
  const reading = readInput(newPasswordFields, body, 'create');
  const { password } = reading.values;
  const values = validValues(reading, passwordErrors(context, { password }));
  await limitRequests(context, 'confirm');
  const instance = instanceOf(context);
  const claims = await readUserToken(platform, values.token, { purpose: 'reset', instance });
  if (claims?.email === undefined) throw wrongToken();
  const { email } = claims;
  return retryOnConflict(async () => {
    const { context: call, user } = await userOfToken(context, claims);
    if (user === undefined || user.data.email !== email) throw wrongToken();
    return proveAddress(call, {
      current: user,
      email,
      proof: 'email',
      body: { value: { password: values.password }, form: false },
      endsSessions: true,
      uses: [planTokenUse(platform, claims)],
      taken: wrongToken,
    });
  });
}

const inAddresses = { v1Path: null, exists: whereAddresses, loads: addressLoads } as const;

/** Routes of forgotten passwords (docs/reference/user-accounts.md#password-reset). */
export const resetRoutes = [
  endpointRoute({
    ...inAddresses,
    name: 'User Password Reset',
    operationNames: {
      POST: { id: 'requestUserPasswordReset', summary: 'Request a password reset of a user' },
    },
    path: '/instances/{instance}/user/password/reset/',
    access: anyApiKey,
    response: { status: 202 },
    ...post(resetFields, requestReset),
  }),
  endpointRoute({
    ...inAddresses,
    name: 'User Password Reset Confirm',
    operationNames: {
      POST: { id: 'confirmUserPasswordReset', summary: 'Confirm a password reset of a user' },
    },
    path: '/instances/{instance}/user/password/reset/confirm/',
    access: withLink,
    response: userResponse,
    ...withPage(resetPage, post(newPasswordFields, resetPassword)),
  }),
];
