import type { dataEndpointFields } from '../../../functions/data-endpoints/fields.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
import { at } from '../../../shared/values/text/request-path.ts';
import type { RecordType } from '../../core/record-type.ts';

/** A data endpoint, as the interface shows it. */
export type DataEndpoint = ShownRecord<typeof dataEndpointFields>;

/** The data endpoints of an instance. */
export const dataEndpointType: RecordType<Pick<DataEndpoint, 'name'>> = {
  noun: 'data endpoint',
  title: 'Endpoints',
  path: (instance) => at`instances/${instance}/endpoints/data/`,
  place: (instance) => at`/i/${instance}/endpoints/data`,
  list: (instance) => at`/i/${instance}/endpoints`,
  keyOf: ({ name }) => name,
  nameOf: ({ name }) => name,
};

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
