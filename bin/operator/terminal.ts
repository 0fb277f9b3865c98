import { createInterface } from 'node:readline/promises';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { messageOf } from '../../shared/values/caught.ts';
import { printable, printableLine } from '../../shared/values/text/printable.ts';

/** The command line makes no sense: exit code 2. */
export class OperatorUsageError extends Error {}

/** A program for operators. */
export interface OperatorProgram {
  /** Begins each error message. */
  readonly name: string;
  readonly usage: string;
}

/** Runs a program; an error ends the process with its message, and code 1, or 2 for an invalid command line. */
export async function runProgram(
  { name, usage }: OperatorProgram,
  run: () => Promise<void>,
): Promise<void> {
  try {
    if (process.argv.includes('--help')) process.stdout.write(usage);
    else await run();
  } catch (error) {
    const isUsage = error instanceof OperatorUsageError;
    complain(`${name}: ${messageOf(error)}${isUsage ? ' (see --help)' : ''}`);
    process.exitCode = isUsage ? 2 : 1;
  }
}

/** Prints lines of a program; texts of others in them are made {@link printable} here. */
export function say(text: string): void {
  process.stdout.write(withEnd(printable(text)));
}

/** Prints lines as {@link say} does, to the error output. */
export function complain(text: string): void {
  process.stderr.write(withEnd(printable(text)));
}

function withEnd(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

/**
 * Reads the command line.
 *
 * @throws UsageError
 */
export function readCommandLine<Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new OperatorUsageError(messageOf(error));
  }
}

/** Returns whether a person, or another program, types `expected` when asked. */
export async function confirmTyped(question: string, expected: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  const typed = await Promise.race([lines.question(printable(question)), ended]);
  lines.close();
  return typed.trim() === expected;
}

/** Formats rows as columns, the first row being the header. A cell has one line, whatever its text is. */
export function formatTable(cells: readonly (readonly string[])[]): string {
  const rows = cells.map((row) => row.map(printableLine));
  const [header = []] = rows;
  const widths = header.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}
