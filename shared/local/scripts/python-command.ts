import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { maxResidentBytes, scriptVariables } from '../../runtimes/limits.ts';
import { boxCommand, boxedPaths, type Isolation, succeeds } from './isolation.ts';
import type { PreparedCommand } from './node-command.ts';

/** A python3 of this machine, in a box. */
export interface BoxedPython {
  readonly kind: 'box';
  /** Path of the program itself, and of the folder that it and its libraries are in. */
  readonly program: string;
  readonly folder: string;
  /** Such as `3.11.2`. */
  readonly version: string;
}

const usual = ['/usr/bin/python3', 'python3'];
const systemFolders = ['/usr', '/usr/local']; // what is needed of them is in every box
const probeMs = 5_000;
const control = '3'; // the descriptor that a runner speaks over
const maxMegabytes = maxResidentBytes / 2 ** 20;
const graceMs = 1_500; // more than the runner itself gives a run that does not end in time
/** Without the environment, the user's own packages, and packages of the machine; text is UTF-8. */
const flags = ['-I', '-S', '-B', '-X', 'utf8'];
const probe = `
import ctypes, json, os, sys
assert sys.version_info >= (3, 9)
version = '.'.join(map(str, sys.version_info[:3]))
print(json.dumps([os.path.realpath(sys.executable), sys.base_prefix, version]))`;

/**
 * Looks for a python3 that works in a box.
 *
 * @param candidates programs, the first that will do is taken
 * @returns undefined where there is none
 */
export async function findBoxedPython(
  isolation: Isolation,
  candidates: readonly string[] = usual,
): Promise<BoxedPython | undefined> {
  for (const candidate of isolation.hasBubblewrap ? candidates : []) {
    const found = await describeCandidate(candidate);
    if (found !== undefined && (await succeeds(inBox(isolation, found, ['-c', probe])))) {
      return found;
    }
  }
  return undefined;
}

/** The command for a runner of Python scripts in a box. */
export function prepareBoxedPython(isolation: Isolation, python: BoxedPython): PreparedCommand {
  const { runtimes, temporary } = boxedPaths;
  const runner = [`${runtimes}/python/runner.py`, control, temporary, String(maxMegabytes)];
  const [program = '', ...args] = inBox(isolation, python, runner);
  const variables = scriptVariables(temporary);
  const command = { program, args, variables, folder: temporary, graceMs };
  return { command, dispose: async () => {} };
}

function inBox(isolation: Isolation, python: BoxedPython, args: readonly string[]) {
  const { program, folder } = python;
  const binds = systemFolders.includes(folder) ? [] : [[folder, folder] as const];
  const box = boxCommand({ ...isolation, binds });
  return [...isolation.prefix, ...box, program, ...flags, ...args];
}

/** What a program says of itself; undefined when there is none, or none that will do. */
async function describeCandidate(candidate: string): Promise<BoxedPython | undefined> {
  try {
    const args = [...flags, '-c', probe];
    const { stdout } = await promisify(execFile)(candidate, args, { timeout: probeMs });
    const [program, folder, version] = v.parse(said, JSON.parse(stdout));
    return { kind: 'box', program, folder, version };
  } catch {
    return undefined; // missing, too old, or no Python at all: all the same to us
  }
}

const said = v.tuple([v.string(), v.string(), v.string()]);
