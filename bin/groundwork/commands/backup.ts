import { backUp } from '../../../shared/platforms/local/backup/backup.ts';
import { restoreDataFolder } from '../../../shared/platforms/local/backup/restore.ts';
import type { AddCommand } from '../command.ts';

const dataOption = ['--data <folder>', 'the data folder of the server', '.groundwork'] as const;

interface DataOptions {
  readonly data: string;
}

/** Adds `backup`: copies the data of a local server, which may be running. */
export const addBackup: AddCommand = (program, terminal) => {
  program
    .command('backup')
    .description('back up the data folder of a local server, also while it runs')
    .argument('<folder>', 'the folder of the backup, which must not exist')
    .option(...dataOption)
    .addHelpText('after', '\nExample:\n  groundwork backup backups/2026-01-31')
    .action(async (folder: string, { data }: DataOptions) => {
      const { items, files } = await backUp(data, folder);
      terminal().result({ folder, items, files }, () =>
        [
          `Backed up ${data} to ${folder}: ${items} items, ${files} files.`,
          'It contains all keys: keep it as private as the data folder.',
        ].join('\n'),
      );
    });
};

/** Adds `restore`: makes a data folder of a backup. */
export const addRestore: AddCommand = (program, terminal) => {
  program
    .command('restore')
    .description('restore a backup into a new data folder, with a new version of its master secret')
    .argument('<backup>', 'the folder of the backup')
    .option(...dataOption)
    .addHelpText('after', '\nExample:\n  groundwork restore backups/2026-01-31 --data .groundwork')
    .action(async (backup: string, { data }: DataOptions) => {
      const version = await restoreDataFolder(backup, data);
      terminal().result({ data, version }, () =>
        [
          `Restored ${backup} into ${data}; new keys use version ${version} of the master secret.`,
          'Keys that were revoked after the backup work again: see docs/guides/restoring.md.',
        ].join('\n'),
      );
    });
};
