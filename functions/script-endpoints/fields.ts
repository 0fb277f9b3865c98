import {
  computed,
  description,
  type Fields,
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

/**
 * Returns the fields of a script endpoint (docs/reference/scripts.md#script-endpoints). Its script is checked when it
 * is stored.
 */
export function endpointFields(version: Version): Fields {
  return {
    name: nameField,
    description: description(),
    public_link: computed('string'),
    public: flag(),
    [scriptWord[version]]: json(recordId(), { required: true, shows: 'integer' }),
  };
}
