import { at } from '../../core/router.ts';

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

/** What people call a script. */
export interface ScriptName {
  readonly id: number;
  readonly label: string;
}

/** Returns the label of a script. */
export function scriptName(scripts: readonly ScriptName[], id: number): string {
  const label = scripts.find((each) => each.id === id)?.label ?? '';
  return label === '' ? `Script ${id}` : label;
}

/** Returns the choices of a script. */
export function scriptOptions(scripts: readonly ScriptName[]): [string, string][] {
  return scripts.map(({ id }) => [String(id), scriptName(scripts, id)]);
}

/** Returns the path of a script endpoint, from `instances/` on. */
export function endpointPath(instance: string, name: string): string {
  return at`instances/${instance}/endpoints/scripts/${name}/`;
}
