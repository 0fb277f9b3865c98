import { accountFields } from '../../shared/accounts/account-fields.ts';
import { computed, defineFields, text } from '../../shared/core/family.ts';
import { invitationStates } from '../../shared/table/records/instances/invitations.ts';
import { roles } from '../../shared/values/access.ts';

const { email, first_name, last_name } = accountFields;
const password = text(128, { required: true });
// our invitations and set-up codes are longer than the 40 digits of the original's keys
const invitation = text(128);

/** Fields of an account with its key, as in responses to log-ins and resets. */
export const keyedAccountFields = defineFields({
  ...accountFields,
  account_key: computed('string'),
});

/** Fields of a registration. */
export const registerFields = defineFields({
  id: computed('integer'),
  email,
  password,
  first_name,
  last_name,
  invitation_key: invitation,
});

/** Fields of a log-in. */
export const accountLogInFields = defineFields({
  email,
  password: text(undefined, { required: true }),
});

/** Fields of a password change. */
export const passwordFields = defineFields({
  current_password: text(undefined, { required: true }),
  new_password: password,
});

/** Fields with which an account without password gets one. */
export const passwordSetFields = defineFields({ password });

/** Fields of an invitation to the account (docs/reference/accounts.md#invitations-of-an-account). */
export const ownInvitationFields = defineFields({
  id: computed('integer'),
  email: computed('email'),
  role: computed('choice', { choices: roles }),
  key: computed('string'),
  instance: computed('field', { shows: 'string' }),
  inviter: computed('string'),
  created_at: computed('datetime'),
  updated_at: computed('datetime'),
  state: computed('choice', { choices: invitationStates }),
});

/** Fields of an invitation as its key shows it. */
export const keyInvitationFields = defineFields({
  email: ownInvitationFields.email,
  role: ownInvitationFields.role,
  instance: ownInvitationFields.instance,
  inviter: ownInvitationFields.inviter,
});
