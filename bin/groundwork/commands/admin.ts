import { randomBytes } from 'node:crypto';
import {
  installService,
  serviceUnit,
  unitPath,
} from '../../../shared/platforms/local/operations/install-service.ts';
import {
  installPythonPackages,
  type PythonPackagesOptions,
} from '../../../shared/platforms/local/operations/python-packages.ts';
import { resetFolderPassword } from '../../../shared/platforms/local/operations/reset-password.ts';
import {
  changeFolderSuspension,
  listFolderSuspensions,
} from '../../../shared/platforms/local/operations/suspend.ts';
import { describeSuspensions } from '../../operator/suspension-table.ts';
import { OperatorUsageError } from '../../operator/terminal.ts';
import type { AddCommand } from '../command.ts';
import type { Terminal } from '../terminal.ts';

interface ResetOptions {
  readonly data: string;
  readonly password?: string;
  readonly random?: true;
}

interface SuspendOptions {
  readonly data: string;
  readonly reason?: string;
}

/** Adds `admin`: what the operator of a local server may do without an account. */
export const addAdmin: AddCommand = (program, terminal) => {
  const admin = program
    .command('admin')
    .description('manage accounts and instances of a local server');
  admin
    .command('reset-password')
    .description('set a new password for an account, which changes its key; the server may run')
    .argument('<email>', 'the account')
    .option('--data <folder>', 'the data folder of the server', '.groundwork')
    .option('--password <text>', 'the new password; asked for if absent')
    .option('--random', 'generate a password, and print it')
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
  addService(admin, terminal);
  admin
    .command('python-packages')
    .description('install the pure-Python packages that every Python script may import')
    .option(
      '--list <file>',
      'packages with exact versions and hashes; requests and syncano if absent',
    )
    .option('--wheels <folder>', 'take the files of the packages from here, without a network')
    .option('--data <folder>', 'the data folder of the server', '.groundwork')
    .addHelpText('after', '\nExample:\n  groundwork admin python-packages --list packages.txt')
    .action(async (options: PythonPackagesOptions) => {
      const set = await installPythonPackages(options);
      const names = set.packages.map(({ name, version }) => `${name} ${version}`).join(', ');
      terminal().result(
        set,
        () =>
          `Installed in ${set.folder}: ${names}\nRestart the server, which uses the set from its next start.`,
      );
    });
};

type Group = ReturnType<Parameters<AddCommand>[0]['command']>;

/** Adds the commands that stop one tenant, and let it go on (docs/guides/operate.md#stop-one-tenant). */
function addSuspension(admin: Group, terminal: Parameters<AddCommand>[1]): void {
  const folder = ['--data <folder>', 'the data folder of the server', '.groundwork'] as const;
  admin
    .command('suspend')
    .description('stop an instance: only its owner may read and export, and nothing is deleted')
    .argument('<instance>', 'its name')
    .option('--reason <text>', 'a note for operators; clients do not see it')
    .option(...folder)
    .addHelpText('after', '\nExample:\n  groundwork admin suspend library --reason "sends spam"')
    .action(async (instance: string, { data, reason }: SuspendOptions) => {
      await changeFolderSuspension(data, { action: 'suspend', instance, reason });
      terminal().result({ instance, suspended: true }, () => `${instance} is suspended`);
    });
  admin
    .command('resume')
    .description('end the suspension of an instance')
    .argument('<instance>', 'its name')
    .option(...folder)
    .action(async (instance: string, { data }: SuspendOptions) => {
      await changeFolderSuspension(data, { action: 'resume', instance });
      terminal().result({ instance, suspended: false }, () => `${instance} is resumed`);
    });
  admin
    .command('suspended')
    .description('list the suspended instances')
    .option(...folder)
    .action(async ({ data }: SuspendOptions) => {
      const all = await listFolderSuspensions(data);
      terminal().result(all, () => describeSuspensions(all));
    });
}

interface ServiceOptions {
  readonly unit: string;
  readonly dryRun?: true;
  readonly force?: true;
}

/** Adds the command that makes the server a service of this machine (docs/guides/vps.md#the-service). */
function addService(admin: Group, terminal: Parameters<AddCommand>[1]): void {
  admin
    .command('install-service')
    .description('write the systemd unit that runs the server of this folder')
    .option('--unit <file>', 'the file of the unit', unitPath)
    .option('--dry-run', 'print the unit, and write nothing')
    .option('--force', 'overwrite a unit that was edited')
    .addHelpText('after', '\nExample:\n  groundwork admin install-service --dry-run')
    .action(async ({ unit: path, dryRun, force }: ServiceOptions) => {
      const unit = await serviceUnit();
      if (dryRun) return terminal().result({ unit }, () => unit);
      await installService(path, force === true);
      terminal().result({ path }, () =>
        [
          `Wrote ${path}. Start the service now and with the machine, by:`,
          '  systemctl daemon-reload',
          '  systemctl enable --now groundwork',
        ].join('\n'),
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
    throw new OperatorUsageError(`a password has 1 to ${maxLength} characters`);
  }
  return password;
}
