import { accountFields } from '../../shared/accounts/account-fields.ts';
import { computed, defineFields, text } from '../../shared/core/family.ts';
import { description, metadataField } from '../../shared/core/resource/field.ts';
import type { Field } from '../../shared/core/routing/forms.ts';
import { read } from '../../shared/values/scalars.ts';
import { integer, schemaOf } from '../../shared/values/values.ts';

const status = computed('choice', {
  choices: ['scheduled', 'running', 'uploading', 'success', 'error', 'aborted'],
});
const author = computed('nested object', { children: accountFields });

/** Fields of a backup (docs/reference/backups.md#backups). */
export const backupFields = defineFields({
  id: computed('integer'),
  instance: computed('string', { nullable: true }),
  created_at: computed('datetime'),
  updated_at: computed('datetime'),
  size: computed('integer', { nullable: true }),
  status,
  status_info: computed('string'),
  description: description(),
  label: text(64),
  author,
  details: computed('nested object', { children: {}, isOpen: true }),
  metadata: metadataField(),
});

/** The id of a backup. */
const backup = {
  type: 'integer',
  writable: 'create',
  nullable: true,
  initial: null,
  input: integer(),
} as const satisfies Field;

/** An archive of the service's staff; only its presence matters. */
const archive = {
  type: 'field',
  writable: 'create',
  nullable: true,
  initial: null,
  input: schemaOf(read),
  shows: 'string',
} as const satisfies Field;

/** Fields of a restore (docs/reference/backups.md#restores). */
export const restoreFields = defineFields({
  id: computed('integer'),
  backup,
  created_at: computed('datetime'),
  updated_at: computed('datetime'),
  status,
  archive,
  status_info: computed('string'),
  author,
});
