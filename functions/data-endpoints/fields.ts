import { classField } from '../../shared/classes/class-field.ts';
import { defineFields, text } from '../../shared/core/family.ts';
import { description, json } from '../../shared/core/resource/field.ts';
import { nameField } from '../../shared/core/resource/named-records.ts';
import type { Field } from '../../shared/core/routing/forms.ts';
import { queryForm } from '../../shared/search/query/parse.ts';
import { nameList } from '../../shared/values/text/name-list.ts';
import { integer } from '../../shared/values/values.ts';

const names = {
  type: 'string',
  writable: 'always',
  nullable: true,
  initial: null,
  input: nameList(256),
  maxLength: 256,
} as const satisfies Field;
const pageSize = { min: 0, max: 100 };

/** Fields of a data endpoint (docs/reference/data-endpoints.md#record). Its class is checked when it is stored. */
export const dataEndpointFields = defineFields({
  name: nameField,
  description: description(),
  class: classField,
  query: json(queryForm(), { initial: {}, putDefault: {}, shows: 'object' }),
  excluded_fields: names,
  order_by: text(50, { nullable: true, initial: null }),
  page_size: {
    type: 'integer',
    writable: 'always',
    nullable: true,
    initial: null,
    input: integer(pageSize),
    minValue: pageSize.min,
    maxValue: pageSize.max,
  },
  expand: names,
});
