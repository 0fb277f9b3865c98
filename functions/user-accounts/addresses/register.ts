import { passwordErrors } from '../../../shared/accounts/passwords.ts';
import { defineFields, endpointRoute, text, validInput } from '../../../shared/core/family.ts';
import type { Body } from '../../../shared/core/http/body/body.ts';
import type { Response } from '../../../shared/core/http/message.ts';
import { post } from '../../../shared/core/resource/endpoint.ts';
import { bodyObject, readInput, validValues } from '../../../shared/core/resource/input.ts';
import { allowedRedirect } from '../../../shared/users/addresses/redirects.ts';
import { limitRequests } from '../../../shared/users/addresses/request-limits.ts';
import { addressField } from '../../../shared/users/addresses/user-address.ts';
import { maxUsername, userFields } from '../../../shared/users/fields.ts';
import { userSettingsOf } from '../../../shared/users/settings/user-settings.ts';
import { detailError, invalid } from '../../../shared/values/errors/errors.ts';
import {
  type AddressContext,
  addressLoads,
  creating,
  requestMail,
  userResponse,
  whereAddresses,
} from './address-endpoint.ts';
import { registerUnproved } from './register-unproved.ts';

const mailFields = defineFields({
  email: addressField(),
  redirect: text(2048),
});

const registerFields = defineFields({
  ...mailFields,
  username: text(maxUsername),
  password: text(128, { required: true, writeOnly: true }),
  profile: userFields.profile,
});

/** Members of a registration that belong to the confirmation, where addresses must be confirmed. */
const later = ['username', 'password', 'profile'];

async function register(context: AddressContext, body: Body): Promise<Response> {
  const settings = userSettingsOf(context);
  const guest = guestOf(context);
  if (settings.confirmed === 'required') {
    const { email, redirect } = validInput(mailFields, onlyMail(body), 'create');
    const page = allowedRedirect(settings, redirect);
    await limitRequests(context, 'register', email);
    return requestMail(context, {
      purpose: 'register',
      email,
      user: guest?.data.id ?? 0,
      generation: guest?.data.generation,
      redirect: page,
    });
  }
  const reading = readInput(registerFields, body, 'create');
  const errors = passwordErrors(context, { password: reading.values.password });
  const values = validValues(reading, errors);
  const redirect = allowedRedirect(settings, values.redirect);
  await limitRequests(context, 'register', values.email);
  return registerUnproved(context, { body, values: { ...values, redirect }, guest });
}

/** Rejects what must come with the confirmation. */
function onlyMail(body: Body): Body {
  const names = Object.keys(bodyObject(body)).map((name) =>
    name.replace(/^profile\..*/s, 'profile'),
  );
  const early = later.filter((name) => names.includes(name));
  if (early.length === 0) return body;
  throw invalid(
    Object.fromEntries(early.map((name) => [name, ['Send it with the confirmation.']])),
  );
}

/** Returns the calling guest, who becomes a user. Another user has no need to register. */
function guestOf({ user }: AddressContext) {
  if (user !== undefined && user.data.guestUntil === undefined) {
    const detail = 'You are signed in. A user changes its address at user/email/.';
    throw detailError(400, detail, 'state_conflict');
  }
  return user;
}

/** Route of registrations with an address (docs/reference/user-accounts.md#registration). */
export const registerRoute = endpointRoute({
  name: 'User Register',
  operationNames: {
    POST: { id: 'registerUser', summary: 'Register a user with an email address' },
  },
  path: '/instances/{instance}/user/register/',
  v1Path: null,
  exists: whereAddresses,
  access: creating,
  loads: addressLoads,
  response: { ...userResponse, status: 201, mayBeMail: true },
  ...post(registerFields, register),
});
