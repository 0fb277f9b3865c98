import { type AddCommand, withInstance } from '../command.ts';
import { checkNamed } from '../project-files.ts';
import { type ConnectionOptions, connectInstance } from '../settings.ts';
import { countOf } from '../terminal.ts';
import { exportInstance } from '../transfer/export.ts';

/** Adds `export`: writes the data of an instance into a folder. */
export const addExport: AddCommand = (program, terminal) => {
  withInstance(program.command('export'))
    .description('export the data of an instance into a folder; run it again to continue')
    .argument('<folder>', 'the folder; created if it does not exist')
    .addHelpText('after', '\nExample:\n  groundwork export backup --instance library')
    .action(async (folder: string, options: ConnectionOptions) => {
      const out = terminal();
      checkNamed(folder);
      const { counts } = await exportInstance(connectInstance(options), folder, out);
      out.result({ folder, counts }, () => {
        const records = Object.values(counts).reduce((sum, each) => sum + each, 0);
        return `Exported ${countOf(records, 'record')} to ${folder}. It contains hashes of passwords: keep it safe.`;
      });
    });
};
