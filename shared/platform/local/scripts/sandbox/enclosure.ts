import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '../../../../values/caught.ts';
import { scriptVariables } from '../../../runtimes/limits.ts';
import type { RunnerCommand } from '../../../runtimes/process.ts';

import { pythonFlags } from '../commands/find-python.ts';
import { boxCommand, boxedPaths, fileBytes } from './box.ts';
import type { Isolation, Level } from './level.ts';
import { runtimeFolder, systemFolders } from './system-files.ts';

/** The command that starts a runner, and the cleanup after its end. */
export interface PreparedCommand {
  readonly command: RunnerCommand;
  /** Removes the files that were created for it. */
  dispose(): Promise<void>;
}

/** A program that runs foreign code. */
export interface Enclosed {
  /** Files and folders that it reads and executes in addition to system libraries: paths here and in a box. */
  readonly binds: readonly (readonly [string, string])[];
  /** The only folder that it writes to, as it sees it. */
  readonly temporary: string;
  /** Whether Landlock keeps it from starting and signalling processes; a supervisor does so for its children. */
  readonly isAlone: boolean;
}

/** Returns the command that starts a program in isolation; append the program and its arguments. */
export function enclose(isolation: Isolation, enclosed: Enclosed): readonly string[] {
  const { prefix, hasNetwork, hidden } = isolation;
  switch (isolation.level) {
    case 'bubblewrap':
      return [...prefix, ...boxCommand({ hasNetwork, hidden, binds: enclosed.binds })];
    case 'landlock': {
      const rules = JSON.stringify(landlockRules(isolation, enclosed));
      const wrapper = join(runtimeFolder, 'python/landlock.py');
      return [...prefix, isolation.wrapper.program, ...pythonFlags, wrapper, rules];
    }
    case 'flags':
      return prefix;
  }
}

/** Returns the Landlock rules, which allow no exceptions: a folder that holds the data folder is left out. */
function landlockRules({ hasNetwork, hidden }: Isolation, enclosed: Enclosed) {
  const { binds, temporary, isAlone } = enclosed;
  const isOpen = (path: string) => !hidden?.startsWith(`${path}/`);
  const programs = [...systemFolders(hasNetwork), ...binds.map(([path]) => path)].filter(isOpen);
  const readable = [runtimeFolder, '/etc/ssl/openssl.cnf'].filter(isOpen); // Node ends if it may not read the latter
  return { programs, readable, writable: [temporary], hasNetwork, isAlone };
}

/** Returns the folder of the runtimes, as a program at this level sees it. */
export function runtimesAt(level: Level): string {
  return level === 'bubblewrap' ? boxedPaths.runtimes : runtimeFolder;
}

const folderPrefix = 'groundwork-script-'; // launcher.cjs uses it too

/** A folder for the files of runs. */
export interface RunFolder {
  /** Its path, as the runner sees it. */
  readonly temporary: string;
  /** Most bytes in it; absent if the file system itself has that limit. */
  readonly limit: { readonly maxFolderBytes?: number };
  dispose(): Promise<void>;
}

/** Creates a folder for the files of runs; a box has its own. */
export async function openRunFolder(level: Level): Promise<RunFolder> {
  if (level === 'bubblewrap') {
    return { temporary: boxedPaths.temporary, limit: {}, dispose: async () => {} };
  }
  const temporary = await realpath(await mkdtemp(join(tmpdir(), `${folderPrefix}${process.pid}-`)));
  const dispose = () => rm(temporary, { recursive: true, force: true });
  return { temporary, limit: { maxFolderBytes: fileBytes }, dispose };
}

/** Removes folders of runs whose server was killed. */
export async function removeLeftFolders(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = /^groundwork-script-(\d+)-/.exec(name) ?? [];
    if (pid === undefined || isAlive(Number(pid))) continue;
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {}); // folders of another user
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** Returns a runner's command in the form for starting processes, with the environment of a script. */
export function toCommand([program = '', ...args]: readonly string[], folder: string) {
  return { program, args, variables: scriptVariables(folder), folder };
}
