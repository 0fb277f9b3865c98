import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as v from 'valibot';

/** A python3 of this machine. */
export interface FoundPython {
  /** Path of the program itself, and of the folder that it and its libraries are in. */
  readonly program: string;
  readonly folder: string;
  /** Such as `3.11.2`. */
  readonly version: string;
}

/** Flags of each start: ignores environment variables, user packages and site packages; text is UTF-8. */
export const pythonFlags = ['-I', '-S', '-B', '-X', 'utf8'];

/** Programs to try, the best first. */
export const usualPythons: readonly string[] = ['/usr/bin/python3', 'python3'];

/** A program that prints a description of its python3; fails if that is too old. */
export const describeItself = `
import ctypes, json, os, sys
assert sys.version_info >= (3, 9)
version = '.'.join(map(str, sys.version_info[:3]))
print(json.dumps([os.path.realpath(sys.executable), sys.base_prefix, version]))`;

const probeMs = 5_000;
const described = v.tuple([v.string(), v.string(), v.string()]);

/** Describes a program; undefined when it is missing, older than Python 3.9 or not Python. */
export async function describePython(candidate: string): Promise<FoundPython | undefined> {
  try {
    const args = [...pythonFlags, '-c', describeItself];
    const { stdout } = await promisify(execFile)(candidate, args, { timeout: probeMs });
    const [program, folder, version] = v.parse(described, JSON.parse(stdout));
    return { program, folder, version };
  } catch {
    return undefined; // missing, too old or not Python: the next candidate is tried
  }
}
