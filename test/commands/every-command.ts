import { vi } from 'vitest';
import { runCommands } from '../../bin/groundwork/program.ts';

/**
 * Returns the arguments of every command, and whether its output has to show a text of the server or of a file.
 *
 * @param hostile a text that others may have written
 */
export const commandsFor = (
  hostile: string,
): Readonly<Record<string, { readonly args: readonly string[]; readonly shows: boolean }>> => ({
  init: { args: ['.', '--email', 'a@example.com', '--password', 'x'], shows: true },
  login: { args: ['--email', 'a@example.com', '--password', 'x'], shows: false },
  open: { args: ['--print'], shows: false },
  pull: { args: [], shows: true },
  diff: { args: [], shows: true },
  push: { args: [], shows: true },
  dev: { args: [], shows: true },
  run: { args: ['1'], shows: true },
  logs: { args: [], shows: true },
  types: { args: [], shows: true },
  export: { args: ['out'], shows: true },
  import: { args: ['books.csv', '--class', 'hello'], shows: true },
  backup: { args: ['to', '--data', hostile], shows: true },
  'backup keygen': { args: ['--out', `none/${hostile}`], shows: true },
  'backup list': { args: ['--to', `/none/${hostile}`], shows: false },
  'backup prune': { args: ['--to', `/none/${hostile}`, '--keep', '1'], shows: false },
  restore: { args: [hostile], shows: true },
  'admin reset-password': { args: [hostile, '--random', '--data', 'none'], shows: false },
  'admin suspend': { args: [hostile, '--reason', hostile, '--data', 'none'], shows: false },
  'admin resume': { args: [hostile, '--data', 'none'], shows: false },
  'admin install-service': { args: ['--unit', `none/${hostile}`], shows: true },
  'admin python-packages': { args: ['--list', hostile, '--data', 'none'], shows: true },
  'admin suspended': { args: ['--data', hostile], shows: true },
  doctor: { args: [], shows: true },
  completion: { args: ['bash'], shows: false },
});

/** Commands that send requests. */
export const needServer: ReadonlySet<string> = new Set(
  Object.keys(commandsFor('')).slice(0, 12).concat('doctor'),
);

/** Runs a command in this process, in a folder. Returns what reaches the terminal. */
export async function runHere(folder: string, args: readonly string[]): Promise<string> {
  const written: string[] = [];
  const catchText = (text: string | Uint8Array) => written.push(String(text)) > 0;
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation(catchText),
  );
  const before = process.cwd();
  process.chdir(folder);
  vi.stubEnv('XDG_CONFIG_HOME', folder);
  try {
    await Promise.race([runCommands(args, '1'), untilEnd(written)]);
  } finally {
    process.chdir(before);
    process.exitCode = undefined;
    for (const spy of spies) spy.mockRestore();
  }
  return written.join('');
}

/** Ends `dev`, which goes on until it is interrupted. */
async function untilEnd(written: readonly string[]): Promise<void> {
  for (let count = 0; count < 600 && written.length < 400; count++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
