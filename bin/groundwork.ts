import { readFileSync } from 'node:fs';
import { runCommands } from './groundwork/program.ts';

/**
 * Runs the command line and sets the exit code: 0 done, 1 failed, 2 the command line makes no sense.
 *
 * @param args without the program
 */
export async function main(args: readonly string[]): Promise<void> {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { version: string };
  process.stdout.on('error', endUnread);
  process.exitCode = await runCommands(args, version);
}

/** Ends the process when nobody reads what it prints any more, as with `groundwork logs --follow | head`. */
function endUnread(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(1);
  throw error;
}
