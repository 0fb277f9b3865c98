import type { scriptFields } from '../../../functions/scripts/fields.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
import { at, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import type { CodeLanguage } from '../../parts/code-view.ts';

/** A script, as the interface shows it. */
export type Script = ShownRecord<typeof scriptFields>;

/** What a list of scripts is asked for: not the sources. */
export const entryFields = 'id,label,runtime_name,updated_at';

/** Returns what a person calls a script. */
export function scriptName({ label, id }: Pick<Script, 'label' | 'id'>): string {
  return label === '' ? `Script ${id}` : label;
}

/** Returns the language of a runtime. */
export function languageOf(runtime: string): CodeLanguage & ('javascript' | 'python') {
  return runtime.startsWith('python') ? 'python' : 'javascript';
}

/** Returns a runtime in words. */
export function runtimeText(runtime: string): string {
  return languageOf(runtime) === 'python' ? 'Python' : 'JavaScript';
}

const runtimes = ['nodejs', 'python3']; // other names of the same two run alike

/**
 * Returns the runtimes to choose from, with labels.
 *
 * @param current is kept, whichever of the names it is
 */
export function runtimeOptions(current: string): [string, string][] {
  const names = runtimes.includes(current) ? runtimes : [...runtimes, current];
  return names.map((name) => [name, `${runtimeText(name)} (${name})`]);
}

/** Returns the path of a script, from `instances/` on. */
export function scriptPath(instance: string, id: string | number): RequestPath {
  return at`instances/${instance}/snippets/scripts/${id}/`;
}

/**
 * Reads a script.
 *
 * @throws ApiProblem
 */
export function readScript(
  instance: string,
  id: string | number,
  signal?: AbortSignal,
): Promise<Script> {
  const path = scriptPath(instance, id);
  return send({ method: 'GET', path, ...(signal && { signal }) });
}
