import { maxResidentBytes } from '../../../runtimes/limits.ts';
import { enclose, type PreparedCommand, runtimesAt, toCommand } from '../sandbox/enclosure.ts';
import { succeeds } from '../sandbox/isolation.ts';
import type { Isolation } from '../sandbox/level.ts';
import { openRunFolder } from '../sandbox/run-folders.ts';
import {
  describeItself,
  describePython,
  type FoundPython,
  pythonFlags,
  usualPythons,
} from './find-python.ts';

const systemFolders = ['/usr', '/usr/local']; // the required parts of these are available at every level
const control = '3'; // descriptor of the runner's control channel
const supervisorBytes = 64 * 2 ** 20; // for the runner, which limits the memory of its runs, and its starters
const graceMs = 1_500; // longer than the runner waits for a run that exceeds its time limit

/**
 * Finds a python3 that works in the isolation of scripts.
 *
 * @param candidates programs; the first suitable one is used
 * @returns undefined if no program is suitable or isolated
 */
export async function findIsolatedPython(
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

/**
 * Prepares the command for a runner of Python scripts.
 *
 * @param childBytes memory of all child processes, which limits a run too
 */
export async function preparePython(
  isolation: Isolation,
  python: FoundPython,
  childBytes: number,
): Promise<PreparedCommand> {
  const { level } = isolation;
  const runBytes = Math.min(maxResidentBytes, childBytes);
  const { temporary, limit, dispose } = await openRunFolder(level);
  const program = `${runtimesAt(level)}/python/runner.py`;
  const isAlone = level === 'landlock' ? ['alone'] : []; // without a PID namespace, a run's descendants could escape
  const runner = [program, control, temporary, String(Math.floor(runBytes / 2 ** 20)), ...isAlone];
  const command = {
    ...toCommand(startOf(isolation, python, temporary, runner), temporary),
    maxResidentBytes: runBytes + supervisorBytes,
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
