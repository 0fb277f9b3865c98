import { Command, CommanderError } from 'commander';
import { ResponseError } from '../../shared/clients/client.ts';
import { messageOf } from '../../shared/values/caught.ts';
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
import { openTerminal } from './terminal.ts';

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
    report(error, args.includes('--json'));
    return error instanceof OperatorUsageError ? 2 : 1;
  }
}

/** Creates the program with all commands. */
export function createProgram(version: string): Command {
  const program = new Command('groundwork')
    .description('Projects in git, data that moves, and everything else that needs no browser.')
    .version(version)
    .option('--json', 'print results as JSON')
    .exitOverride()
    .showHelpAfterError('(see --help)')
    .configureHelp({ sortSubcommands: false });
  const terminal = () => openTerminal({ isJson: program.opts().json === true });
  for (const add of commands) add(program, terminal);
  for (const command of leavesOf(program)) {
    command.exitOverride().option('--json', 'print results as JSON');
    command.on('option:json', () => program.setOptionValue('json', true));
  }
  return program;
}

/** Returns the commands that do something, with those below others. */
function leavesOf({ commands }: Command): readonly Command[] {
  return commands.flatMap((one) => {
    const isLeaf = one.commands.length === 0 || one.registeredArguments.length > 0;
    return isLeaf ? [one, ...leavesOf(one)] : leavesOf(one);
  });
}

function report(error: unknown, isJson: boolean): void {
  const response = error instanceof ResponseError ? error.response : undefined;
  const text = isJson
    ? JSON.stringify({ error: messageOf(error), response })
    : `groundwork: ${messageOf(error)}`;
  openTerminal({ isJson }).warn(text);
}
