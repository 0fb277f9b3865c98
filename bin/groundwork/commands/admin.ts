import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { resetFolderPassword } from '../../../shared/platform/local/operations/reset-password.ts';
import {
  changeFolderSuspension,
  listFolderSuspensions,
} from '../../../shared/platform/local/operations/suspension.ts';
import { formatTable, UsageError } from '../../operator/terminal.ts';
import type { AddCommand } from '../command.ts';
import type { Terminal } from '../terminal.ts';

interface ResetOptions {
  readonly data: string;
  readonly password?: string;
  readonly random?: true;
}

/** Adds `admin`: what the operator of a local server may do without an account. */
export const addAdmin: AddCommand = (program, terminal) => {
  const admin = program
    .command('admin')
    .description('manage accounts and instances of a local server');
  admin
    .command('reset-password')
    .description('give an account another password, and another key, also while the server runs')
    .argument('<email>', 'the account')
    .option('--data <folder>', 'the data folder of the server', '.groundwork')
    .option('--password <text>', 'the new password; asked for otherwise')
    .option('--random', 'make a new password, and print it')
    .addHelpText('after', '\nExample:\n  groundwork admin reset-password ada@example.com --random')
    .action(async (email: string, options: ResetOptions) => {
      const out = terminal();
      const password = await newPassword(options, out);
      await resetFolderPassword(options.data, { email, password });
      const shown = options.random && { password };
      out.result({ email, ...shown }, () =>
        [
          `${email} has a new password${shown ? `: ${password}` : ''}`,
          'The account key has changed as well: log in again.',
        ].join('\n'),
      );
    });
  addSuspension(admin, terminal);
};

/** Adds the commands that stop one instance, and start it again. */
function addSuspension(admin: Command, terminal: () => Terminal): void {
  const data = ['--data <folder>', 'the data folder of the server', '.groundwork'] as const;
  admin
    .command('suspend')
    .description('stop an instance at once: requests get 403, nothing of it runs or is deleted')
    .argument('<instance>', 'its name')
    .option(...data)
    .option('--reason <text>', 'why, for operators; no response shows it', '')
    .action(async (name: string, options: { readonly data: string; readonly reason: string }) => {
      const { reason } = options;
      await changeFolderSuspension(options.data, { action: 'suspend', name, reason });
      terminal().result({ name, reason }, () => `${name} is suspended`);
    });
  admin
    .command('resume')
    .description('start an instance again that is suspended')
    .argument('<instance>', 'its name')
    .option(...data)
    .action(async (name: string, options: { readonly data: string }) => {
      await changeFolderSuspension(options.data, { action: 'resume', name });
      terminal().result({ name }, () => `${name} is not suspended any more`);
    });
  admin
    .command('suspended')
    .description('list the suspended instances')
    .option(...data)
    .action(async (options: { readonly data: string }) => {
      const found = await listFolderSuspensions(options.data);
      const rows = found.map(({ name, since, reason }) => [name, since, reason]);
      terminal().result(found, () =>
        rows.length === 0
          ? 'no instance is suspended'
          : formatTable([['instance', 'since', 'reason'], ...rows]).trimEnd(),
      );
    });
}

const maxLength = 128; // docs/reference/accounts.md#registration

async function newPassword(options: ResetOptions, out: Terminal): Promise<string> {
  if (options.random) return randomBytes(15).toString('base64url');
  const given =
    options.password ?? (await out.askSecret('New password', '--password, or --random'));
  const password = given.trim(); // as by a log-in
  if (password === '' || password.length > maxLength) {
    throw new UsageError(`a password has 1 to ${maxLength} characters`);
  }
  return password;
}
