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

/** How to start a runner, and what to do once it has ended. */
export interface PreparedCommand {
  readonly command: RunnerCommand;
  /** Removes what was made for it. */
  dispose(): Promise<void>;
}

/** A program that runs foreign code. */
export interface Enclosed {
  /** Files and folders that it reads and executes beside system libraries: paths here and in a box. */
  readonly binds: readonly (readonly [string, string])[];
  /** The one folder that it writes to, as it sees it. */
  readonly temporary: string;
  /** Whether Landlock keeps it from making and signalling processes; a supervisor does so for its children. */
  readonly isAlone: boolean;
}

/** Returns the command that a program is started through; append the program and its arguments. */
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

/** Landlock has no exceptions below a folder: one that holds the data folder is left out. */
function landlockRules({ hasNetwork, hidden }: Isolation, enclosed: Enclosed) {
  const { binds, temporary, isAlone } = enclosed;
  const isOpen = (path: string) => !hidden?.startsWith(`${path}/`);
  const programs = [...systemFolders(hasNetwork), ...binds.map(([path]) => path)].filter(isOpen);
  const readable = [runtimeFolder, '/etc/ssl/openssl.cnf'].filter(isOpen); // Node ends where it may not read the latter
  return { programs, readable, writable: [temporary], hasNetwork, isAlone };
}

/** Returns where the runtimes' files are, as a program at this level sees them. */
export function runtimesAt(level: Level): string {
  return level === 'bubblewrap' ? boxedPaths.runtimes : runtimeFolder;
}

const folderPrefix = 'groundwork-script-'; // the launcher knows it too

/** A folder for the files of runs. */
export interface RunFolder {
  /** As the runner sees it. */
  readonly temporary: string;
  /** Most bytes in it; absent where the file system has that limit itself. */
  readonly limit: { readonly maxFolderBytes?: number };
  dispose(): Promise<void>;
}

/** Makes a folder for the files of runs; a box has its own. */
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
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {}); // another user's
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

/** Returns a runner's command in the form that processes are started from, with the environment of a script. */
export function toCommand([program = '', ...args]: readonly string[], folder: string) {
  return { program, args, variables: scriptVariables(folder), folder };
}
