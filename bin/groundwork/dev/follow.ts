import { explainError } from '../errors/describe-error.ts';
import { currentProject } from '../project/files/project.ts';
import { pushProject } from '../project/push/push.ts';
import type { InstanceConnection } from '../settings.ts';
import type { Terminal } from '../terminal.ts';
import { writeProjectTypes } from '../types/write-types.ts';
import { openSyntaxCheck } from './syntax.ts';

/** A project whose changes are pushed. */
export interface FollowedProject {
  readonly connection: InstanceConnection;
  readonly folder: string;
  readonly out: Terminal;
}

/**
 * Returns a function that pushes the project, unless a script has a syntax error, and then writes the types that the
 * project wants. A mistake is reported, and can be corrected.
 */
export function openProjectPush({ connection, folder, out }: FollowedProject): () => Promise<void> {
  const checkSyntax = openSyntaxCheck(out);
  return async () => {
    try {
      const project = await currentProject(folder, out);
      const problems = await checkSyntax(project);
      if (problems.length > 0) throw new Error(`nothing was pushed:\n  ${problems.join('\n  ')}`);
      await pushProject(connection, project, { options: {}, out });
      const written = await writeProjectTypes(connection, project);
      if (written !== undefined) out.say(`Wrote ${written}`);
    } catch (error) {
      out.warn(explainError(error, out));
    }
  };
}
