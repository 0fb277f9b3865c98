import { computed, defineFields } from '../../shared/core/family.ts';
import { isAliasForm } from '../../shared/core/pipeline/caller/aliases.ts';
import { description, flag } from '../../shared/core/resource/field.ts';
import { read, refuse } from '../../shared/values/scalars.ts';
import { schemaOf } from '../../shared/values/values.ts';

/** Fields of an API key (docs/reference/keys.md#api-key-records). */
export const apiKeyFields = defineFields({
  id: computed('integer'),
  description: description(),
  api_key: computed('field', { shows: 'string' }),
  ignore_acl: flag(),
  allow_user_create: flag(),
  allow_group_create: flag(),
  allow_anonymous_read: flag(),
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
        : refuse('Not a key of 40 digits.'),
    ),
  },
});
