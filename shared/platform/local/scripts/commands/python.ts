import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PreparedCommand } from '../sandbox/enclosure.ts';
import type { IsolationOptions } from '../sandbox/isolation.ts';
import type { Isolation } from '../sandbox/level.ts';
import { findPyodide, makeSnapshot, preparePyodide } from './pyodide-command.ts';
import { findHeldPython, preparePython } from './python-command.ts';

/** The Python runtime of scripts on this machine. */
export interface Python {
  readonly isThere: boolean;
  /** Whether it is Pyodide, whose processes are large. */
  readonly isPyodide: boolean;
  /** Such as `CPython 3.11.2`. */
  readonly name: string;
  /** A part of a line for the operator. */
  readonly description: string;
  /**
   * Prepares the command for a runner. The first one may take some seconds.
   *
   * @throws Error if no Python is available
   */
  prepare(): Promise<PreparedCommand>;
  /** Removes temporary files. */
  close(): Promise<void>;
}

/** Advice for an operator without Python for scripts. */
export const howToGetPython =
  'To have it: apt-get install bubblewrap python3, or npm install with optional packages';

/**
 * Finds the Python runtime of scripts: a python3 that bubblewrap or Landlock isolates, else Pyodide. A bare python3
 * would have access to everything.
 *
 * @param options what to leave out
 * @param folder the data folder, for files that are created once; a temporary one when absent
 */
export async function openPython(
  isolation: Isolation,
  options: IsolationOptions,
  folder?: string,
): Promise<Python> {
  const close = async () => {};
  const held = await findHeldPython(isolation);
  if (held !== undefined) {
    const description = `Python scripts run by ${held.program} (${held.version})`;
    const prepare = () => preparePython(isolation, held);
    const name = `CPython ${held.version}`;
    return { isThere: true, isPyodide: false, name, description, prepare, close };
  }
  const pyodide = options.pyodide === false ? undefined : findPyodide();
  if (pyodide === undefined) {
    const prepare = () => Promise.reject(new Error(howToGetPython));
    const description = `Python scripts do not run. ${howToGetPython}`;
    return { isThere: false, isPyodide: false, name: 'none', description, prepare, close };
  }
  const description = `Python scripts run by Pyodide ${pyodide.version}, without bubblewrap or Landlock and python3`;
  const cache = openCache(folder && join(folder, 'cache'));
  let snapshot: Promise<string> | undefined;
  const prepare = async () => {
    snapshot ??= cache.path().then((path) => makeSnapshot(pyodide, path));
    try {
      return await preparePyodide(isolation, pyodide, await snapshot);
    } catch (error) {
      snapshot = undefined; // the next run tries again
      throw error;
    }
  };
  const name = `Pyodide ${pyodide.version}`;
  return { isThere: true, isPyodide: true, name, description, prepare, close: cache.close };
}

/** Opens a cache folder: a lasting one, or a temporary one that `close` removes. */
function openCache(lasting: string | undefined) {
  let made: Promise<string> | undefined;
  return {
    path: () => {
      if (lasting !== undefined) return Promise.resolve(lasting);
      made ??= mkdtemp(join(tmpdir(), 'groundwork-pyodide-'));
      return made;
    },
    close: async () => {
      if (made !== undefined) await rm(await made, { recursive: true, force: true });
    },
  };
}
