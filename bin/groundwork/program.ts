import { Command, CommanderError } from 'commander';
import { OperatorUsageError } from '../operator/terminal.ts';
import type { AddCommand } from './command.ts';
import { addAdmin } from './commands/admin.ts';
import { addBackup, addRestore } from './commands/backup/backup.ts';
import { addCompletion } from './commands/completion.ts';
import { addDiff } from './commands/diff.ts';
import { addDoctor } from './commands/doctor.ts';
import { addExport } from './commands/export.ts';
import { addImport } from './commands/import.ts';
import { addInit } from './commands/init.ts';
import { addLogin } from './commands/login.ts';
import { addLogs } from './commands/logs.ts';
import { addOpen } from './commands/open.ts';
import { addPull } from './commands/pull.ts';
import { addPush } from './commands/push.ts';
import { addRun } from './commands/run.ts';
import { addTypes } from './commands/types.ts';
import { addDev } from './dev/dev.ts';
import { describeError, explainError, failedRequest } from './errors/describe-error.ts';
import { openTerminal, type Terminal } from './terminal.ts';

/** All commands, in the order of the help. */
const commands: readonly AddCommand[] = [
  addInit,
  addLogin,
  addOpen,
  addPull,
  addDiff,
  addPush,
  addDev,
  addRun,
  addLogs,
  addTypes,
  addExport,
  addImport,
  addBackup,
  addRestore,
  addAdmin,
  addDoctor,
  addCompletion,
];

/**
 * Runs a command line.
 *
 * @returns the exit code: 0 done, 1 failed, 2 the command line makes no sense
 */
export async function runCommands(args: readonly string[], version: string): Promise<number> {
  const program = createProgram(version);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2; // it has printed its message
    const isVerbose = args.includes('--verbose');
    report(error, openTerminal({ isJson: args.includes('--json'), isVerbose }));
    return error instanceof OperatorUsageError ? 2 : 1;
  }
}

/** Creates the program with all commands. */
export function createProgram(version: string): Command {
  const program = new Command('groundwork')
    .description(
      'Set up Groundwork instances from files, and manage their data, scripts and backups.',
    )
    .version(version)
    .exitOverride()
    .showHelpAfterError('(see --help)')
    .configureHelp({ sortSubcommands: false });
  const terminal = () => {
    const { json, verbose } = program.opts();
    return openTerminal({ isJson: json === true, isVerbose: verbose === true });
  };
  for (const add of commands) add(program, terminal);
  for (const command of [program, ...leavesOf(program)]) {
    command.exitOverride();
    for (const [name, description] of Object.entries(globalOptions)) {
      command.option(`--${name}`, description);
      command.on(`option:${name}`, () => program.setOptionValue(name, true));
    }
  }
  return program;
}

/** Options of every command, before it or after it. */
const globalOptions = {
  json: 'print results as JSON',
  verbose: 'also print failed requests and their responses',
} as const;

/** Returns the commands that do something, with those below others. */
function leavesOf({ commands }: Command): readonly Command[] {
  return commands.flatMap((one) => {
    const isLeaf = one.commands.length === 0 || one.registeredArguments.length > 0;
    return isLeaf ? [one, ...leavesOf(one)] : leavesOf(one);
  });
}

function report(error: unknown, out: Terminal): void {
  const failed = failedRequest(error);
  const text = out.isJson
    ? JSON.stringify({
        error: describeError(error),
        request: failed?.request,
        response: failed?.response,
      })
    : `groundwork: ${explainError(error, out)}`;
  out.warn(text);
}
