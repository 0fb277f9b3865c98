import { type AddCommand, withInstance } from '../command.ts';
import { connectInstance, type ServerOptions } from '../settings.ts';
import { importFolder } from '../transfer/import.ts';

/** Adds `import`: writes the data of an export into an instance. */
export const addImport: AddCommand = (program, terminal) => {
  withInstance(program.command('import'))
    .description('write the data of an export into an instance; run it again to continue')
    .argument('<folder>', 'the folder of the export')
    .addHelpText('after', '\nExample:\n  groundwork import backup --instance copy')
    .action(async (folder: string, options: ServerOptions) => {
      const out = terminal();
      const to = connectInstance(options);
      const { created, unchanged, shift } = await importFolder(to, folder, out);
      out.result({ instance: to.instance, created, unchanged, shift: shift ?? null }, () => {
        const ids = shift === undefined ? 'with their ids' : 'with new ids';
        return `Imported ${created + unchanged} records into ${to.instance}, ${ids}.`;
      });
    });
};
