import type { FoundPython } from '../../shared/platforms/local/scripts/commands/find-python.ts';
import { boxCommand } from '../../shared/platforms/local/scripts/sandbox/box.ts';
import type { Isolation } from '../../shared/platforms/local/scripts/sandbox/level.ts';
import { type FunctionProcess, pythonHost, startFunction } from './function-process.ts';

/**
 * Starts a Python function in its own box, which represents its machine in Lambda, and waits until it is initialised.
 *
 * @param folder    content of its zip
 * @param variables the whole environment of the function
 */
export function startPythonLambda(
  { isolation, python }: { readonly isolation: Isolation; readonly python: FoundPython },
  folder: string,
  variables: Readonly<Record<string, string>>,
): Promise<FunctionProcess> {
  const { program, folder: library } = python;
  const binds = [[folder, '/var/task'] as const, [library, library] as const];
  const command = boxCommand({ ...isolation, isRoot: false, binds }); // Lambda's own user is not root
  return startFunction({ command, program: [program, '-S', '-c', pythonHost] }, variables);
}
