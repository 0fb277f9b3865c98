import { maxResidentBytes } from '../../../../runtimes/limits.ts';
import { boxedPaths } from '../sandbox/box.ts';
import { enclose, type PreparedCommand, runtimesAt, toCommand } from '../sandbox/enclosure.ts';
import type { Isolation } from '../sandbox/level.ts';
import { userArguments } from '../sandbox/other-user.ts';
import { holdsRequired, probeGuarantees, succeeds } from '../sandbox/probe.ts';
import { openRunFolder } from '../sandbox/run-folders.ts';
import { runtimeFolder } from '../sandbox/system-files.ts';
import { describePython, type FoundPython, pythonFlags, usualPythons } from './find-python.ts';

const systemFolders = ['/usr', '/usr/local']; // the required parts of these are available at every level
const control = '3'; // descriptor of the runner's control channel
const supervisorBytes = 64 * 2 ** 20; // for the runner, which limits the memory of its runs, and its starters
const graceMs = 1_500; // longer than the runner waits for a run that exceeds its time limit

/** A python3 that is isolated. */
export interface IsolatedPython extends FoundPython {
  /** Guarantees that do not hold, such as `memory`. */
  readonly open: readonly string[];
}

/**
 * Finds a python3 that works in the isolation of scripts.
 *
 * @param candidates programs; the first suitable one is used
 * @returns undefined if no program is suitable or isolated
 */
export async function findIsolatedPython(
  isolation: Isolation,
  candidates: readonly string[] = usualPythons,
): Promise<IsolatedPython | undefined> {
  if (isolation.level === 'flags') return undefined;
  for (const candidate of candidates) {
    const found = await describePython(candidate);
    const open = found && (await probePython(isolation, found));
    if (found === undefined || !holdsRequired(open)) continue;
    await compileRunner(found);
    return { ...found, open };
  }
  return undefined;
}

/** Compiles the modules of the runner, which saves 7 ms at each start. Does nothing if their folder is not writable. */
async function compileRunner({ program }: FoundPython): Promise<void> {
  await succeeds([program, ...pythonFlags, '-m', 'compileall', '-q', `${runtimeFolder}/python`]);
}

function probePython(isolation: Isolation, python: FoundPython) {
  const probe = `${runtimesAt(isolation.level)}/python/probe.py`;
  return probeGuarantees(isolation.level, (temporary) => {
    const args = [probe, String(process.pid), temporary, ...propertiesOf(isolation)];
    return startOf(isolation, python, temporary, args);
  });
}

/** Memory limit and packages of a runner of Python scripts. */
export interface PythonNeeds {
  /** Memory of all child processes, which limits a run too. */
  readonly childBytes: number;
  /** Folder of the operator's packages, if there is one; scripts can read it. */
  readonly packages?: string | undefined;
}

/** Prepares the command for a runner of Python scripts. */
export async function preparePython(
  isolation: Isolation,
  python: FoundPython,
  { childBytes, packages }: PythonNeeds,
): Promise<PreparedCommand> {
  const { level } = isolation;
  const runBytes = Math.min(maxResidentBytes, childBytes);
  const { temporary, limit, dispose } = await openRunFolder(level);
  const program = `${runtimesAt(level)}/python/runner.py`;
  const megabytes = String(Math.floor(runBytes / 2 ** 20));
  const path = level === 'bubblewrap' ? boxedPaths.packages : packages;
  const added = packages === undefined ? [] : [`packages=${path}`];
  const runner = [program, control, temporary, megabytes, ...propertiesOf(isolation), ...added];
  const command = {
    ...toCommand(startOf(isolation, python, temporary, runner, packages), temporary),
    maxResidentBytes: runBytes + supervisorBytes,
    graceMs,
    ...limit,
  };
  return { command, dispose };
}

/** Returns the properties of a runner; see runner.py. */
function propertiesOf(isolation: Isolation): readonly string[] {
  const network = isolation.hasNetwork ? [] : ['offline'];
  // without a PID namespace, a run's descendants could escape
  const level = isolation.level === 'landlock' ? 'alone' : 'boxed';
  return [level, ...network, ...userArguments(isolation)];
}

function startOf(
  isolation: Isolation,
  { program, folder }: FoundPython,
  temporary: string,
  args: readonly string[],
  packages?: string,
) {
  const binds = [
    ...(systemFolders.includes(folder) ? [] : [[folder, folder] as const]),
    ...(packages === undefined ? [] : [[packages, boxedPaths.packages] as const]),
  ];
  const enclosed = { binds, temporary, isAlone: false };
  return [...enclose(isolation, enclosed), program, ...pythonFlags, ...args];
}
