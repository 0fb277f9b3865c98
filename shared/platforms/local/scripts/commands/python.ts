import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PreparedCommand } from '../sandbox/enclosure.ts';
import type { IsolationOptions } from '../sandbox/isolation.ts';
import type { Isolation } from '../sandbox/level.ts';
import { findPyodide, makeSnapshot, preparePyodide } from './pyodide-command.ts';
import { findIsolatedPython, preparePython } from './python-command.ts';
import { openPackages } from './python-set.ts';

/** The Python runtime of scripts on this machine. */
export interface Python {
  readonly isAvailable: boolean;
  /** True for Pyodide, whose processes are large. */
  readonly isPyodide: boolean;
  /** For example `CPython 3.11.2`. */
  readonly name: string;
  /** Text for a line in the operator's log. */
  readonly description: string;
  /**
   * Prepares the command for a runner. The first call may take some seconds.
   *
   * @param childBytes memory of all child processes
   * @throws Error if no Python is available
   */
  prepare(childBytes: number): Promise<PreparedCommand>;
  /** Removes temporary files. */
  close(): Promise<void>;
}

/** Advice for an operator without Python for scripts. */
export const pythonAdvice =
  'To have it: apt-get install bubblewrap python3, or npm install with optional packages';

/**
 * Finds the Python runtime of scripts: a python3 that bubblewrap or Landlock isolates, otherwise Pyodide. A python3
 * without isolation would have access to everything.
 *
 * @param options runtimes to exclude
 * @param folder the data folder, for files that are created once; a temporary folder when absent
 */
export async function openPython(
  isolation: Isolation,
  options: IsolationOptions,
  folder?: string,
): Promise<Python> {
  const { packages, close } = await openPackages(isolation, folder, options.packages);
  const set = describePackages(packages, options.packages);
  const python3 = await findIsolatedPython(isolation);
  if (python3 !== undefined) {
    const { program, version, open } = python3;
    const gaps = isolation.level === 'bubblewrap' && open.length > 0;
    const missing = gaps ? `, not isolated on this machine: ${open.join(', ')}` : '';
    const description = `Python scripts run by ${program} (${version})${set}${missing}`;
    const prepare = (childBytes: number) =>
      preparePython(isolation, python3, { childBytes, packages });
    const name = `CPython ${python3.version}`;
    return { isAvailable: true, isPyodide: false, name, description, prepare, close };
  }
  const pyodide = options.pyodide === false ? undefined : findPyodide();
  if (pyodide === undefined) {
    const prepare = () => Promise.reject(new Error(pythonAdvice));
    const description = `Python scripts do not run. ${pythonAdvice}`;
    return { isAvailable: false, isPyodide: false, name: 'none', description, prepare, close };
  }
  const description = `Python scripts run by Pyodide ${pyodide.version}${set}, without bubblewrap or Landlock and python3`;
  const cache = openCache(folder && join(folder, 'cache'));
  let snapshot: Promise<string> | undefined;
  const prepare = async () => {
    snapshot ??= cache.path().then((path) => makeSnapshot(pyodide, path));
    try {
      return await preparePyodide(isolation, pyodide, { snapshot: await snapshot, packages });
    } catch (error) {
      snapshot = undefined; // the next run retries
      throw error;
    }
  };
  const name = `Pyodide ${pyodide.version}`;
  const closeAll = async () => {
    await Promise.all([cache.close(), close()]);
  };
  return { isAvailable: true, isPyodide: true, name, description, prepare, close: closeAll };
}

/** Says which packages all scripts have, in a part of a line for the operator. */
function describePackages(packages: string | undefined, setting: string | undefined): string {
  if (packages !== undefined) return " with the operator's packages";
  return setting === undefined ? '' : ` without the operator's packages, as ${setting} has none`;
}

/** Opens a cache folder: a permanent one, or a temporary one that `close` deletes. */
function openCache(permanent: string | undefined) {
  let temporary: Promise<string> | undefined;
  return {
    path: () => {
      if (permanent !== undefined) return Promise.resolve(permanent);
      temporary ??= mkdtemp(join(tmpdir(), 'groundwork-pyodide-'));
      return temporary;
    },
    close: async () => {
      if (temporary !== undefined) await rm(await temporary, { recursive: true, force: true });
    },
  };
}
