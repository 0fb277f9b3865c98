import { at, type RequestPath } from '../../../shared/values/text/request-path.ts';

/** A script endpoint, as the interface shows it. */
export interface ScriptEndpoint {
  readonly name: string;
  readonly description: string;
  readonly script: number;
  readonly public: boolean;
  readonly links: { readonly 'public-link': string };
}

/** A data endpoint, as lists show it here. */
export interface DataEndpointEntry {
  readonly name: string;
  readonly class: string;
  readonly description: string;
}

/** Returns the path of a script endpoint, from `instances/` on. */
export function endpointPath(instance: string, name: string): RequestPath {
  return at`instances/${instance}/endpoints/scripts/${name}/`;
}
