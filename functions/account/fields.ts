import { accountFields } from '../../shared/accounts/account-fields.ts';
import { computed, type Fields, text } from '../../shared/core/resource/field.ts';

const { email, first_name, last_name } = accountFields;
const password = text(128, { required: true });
// our invitations and set-up codes are longer than the 40 digits of the original's
const invitation = text(128);

/** An account with its key, as log-ins and resets answer. */
export const keyedAccountFields: Fields = {
  ...accountFields,
  account_key: computed('string'),
};

/** What a registration sends. */
export const registerFields: Fields = {
  id: computed('integer'),
  email,
  password,
  first_name,
  last_name,
  invitation_key: invitation,
};

/** What a log-in sends. */
export const authFields: Fields = { email, password: text(undefined, { required: true }) };

/** What a change of password sends. */
export const passwordFields: Fields = {
  current_password: text(undefined, { required: true }),
  new_password: password,
};

/** What an account without password sends to get one. */
export const passwordSetFields: Fields = { password };
