import { type AddCommand, withInstance } from '../command.ts';
import { readTypesPath } from '../project/files/project.ts';
import { openNamed } from '../project-files.ts';
import { projectFolder } from '../project-folder.ts';
import { type ConnectionOptions, connectInstance } from '../settings.ts';
import type { Terminal } from '../terminal.ts';
import { readInstanceSchema } from '../types/instance-schema.ts';
import { typescriptFile } from '../types/typescript-file.ts';
import { saveTypes } from '../types/write-types.ts';

interface TypesOptions extends ConnectionOptions {
  readonly out?: string;
}

/** Adds `types`: writes a typed client of the instance. */
export const addTypes: AddCommand = (program, terminal) => {
  withInstance(program.command('types'))
    .description('generate a TypeScript client with the types of the instance')
    .option(
      '--out <file>',
      'the file; if absent, that of `types` in groundwork.yml, or standard output',
    )
    .addHelpText('after', '\nExample:\n  groundwork types --out src/groundwork.ts')
    .action((options: TypesOptions) => types(options, terminal()));
};

async function types({ out: file, ...options }: TypesOptions, out: Terminal): Promise<void> {
  const folder = projectFolder();
  const wanted = file === undefined ? readTypesPath(folder) : undefined;
  const schema = await readInstanceSchema(connectInstance(options, folder));
  const classes = schema.classes.map(({ name }) => name);
  const contents = `with ${classes.length} classes: ${classes.join(', ')}`;
  if (wanted !== undefined) {
    const written = saveTypes(folder, wanted, schema);
    return out.result({ file: written ?? null, classes }, () =>
      written === undefined ? 'All files are up to date.' : `Wrote ${written}, ${contents}`,
    );
  }
  const source = typescriptFile(schema);
  if (file === undefined) return out.result({ source }, () => source);
  const { files, path } = openNamed(file);
  files.write(path, source);
  out.result({ file, classes }, () => `Wrote ${file}, ${contents}`);
}
