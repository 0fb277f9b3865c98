import type { templateFields } from '../../../functions/templates/fields.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
/** A template, as the interface shows it. */
export type Template = ShownRecord<typeof templateFields>;

/** Types of content that are offered; others can be typed. */
export const contentTypes = ['text/html', 'text/plain', 'text/csv', 'application/xml'] as const;
