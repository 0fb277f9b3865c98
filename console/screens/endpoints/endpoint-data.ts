import type { scriptEndpointFields } from '../../../functions/script-endpoints/fields.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
import { at, type RequestPath } from '../../../shared/values/text/request-path.ts';

/** A script endpoint, as the interface shows it. */
export type ScriptEndpoint = ShownRecord<
  (typeof scriptEndpointFields)['v1.1'],
  { readonly links: { readonly 'public-link': string } }
>;

/** Returns the path of a script endpoint, from `instances/` on. */
export function endpointPath(instance: string, name: string): RequestPath {
  return at`instances/${instance}/endpoints/scripts/${name}/`;
}
