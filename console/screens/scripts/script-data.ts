import type { scriptFields } from '../../../functions/scripts/fields.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
import { at } from '../../../shared/values/text/request-path.ts';
import type { RecordType } from '../../core/record-type.ts';
import type { CodeLanguage } from '../../parts/code-view.ts';

/** A script, as the interface shows it. */
export type Script = ShownRecord<typeof scriptFields>;

/** A script in a list: without its source. */
export type ListedScript = Pick<Script, 'id' | 'label' | 'runtime_name' | 'updated_at'>;

/** The scripts of an instance. */
export const scriptType: RecordType<Pick<Script, 'id' | 'label'>> = {
  noun: 'script',
  title: 'Scripts',
  path: (instance) => at`instances/${instance}/snippets/scripts/`,
  place: (instance) => at`/i/${instance}/scripts`,
  keyOf: ({ id }) => id,
  nameOf: scriptName,
};

/** Returns what a person calls a script. */
export function scriptName({ label, id }: Pick<Script, 'label' | 'id'>): string {
  return label || `Script ${id}`;
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
