import { join } from 'node:path';
import { scriptVariables } from '../../../../runtimes/limits.ts';
import type { RunnerCommand } from '../../../../runtimes/process.ts';
import { pythonFlags } from '../commands/find-python.ts';
import { boxCommand, boxedPaths } from './box.ts';
import type { Isolation, Level } from './level.ts';
import { runtimeFolder, systemFolders } from './system-files.ts';

/** The command that starts a runner, and its cleanup. */
export interface PreparedCommand {
  readonly command: RunnerCommand;
  /** Deletes the files that were created for the runner. Never rejects: returns false if some are left. */
  dispose(): Promise<boolean>;
}

/** A program that runs untrusted code. */
export interface Enclosed {
  /** Files and folders that it may read and execute besides system libraries, on this machine and in a box. */
  readonly binds: readonly (readonly [string, string])[];
  /** The path, inside the sandbox, of the only folder that it may write to. */
  readonly temporary: string;
  /** True when Landlock denies it to start and signal processes. A supervisor denies that to its children itself. */
  readonly isAlone: boolean;
}

/** Returns the command that isolates a program. Append the program and its arguments. */
export function enclose(isolation: Isolation, enclosed: Enclosed): readonly string[] {
  const { prefix, hasNetwork, hidden, isRoot } = isolation;
  switch (isolation.level) {
    case 'bubblewrap':
      return [...prefix, ...boxCommand({ hasNetwork, isRoot, hidden, binds: enclosed.binds })];
    case 'landlock': {
      const rules = JSON.stringify(landlockRules(isolation, enclosed));
      const wrapper = join(runtimeFolder, 'python/landlock.py');
      return [...prefix, isolation.wrapper.program, ...pythonFlags, wrapper, rules];
    }
    case 'flags':
      return prefix;
  }
}

/** Returns the Landlock rules. They cannot exclude subfolders, so a folder that contains the data folder is omitted. */
function landlockRules({ hasNetwork, hidden, isRoot }: Isolation, enclosed: Enclosed) {
  const { binds, temporary, isAlone } = enclosed;
  const isOpen = (path: string) => !hidden?.startsWith(`${path}/`);
  const programs = [...systemFolders(hasNetwork), ...binds.map(([path]) => path)].filter(isOpen);
  const readable = [runtimeFolder, '/etc/ssl/openssl.cnf'].filter(isOpen); // Node exits if it may not read the latter
  return { programs, readable, writable: [temporary], hasNetwork, isAlone, isRoot };
}

/** Returns the folder of the runtimes for a program at this level. */
export function runtimesAt(level: Level): string {
  return level === 'bubblewrap' ? boxedPaths.runtimes : runtimeFolder;
}

/** Converts a command line to a runner's command with the environment of a script. */
export function toCommand([program = '', ...args]: readonly string[], folder: string) {
  return { program, args, variables: scriptVariables(folder), folder };
}
