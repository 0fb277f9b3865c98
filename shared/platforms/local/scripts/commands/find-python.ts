import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as v from 'valibot';

/** A python3 of this machine. */
export interface FoundPython {
  /** Paths of the program and of the folder that contains it and its libraries. */
  readonly program: string;
  readonly folder: string;
  /** For example `3.11.2`. */
  readonly version: string;
}

/** Flags for every start: ignore environment variables, user packages and site packages; use UTF-8. */
export const pythonFlags = ['-I', '-S', '-B', '-X', 'utf8'];

/** Programs to try, in order of preference. */
export const usualPythons: readonly string[] = ['/usr/bin/python3', 'python3'];

/** Python code that prints a description of its python3; it fails in versions that are too old. */
const describeItself = `
import ctypes, json, os, sys
assert sys.version_info >= (3, 9)
version = '.'.join(map(str, sys.version_info[:3]))
print(json.dumps([os.path.realpath(sys.executable), sys.base_prefix, version]))`;

/** Time limit of a program that is tried; a shorter one would select a weaker sandbox on a busy machine. */
export const probeMs = 30_000;
const described = v.tuple([v.string(), v.string(), v.string()]);

/** Describes a program; undefined when it is missing, older than Python 3.9 or not Python. */
export async function describePython(candidate: string): Promise<FoundPython | undefined> {
  try {
    const args = [...pythonFlags, '-c', describeItself];
    const { stdout } = await promisify(execFile)(candidate, args, { timeout: probeMs });
    const [program, folder, version] = v.parse(described, JSON.parse(stdout));
    return { program, folder, version };
  } catch {
    return undefined; // missing, too old or not Python: the caller tries the next candidate
  }
}
