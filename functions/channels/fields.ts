import { channelPermissions, channelTypes } from '../../shared/channels/rules/channel-rights.ts';
import { computed, defineFields } from '../../shared/core/family.ts';
import { choiceField, description, flagField, json } from '../../shared/core/resource/field.ts';
import { nameField } from '../../shared/core/resource/named-records.ts';
import { recordId } from '../../shared/values/record-id.ts';

/** Fields of a channel (docs/reference/channels.md#record). */
export const channelFields = defineFields({
  name: nameField,
  description: description(),
  type: choiceField(channelTypes, 'default', { writable: 'create' }),
  group: json(recordId(), { nullable: true, initial: null, shows: 'integer' }),
  group_permissions: choiceField(channelPermissions, 'none'),
  other_permissions: choiceField(channelPermissions, 'none'),
  created_at: computed('datetime'),
  updated_at: computed('datetime'),
  custom_publish: flagField(),
});
