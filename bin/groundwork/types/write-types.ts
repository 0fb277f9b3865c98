import { join } from 'node:path';
import type { Project } from '../project/files/project.ts';
import { openProjectFiles } from '../project-files.ts';
import type { InstanceConnection } from '../settings.ts';
import { type InstanceSchema, readInstanceSchema } from './instance-schema.ts';
import { isTypescriptFile, typescriptFile } from './typescript-file.ts';

/**
 * Writes the types of an instance into the file that its project names, if they differ.
 *
 * @returns the path of the file; undefined when nothing was written
 * @throws Error for a file that is something else
 */
export async function writeProjectTypes(
  connection: InstanceConnection,
  project: Pick<Project, 'folder' | 'types'>,
): Promise<string | undefined> {
  if (project.types === undefined) return undefined;
  return saveTypes(project.folder, project.types, await readInstanceSchema(connection));
}

/**
 * Writes types into a file of a project, if they differ.
 *
 * @returns the path of the file; undefined when nothing was written
 * @throws Error for a file that is something else
 */
export function saveTypes(
  folder: string,
  path: string,
  schema: InstanceSchema,
): string | undefined {
  const files = openProjectFiles(folder);
  const shown = join(folder, path);
  const known = files.readText(path);
  if (known !== undefined && known !== '' && !isTypescriptFile(known)) {
    throw new Error(
      `types: ${shown} was not written by groundwork types: remove it, or name another file`,
    );
  }
  const source = typescriptFile(schema);
  if (source === known) return undefined;
  files.write(path, source);
  return shown;
}
