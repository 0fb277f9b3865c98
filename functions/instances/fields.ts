import { accountFields } from '../../shared/accounts/account-fields.ts';
import { computed, defineFields } from '../../shared/core/family.ts';
import { description, emailField, metadataField, role } from '../../shared/core/resource/field.ts';
import type { Field } from '../../shared/core/routing/forms.ts';
import { instanceName } from '../../shared/instances/rules/instance-name.ts';
import { invitationStates } from '../../shared/table/records/instances/invitations.ts';

/** The name of an instance, set at creation; renaming is a separate action. */
const name = {
  type: 'string',
  writable: 'create',
  required: true,
  input: instanceName(),
  minLength: 5,
  maxLength: 64,
} as const satisfies Field;

/** Fields of the owner. API keys see four of them. */
const ownerFields = {
  ...accountFields,
  is_active: { ...accountFields.is_active, isOptional: true as const },
  has_password: { ...accountFields.has_password, isOptional: true as const },
  metadata: { ...accountFields.metadata, isOptional: true as const },
};

/** Fields of an instance (docs/reference/instances.md#record). */
export const instanceFields = defineFields({
  name,
  description: description(),
  owner: computed('nested object', { children: ownerFields }),
  created_at: computed('datetime'),
  updated_at: computed('datetime'),
  role: computed('field', { shows: 'string' }),
  location: computed('string'),
  metadata: metadataField(),
});

/** Fields of a rename. */
export const instanceRenameFields = defineFields({ new_name: { ...name, writable: 'always' } });

/** Fields of an administrator (docs/reference/instances.md#members). */
export const adminFields = defineFields({
  id: computed('field', { shows: 'integer' }),
  role: role(),
  email: computed('field', { shows: 'string' }),
  first_name: computed('field', { shows: 'string' }),
  last_name: computed('field', { shows: 'string' }),
});

/** Fields of an invitation to an instance (docs/reference/instances.md#invitations). */
export const invitationFields = defineFields({
  id: computed('integer'),
  email: emailField({ writable: 'create' }),
  role: role(),
  key: computed('string', { isOptional: true }),
  inviter: computed('string'),
  created_at: computed('datetime'),
  updated_at: computed('datetime'),
  state: computed('choice', { choices: invitationStates }),
});

/** Fields of the mail of an invitation (docs/reference/instances.md#mail-of-an-invitation). */
export const invitationMailFields = defineFields({
  state: computed('choice', { choices: ['logged', 'sent', 'waiting', 'unconfirmed', 'failed'] }),
  error: computed('string', { nullable: true }),
  updated_at: computed('datetime', { nullable: true }),
});
