import type { scriptEndpointFields } from '../../../functions/script-endpoints/fields.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
import { at } from '../../../shared/values/text/request-path.ts';
import type { RecordType } from '../../core/record-type.ts';

/** A script endpoint, as the interface shows it. */
export type ScriptEndpoint = ShownRecord<
  (typeof scriptEndpointFields)['v1.1'],
  { readonly links: { readonly 'public-link': string } }
>;

/** The script endpoints of an instance. */
export const scriptEndpointType: RecordType<Pick<ScriptEndpoint, 'name'>> = {
  noun: 'endpoint',
  title: 'Endpoints',
  path: (instance) => at`instances/${instance}/endpoints/scripts/`,
  place: (instance) => at`/i/${instance}/endpoints/scripts`,
  list: (instance) => at`/i/${instance}/endpoints`,
  keyOf: ({ name }) => name,
  nameOf: ({ name }) => name,
};
