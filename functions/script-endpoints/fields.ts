import { computed, defineFields } from '../../shared/core/family.ts';
import { description, flagField } from '../../shared/core/resource/field.ts';
import { nameField } from '../../shared/core/resource/named-records.ts';
import type { Version } from '../../shared/core/routing/versions.ts';
import { scriptField } from '../../shared/scripts/script-reference.ts';

const others = {
  name: nameField,
  description: description(),
  public_link: computed('string'),
  public: flagField(),
  raw: { ...flagField(), isOptional: true as const },
};

/** Fields of a script endpoint by version (docs/reference/scripts.md#script-endpoints). */
export const scriptEndpointFields = {
  'v1.1': defineFields({ ...others, script: scriptField() }),
  v1: defineFields({ ...others, codebox: scriptField() }),
};

/** Fields of one of the versions. */
export type EndpointFields = (typeof scriptEndpointFields)[Version];
