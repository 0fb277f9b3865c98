import {
  computed,
  defineFields,
  description,
  flag,
  json,
} from '../../shared/core/resource/field.ts';
import { nameField } from '../../shared/core/resource/named-records.ts';
import type { Version } from '../../shared/core/resource/versions.ts';
import { recordId } from '../../shared/values/record-id.ts';

/** The field with the script of an endpoint: version 1 had another word for scripts. */
export const scriptWord: Readonly<Record<Version, 'script' | 'codebox'>> = {
  'v1.1': 'script',
  v1: 'codebox',
};

const others = {
  name: nameField,
  description: description(),
  public_link: computed('string'),
  public: flag(),
};
const script = json(recordId(), { required: true, shows: 'integer' });

/** Fields of a script endpoint by version (docs/reference/scripts.md#script-endpoints). Its script is checked when it is stored. */
export const endpointFields = {
  'v1.1': defineFields({ ...others, script }),
  v1: defineFields({ ...others, codebox: script }),
};

/** Fields of one of the versions. */
export type EndpointFields = (typeof endpointFields)[Version];
