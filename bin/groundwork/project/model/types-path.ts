import { normalize } from 'node:path';
import type { JsonObject } from '../../../../shared/values/json/json.ts';
import { isScriptPath } from '../../path-parts.ts';
import type { ProjectState } from './state.ts';

/** Name of the member of a project file that is no section: the path of the file with the types of the instance. */
export const typesMember = 'types';

/** Returns the path of the file with the types of the instance, as a valid project file has it. */
export function typesPathIn(content: JsonObject): string | undefined {
  const { [typesMember]: path } = content;
  return typeof path === 'string' ? path : undefined;
}

/** Returns what is wrong with the path of the types, which must be the file of no script. */
export function typesProblems(content: JsonObject, state: ProjectState): readonly string[] {
  const { [typesMember]: path } = content;
  if (path === undefined) return [];
  if (typeof path !== 'string' || !path.endsWith('.ts') || !isScriptPath(path)) {
    return [
      `${typesMember}: is not the path of a .ts file within the project, without names that begin with a dot`,
    ];
  }
  const [script] = [...(state.get('scripts') ?? [])].filter(
    ([, { file }]) => normalize(String(file)) === normalize(path),
  );
  return script === undefined
    ? []
    : [`${typesMember}: ${path} is the file of the script ${script[0]}`];
}
