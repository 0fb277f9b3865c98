import { type AddCommand, withInstance } from '../command.ts';
import { openNamed } from '../project-files.ts';
import { type ConnectionOptions, connectInstance } from '../settings.ts';
import { readInstanceSchema } from '../types/instance-schema.ts';
import { typescriptFile } from '../types/typescript-file.ts';

/** Adds `types`: writes a typed client of the instance. */
export const addTypes: AddCommand = (program, terminal) => {
  withInstance(program.command('types'))
    .description('write a TypeScript client with the types of the instance')
    .option('--out <file>', 'the file; printed otherwise')
    .addHelpText('after', '\nExample:\n  groundwork types --out src/groundwork.ts')
    .action(async ({ out, ...options }: ConnectionOptions & { readonly out?: string }) => {
      const schema = await readInstanceSchema(connectInstance(options));
      const source = typescriptFile(schema);
      if (out === undefined) return terminal().result({ source }, () => source);
      const { files, path } = openNamed(out);
      files.write(path, source);
      const classes = schema.classes.map(({ name }) => name);
      terminal().result(
        { file: out, classes },
        () => `Wrote ${out}, with ${classes.length} classes: ${classes.join(', ')}`,
      );
    });
};
