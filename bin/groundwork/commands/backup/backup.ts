import { backUpTo } from '../../../../shared/platforms/local/backup/back-up-to.ts';
import { backUp } from '../../../../shared/platforms/local/backup/backup.ts';
import { restoreFrom } from '../../../../shared/platforms/local/backup/restore-from.ts';
import { readBackupSettings } from '../../../../shared/platforms/local/environment.ts';
import { OperatorUsageError } from '../../../operator/terminal.ts';
import type { AddCommand } from '../../command.ts';
import type { Terminal } from '../../terminal.ts';
import { addStoredBackups, type BucketOptions, withBucket } from './stored-backups.ts';

const dataOption = ['--data <folder>', 'the data folder of the server', '.groundwork'] as const;

interface BackupOptions extends BucketOptions {
  readonly data: string;
  readonly to?: string;
  readonly recipient?: string;
  readonly keep?: string;
}

/** Adds `backup`: copies the data of a local server, which may be running. */
export const addBackup: AddCommand = (program, terminal) => {
  const backup = program
    .command('backup')
    .description('back up the data folder of a local server, also while it runs')
    .argument('[folder]', 'the folder of the backup, which must not exist')
    .option(
      '--to <target>',
      'create a named backup in s3://<bucket>/<prefix> or a folder (GROUNDWORK_BACKUP_TO)',
    )
    .option(
      '--recipient <key>',
      'the public key (age1…) to encrypt for, or plain (GROUNDWORK_BACKUP_RECIPIENT)',
    )
    .option(
      '--keep <number>',
      'with --to a folder: how many backups to keep, or days such as 30d (GROUNDWORK_BACKUP_KEEP)',
    )
    .option(...dataOption);
  withBucket(backup)
    .addHelpText(
      'after',
      '\nExamples:\n  groundwork backup backups/2026-01-31\n  groundwork backup --to s3://backups/groundwork --recipient age1…',
    )
    .action((folder: string | undefined, options: BackupOptions) =>
      folder === undefined
        ? backUpElsewhere(options, terminal())
        : backUpToFolder(folder, options, terminal()),
    );
  addStoredBackups(backup, terminal);
};

async function backUpToFolder(folder: string, { data, to }: BackupOptions, out: Terminal) {
  if (to !== undefined) throw new OperatorUsageError('a folder and --to exclude each other');
  const { items, files } = await backUp(data, folder);
  out.result({ folder, items, files }, () =>
    [
      `Backed up ${data} to ${folder}: ${items} items, ${files} files.`,
      'It contains all keys: keep it as private as the data folder.',
    ].join('\n'),
  );
}

async function backUpElsewhere({ data, to, ...given }: BackupOptions, out: Terminal) {
  const settings = readBackupSettings(given);
  const target = to ?? settings.target;
  if (target === undefined) throw new OperatorUsageError('name a folder, or give --to');
  const made = await endingOnSignal((signal) => backUpTo(data, target, { settings, signal }));
  out.result({ to: target, ...made }, () =>
    [
      `Backed up ${data} to ${target}: ${made.items} items, ${made.files} files.`,
      `Its name is ${made.name}`,
    ].join('\n'),
  );
}

/** Lets the signals of a terminal or a server end what runs, so that it tidies up. */
async function endingOnSignal<Result>(
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const end = () => controller.abort(new Error('the backup was stopped'));
  process.once('SIGINT', end).once('SIGTERM', end);
  try {
    return await run(controller.signal);
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
  }
}

interface RestoreOptions extends BucketOptions {
  readonly data: string;
  readonly identity?: string;
}

/** Adds `restore`: makes a data folder of a backup. */
export const addRestore: AddCommand = (program, terminal) => {
  const restore = program
    .command('restore')
    .description('restore a backup into a new data folder, with a new version of its master secret')
    .argument('<backup>', 'the backup: a folder, a file, or s3://<bucket>/<prefix>/<name>')
    .option('--identity <file>', 'the file with the private key of an encrypted backup')
    .option(...dataOption);
  withBucket(restore)
    .addHelpText('after', '\nExample:\n  groundwork restore backups/2026-01-31 --data .groundwork')
    .action(async (backup: string, { data, identity, ...given }: RestoreOptions) => {
      const settings = () => readBackupSettings(given);
      const version = await restoreFrom(backup, data, { identity, settings });
      terminal().result({ data, version }, () =>
        [
          `Restored ${backup} into ${data}; new keys use version ${version} of the master secret.`,
          'Keys that were revoked after the backup work again: see docs/guides/restoring.md.',
        ].join('\n'),
      );
    });
};
