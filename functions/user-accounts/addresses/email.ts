import {
  computed,
  defineFields,
  endpointRoute,
  text,
  validInput,
} from '../../../shared/core/family.ts';
import type { Body } from '../../../shared/core/http/body/body.ts';
import type { Response } from '../../../shared/core/http/message.ts';
import { post } from '../../../shared/core/resource/endpoint.ts';
import { allowedRedirect } from '../../../shared/users/addresses/redirects.ts';
import { limitRequests } from '../../../shared/users/addresses/request-limits.ts';
import { addressField } from '../../../shared/users/addresses/user-address.ts';
import { userSettingsOf } from '../../../shared/users/settings/user-settings.ts';
import { detailError } from '../../../shared/values/errors/errors.ts';
import {
  type AddressContext,
  addressLoads,
  requestMail,
  signedIn,
  whereAddresses,
} from './address-endpoint.ts';
import { callingUser, requirePassword } from './own-proof.ts';

/** The address, or what is said of a mail. */
const shownFields = defineFields({
  email: computed('email', { nullable: true, isOptional: true }),
  is_confirmed: computed('boolean', { isOptional: true }),
  detail: computed('string', { isOptional: true }),
});

const changeFields = defineFields({
  email: addressField(),
  password: text(undefined, { writeOnly: true }),
  redirect: text(2048),
});

/** Requests the mail with which a user proves another address; it has the earlier one until then. */
async function changeAddress(context: AddressContext, body: Body): Promise<Response> {
  const { email, password, redirect } = validInput(changeFields, body, 'create');
  const page = allowedRedirect(userSettingsOf(context), redirect);
  const { data } = callingUser(context);
  if (data.guestUntil !== undefined) {
    throw detailError(400, 'A guest registers at user/register/.', 'state_conflict');
  }
  await limitRequests(context, 'email', email);
  await requirePassword(context, password);
  const { id: user, generation } = data;
  return requestMail(context, { purpose: 'confirm', email, user, generation, redirect: page });
}

const change = post(changeFields, changeAddress);

/** Route of the own address (docs/reference/user-accounts.md#the-own-address). */
export const emailRoute = endpointRoute({
  name: 'User Email',
  operationNames: {
    GET: { id: 'getOwnEmail', summary: 'Get the own email address' },
    POST: { id: 'changeOwnEmail', summary: 'Change the own email address' },
  },
  path: '/instances/{instance}/user/email/',
  v1Path: null,
  exists: whereAddresses,
  access: signedIn,
  loads: addressLoads,
  operations: {
    GET: {
      right: 'G',
      run: async (context: AddressContext) => {
        const { email = null, isEmailConfirmed = false } = callingUser(context).data;
        return { status: 200, body: { email, is_confirmed: isEmailConfirmed } };
      },
    },
    ...change.operations,
  },
  forms: change.forms,
  response: { status: 202, fields: shownFields },
});
