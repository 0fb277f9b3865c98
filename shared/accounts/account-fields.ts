import { computed, defineFields, email, metadata, text } from '../core/resource/field.ts';

/** Fields of an account, for itself and in responses as an owner (docs/reference/accounts.md#record). */
export const accountFields = defineFields({
  id: computed('integer'),
  email: email({ label: 'Email address' }),
  first_name: text(64),
  last_name: text(64),
  is_active: computed('boolean', {
    label: 'Active',
    helpText: 'Whether the e-mail address has been confirmed. It blocks nothing.',
  }),
  has_password: computed('field', { shows: 'boolean' }),
  metadata: metadata(),
});
