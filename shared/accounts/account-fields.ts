import {
  defineFields,
  emailField,
  metadataField,
  readOnlyField,
  textField,
} from '../core/resource/field.ts';

/** Fields of an account, for itself and in responses as an owner (docs/reference/accounts.md#record). */
export const accountFields = defineFields({
  id: readOnlyField('integer'),
  email: emailField({ label: 'Email address' }),
  first_name: textField(64),
  last_name: textField(64),
  is_active: readOnlyField('boolean', {
    label: 'Active',
    helpText: 'Whether the e-mail address has been confirmed. It blocks nothing.',
  }),
  has_password: readOnlyField('field', { shows: 'boolean' }),
  metadata: metadataField(),
});
