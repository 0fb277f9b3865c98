import * as v from 'valibot';
import { className } from '../../shared/classes/rules/class-name.ts';
import { classPermissions } from '../../shared/classes/rules/permissions.ts';
import { computed, defineFields } from '../../shared/core/family.ts';
import {
  choiceField,
  description,
  expectedRevision,
  json,
  metadataField,
} from '../../shared/core/resource/field.ts';
import { recordId } from '../../shared/values/record-id.ts';

const initialRights = 'create_objects';

/** Fields of a class (docs/reference/classes.md#record). The schema is checked against its class and the others. */
export const classFields = defineFields({
  name: { type: 'string', writable: 'create', required: true, input: className(), maxLength: 50 },
  description: description(),
  schema: json(v.unknown(), { initial: [], putDefault: [], shownRequired: true, shows: 'list' }),
  status: computed('field', { shows: 'string' }),
  created_at: computed('datetime'),
  updated_at: computed('datetime'),
  objects_count: computed('field', { shows: 'integer' }),
  revision: computed('integer', { shownRequired: true }),
  group: json(recordId(), { nullable: true, initial: null, shows: 'integer' }),
  group_permissions: choiceField(classPermissions, initialRights, { shownRequired: true }),
  other_permissions: choiceField(classPermissions, initialRights, { shownRequired: true }),
  metadata: metadataField(),
  expected_revision: expectedRevision(),
});
