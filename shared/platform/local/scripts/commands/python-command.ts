import { maxResidentBytes } from '../../../runtimes/limits.ts';
import {
  enclose,
  openRunFolder,
  type PreparedCommand,
  runtimesAt,
  toCommand,
} from '../sandbox/enclosure.ts';
import { succeeds } from '../sandbox/isolation.ts';
import type { Isolation } from '../sandbox/level.ts';
import {
  describeItself,
  describePython,
  type FoundPython,
  pythonFlags,
  usualPythons,
} from './find-python.ts';

const systemFolders = ['/usr', '/usr/local']; // what is needed of them is there at every level
const control = '3'; // the descriptor that a runner speaks over
const maxMegabytes = maxResidentBytes / 2 ** 20;
const supervisorBytes = 64 * 2 ** 20; // it counts the memory of its runs itself; this is for it and what it is started by
const graceMs = 1_500; // more than the runner itself gives a run that does not end in time

/**
 * Looks for a python3 that works where scripts do.
 *
 * @param candidates programs, the first that will do is taken
 * @returns undefined where there is none, or nothing could hold it
 */
export async function findHeldPython(
  isolation: Isolation,
  candidates: readonly string[] = usualPythons,
): Promise<FoundPython | undefined> {
  if (isolation.level === 'flags') return undefined;
  for (const candidate of candidates) {
    const found = await describePython(candidate);
    if (found !== undefined && (await works(isolation, found))) return found;
  }
  return undefined;
}

async function works(isolation: Isolation, python: FoundPython): Promise<boolean> {
  const { temporary, dispose } = await openRunFolder(isolation.level);
  try {
    return await succeeds(startOf(isolation, python, temporary, ['-c', describeItself]));
  } finally {
    await dispose();
  }
}

/** Prepares the command for a runner of Python scripts. */
export async function preparePython(
  isolation: Isolation,
  python: FoundPython,
): Promise<PreparedCommand> {
  const { level } = isolation;
  const { temporary, limit, dispose } = await openRunFolder(level);
  const program = `${runtimesAt(level)}/python/runner.py`;
  const isAlone = level === 'landlock' ? ['alone'] : []; // no process space of its own to end runs by
  const runner = [program, control, temporary, String(maxMegabytes), ...isAlone];
  const command = {
    ...toCommand(startOf(isolation, python, temporary, runner), temporary),
    maxResidentBytes: maxResidentBytes + supervisorBytes,
    graceMs,
    ...limit,
  };
  return { command, dispose };
}

function startOf(
  isolation: Isolation,
  { program, folder }: FoundPython,
  temporary: string,
  args: readonly string[],
) {
  const binds = systemFolders.includes(folder) ? [] : [[folder, folder] as const];
  const enclosed = { binds, temporary, isAlone: false };
  return [...enclose(isolation, enclosed), program, ...pythonFlags, ...args];
}
