import type { dataEndpointFields } from '../../../functions/data-endpoints/fields.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
import { systemColumns } from '../objects/object-data.ts';

/** A data endpoint, as the interface shows it. */
export type DataEndpoint = ShownRecord<typeof dataEndpointFields>;

/** Returns the names in a list with commas. */
export function splitNames(text: string | null): string[] {
  return (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** Returns names as the interface takes them. */
export function joinNames(names: readonly string[]): string | null {
  return names.length === 0 ? null : names.join(',');
}

/** Fields that every object has, and its links. */
export const systemFields: readonly string[] = [...systemColumns.map(({ name }) => name), 'links'];
