import type { Command } from 'commander';
import {
  identityFile,
  newBackupKeys,
} from '../../../../shared/platforms/local/backup/encryption.ts';
import {
  openStoredBackups,
  type Pruned,
  pruneBackups,
} from '../../../../shared/platforms/local/backup/stored.ts';
import { readBackupSettings } from '../../../../shared/platforms/local/environment.ts';
import { createFile } from '../../../../shared/platforms/local/files/atomic-file.ts';
import { formatTable, OperatorUsageError } from '../../../operator/terminal.ts';
import type { AddCommand } from '../../command.ts';

/** Options of commands that may use a bucket. */
export interface BucketOptions {
  readonly endpoint?: string;
  readonly region?: string;
}

/** Adds the options by which a command finds the service of a bucket. */
export function withBucket(command: Command): Command {
  return command
    .option('--endpoint <address>', 'the S3 service (GROUNDWORK_BACKUP_ENDPOINT; AWS if absent)')
    .option('--region <name>', 'the region of the bucket (AWS_REGION)');
}

/** Adds the commands around backups that are stored elsewhere. */
export function addStoredBackups(backup: Command, terminal: Parameters<AddCommand>[1]): void {
  backup
    .command('keygen')
    .description('generate a key pair for encrypted backups')
    .option('--out <file>', 'write the private key to this new file, which only you may read')
    .addHelpText('after', '\nExample:\n  groundwork backup keygen --out backup-key.txt')
    .action(async ({ out }: { readonly out?: string }) => {
      const keys = await newBackupKeys();
      if (out === undefined) return terminal().result(keys, () => identityFile(keys));
      if (!(await createFile(out, identityFile(keys)))) throw new Error(`${out} exists`);
      terminal().result({ recipient: keys.recipient }, () => keys.recipient);
    });
  addList(backup, terminal);
  addPrune(backup, terminal);
}

/** The command above has these options too, and takes them: `optsWithGlobals` has those of both. */
const toOption = [
  '--to <target>',
  's3://<bucket>/<prefix>, or a folder (GROUNDWORK_BACKUP_TO)',
] as const;

interface StoredOptions extends BucketOptions {
  readonly to?: string;
}

function openTarget({ to, ...given }: StoredOptions) {
  const settings = readBackupSettings(given);
  const target = to ?? settings.target;
  if (target === undefined) throw new OperatorUsageError('give --to');
  return openStoredBackups(target, settings);
}

function addList(backup: Command, terminal: Parameters<AddCommand>[1]): void {
  withBucket(backup.command('list').description('list the backups of a bucket or folder'))
    .option(...toOption)
    .action(async (_: unknown, command: Command) => {
      const backups = await openTarget(command.optsWithGlobals<StoredOptions>()).list();
      terminal().result(backups, () =>
        formatTable(backups.map(({ name, isGood }) => [name, isGood ? '' : 'not complete'])),
      );
    });
}

interface PruneOptions extends StoredOptions {
  readonly keep?: string;
  readonly dryRun?: true;
}

function addPrune(backup: Command, terminal: Parameters<AddCommand>[1]): void {
  withBucket(backup.command('prune').description('delete old backups of a bucket or folder'))
    .option(...toOption)
    .option('--keep <number>', 'the newest backups, or those of some days such as 30d')
    .option('--dry-run', 'only print what would be deleted')
    .addHelpText(
      'after',
      '\nExample:\n  groundwork backup prune --to s3://backups/groundwork --keep 30d --dry-run',
    )
    .action(async (_: unknown, command: Command) => {
      const { keep, dryRun, ...options } = command.optsWithGlobals<PruneOptions>();
      if (keep === undefined) throw new OperatorUsageError('give --keep');
      const isDry = dryRun === true;
      const pruned = await pruneBackups(openTarget(options), { keep, isDry, nowMs: Date.now() });
      terminal().result(pruned, () => describePruned(pruned, isDry));
    });
}

function describePruned({ kept, deleted }: Pruned, isDry: boolean): string {
  const verb = isDry ? 'would be deleted' : 'is deleted';
  return [...deleted.map((name) => `${name} ${verb}`), `${kept.length} are kept`].join('\n');
}
