import type { templateFields } from '../../../functions/templates/fields.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
import { at } from '../../../shared/values/text/request-path.ts';
import type { RecordType } from '../../core/record-type.ts';

/** A template, as the interface shows it. */
export type Template = ShownRecord<typeof templateFields>;

/** The templates of an instance. */
export const templateType: RecordType<Pick<Template, 'name'>> = {
  noun: 'template',
  title: 'Templates',
  path: (instance) => at`instances/${instance}/snippets/templates/`,
  place: (instance) => at`/i/${instance}/templates`,
  keyOf: ({ name }) => name,
  nameOf: ({ name }) => name,
};

/** Types of content that are offered; others can be typed. */
export const contentTypes = ['text/html', 'text/plain', 'text/csv', 'application/xml'] as const;
