import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { scriptVariables } from '../../../../runtimes/limits.ts';
import { probeMs } from '../commands/find-python.ts';
import type { Level } from './level.ts';
import { openRunFolder } from './run-folders.ts';

/** Guarantees that each level requires; others are reported as gaps. */
const required = ['files', 'environments', 'root', 'kernel settings'];
const guaranteesSchema = v.pipe(v.string(), v.parseJson(), v.array(v.string()));

/**
 * Runs a program that tries to break the guarantees of a sandbox: probe.py or probe.cjs.
 *
 * @param commandIn returns the command, which isolates the program like a script, for a folder of its own
 * @returns the guarantees that do not hold; undefined when the program does not start
 */
export async function probeGuarantees(
  level: Level,
  commandIn: (temporary: string) => readonly string[],
): Promise<readonly string[] | undefined> {
  const folder = await openRunFolder(level).catch(() => undefined); // root may be unable to give it away
  if (folder === undefined) return undefined;
  try {
    const parsed = v.safeParse(guaranteesSchema, await outputOf(commandIn(folder.temporary)));
    return parsed.success ? parsed.output : undefined;
  } finally {
    await folder.dispose();
  }
}

/** Checks the result of {@link probeGuarantees}: whether the program has started, and what each level requires holds. */
export function holdsRequired(open: readonly string[] | undefined): open is readonly string[] {
  return open !== undefined && !required.some((each) => open.includes(each));
}

/** Checks whether a program with these arguments starts here and succeeds. */
export async function succeeds(command: readonly string[]): Promise<boolean> {
  return (await outputOf(command)) !== undefined;
}

/** Returns the output of a program; undefined when it does not start or fails. */
async function outputOf([program = '', ...args]: readonly string[]): Promise<string | undefined> {
  try {
    const options = { env: scriptVariables('/tmp'), timeout: probeMs };
    return (await promisify(execFile)(program, args, options)).stdout;
  } catch {
    return undefined; // missing, too old and denied have the same result
  }
}
