import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { identityFile, newBackupKeys } from '../../../shared/platforms/local/backup/encryption.ts';
import type { AddCommand } from '../command.ts';

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
    .description('make a pair of keys for encrypted backups')
    .option('--out <file>', 'write the private key to this new file, which only you may read')
    .addHelpText('after', '\nExample:\n  groundwork backup keygen --out backup-key.txt')
    .action(async ({ out }: { readonly out?: string }) => {
      const keys = await newBackupKeys();
      if (out === undefined) return terminal().result(keys, () => identityFile(keys));
      await writeFile(out, identityFile(keys), { flag: 'wx', mode: 0o600 });
      terminal().result({ recipient: keys.recipient }, () => keys.recipient);
    });
}
