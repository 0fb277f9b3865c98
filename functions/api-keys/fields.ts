import { computed, defineFields, description, flag } from '../../shared/core/resource/field.ts';

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
