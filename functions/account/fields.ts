import { computed, email, type Fields, metadata, text } from '../../shared/resource/field.ts';

const mail = email({ label: 'Email address' });
const names = { first_name: text(64), last_name: text(64) };

/** An account as its owner sees and changes it (reference: account). */
export const accountFields: Fields = {
  id: computed('integer'),
  email: mail,
  ...names,
  is_active: computed('boolean', {
    label: 'Active',
    helpText: 'Whether the e-mail address has been confirmed. It blocks nothing.',
  }),
  has_password: computed(),
  metadata: metadata(),
};

const password = text(128, { required: true });
// our invitations and set-up codes are longer than the 40 digits of the original's
const invitation = text(128);

/** What a registration sends. */
export const registerFields: Fields = {
  id: computed('integer'),
  email: mail,
  password,
  ...names,
  invitation_key: invitation,
};

/** What a log-in sends. */
export const authFields: Fields = { email: mail, password: text(undefined, { required: true }) };

/** What a change of password sends. */
export const passwordFields: Fields = {
  current_password: text(undefined, { required: true }),
  new_password: password,
};

/** What an account without password sends to get one. */
export const passwordSetFields: Fields = { password };
