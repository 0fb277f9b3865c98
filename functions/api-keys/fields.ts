import { computed, defineFields } from '../../shared/core/family.ts';
import { isAliasForm } from '../../shared/core/pipeline/caller/aliases.ts';
import { description, flagField } from '../../shared/core/resource/field.ts';
import { read, reject } from '../../shared/values/scalars.ts';
import { schemaOf } from '../../shared/values/values.ts';

/** Fields of an API key (docs/reference/keys.md#api-key-records). */
export const apiKeyFields = defineFields({
  id: computed('integer'),
  description: description(),
  api_key: computed('field', { shows: 'string' }),
  ignore_acl: flagField(),
  allow_user_create: flagField(),
  allow_group_create: flagField(),
  allow_anonymous_read: flagField(),
  created_at: computed('datetime'),
});

/** Fields of a new alias of an API key (docs/reference/keys.md#aliases). */
export const aliasFields = defineFields({
  alias: {
    type: 'string',
    writable: 'always',
    required: true,
    writeOnly: true,
    minLength: 40,
    maxLength: 40,
    input: schemaOf((sent) =>
      typeof sent === 'string' && isAliasForm(sent)
        ? read(sent)
        : reject('Not a key of 40 digits.'),
    ),
  },
});
