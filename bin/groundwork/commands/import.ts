import { existsSync, statSync } from 'node:fs';
import { isDelimiter } from '../../../shared/values/csv/csv-table.ts';
import { decoderOf } from '../../../shared/values/text/decode-text.ts';
import { OperatorUsageError } from '../../operator/terminal.ts';
import { createIfMissing } from '../account/create-instance.ts';
import { type AddCommand, withInstance } from '../command.ts';
import { currentProject, projectFile } from '../project/files/project.ts';
import { checkNamed, openNamed, openProjectFiles } from '../project-files.ts';
import { projectFolder } from '../project-folder.ts';
import { type ConnectionOptions, connectInstance, type InstanceConnection } from '../settings.ts';
import { countOf, type Terminal } from '../terminal.ts';
import { importCollections } from '../transfer/collections.ts';
import { alreadyThere } from '../transfer/continue.ts';
import { formats } from '../transfer/convert.ts';
import { openCsvObjects } from '../transfer/csv.ts';
import { importForeignObjects } from '../transfer/foreign.ts';
import { importFolder, readExportManifest } from '../transfer/import.ts';
import { fetchSchema } from '../transfer/schema.ts';

interface ImportOptions extends ConnectionOptions {
  readonly class?: string;
  readonly from?: string;
  readonly ignore?: string;
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly project: boolean;
  readonly again?: boolean;
  readonly create?: boolean;
  readonly strict?: boolean;
}

const examples = `
Examples:
  groundwork import backup --instance copies --create
  groundwork import books.csv --class book
  groundwork import books.txt --class book --delimiter tab --encoding windows-1252
  groundwork import collections --from parse`;

/** Adds `import`: writes data into an instance. */
export const addImport: AddCommand = (program, terminal) => {
  withInstance(program.command('import'))
    .description('import an export, or data of another system; run it again to continue')
    .argument('<source>', 'the folder of an export, a CSV file, or a folder of JSON collections')
    .option('--class <name>', 'the class of the objects of a CSV file')
    .option('--delimiter <character>', 'the separator of a CSV file, or "tab"; detected if absent')
    .option('--encoding <name>', 'the encoding of a CSV file or of collections; UTF-8 if absent')
    .option('--from <format>', `the system that has exported JSON: ${formats.join(' or ')}`)
    .option('--ignore <names>', 'fields of JSON collections to leave out, separated by commas')
    .option('--strict', 'fail if JSON collections have values that cannot be imported')
    .option(
      '--no-project',
      'import only data, not the scripts, triggers and schedules of an export',
    )
    .option('--create', 'create the instance if it does not exist; for the folder of an export')
    .option('--again', 'start from the beginning, even if an earlier import has progressed')
    .addHelpText('after', examples)
    .action(async (source: string, options: ImportOptions) => {
      checkEncoding(options);
      if (!existsSync(source)) throw new OperatorUsageError(`there is no ${source}`);
      checkNamed(source);
      const out = terminal();
      const isExport = options.from === undefined && statSync(source).isDirectory();
      const to = connectInstance(options, projectFolder(), isExport ? '--create' : undefined);
      if (options.create && !isExport) {
        throw new OperatorUsageError(
          '--create is for the folder of an export: a new instance has no class for other data',
        );
      }
      if (options.from !== undefined) return fromCollections(to, { source, options, out });
      if (isExport) return fromExport(to, { source, options, out });
      return fromCsv(to, { source, options, out });
    });
};

function checkEncoding({ encoding }: ImportOptions): void {
  if (decoderOf(encoding) !== undefined) return;
  throw new OperatorUsageError(`--encoding: there is no encoding ${encoding}`);
}

interface Source {
  readonly source: string;
  readonly options: ImportOptions;
  readonly out: Terminal;
}

async function fromExport(to: InstanceConnection, { source, options, out }: Source) {
  const { delimiter, encoding } = options;
  if (delimiter !== undefined || encoding !== undefined) {
    throw new OperatorUsageError('--delimiter and --encoding are for files of other systems');
  }
  const hasProject = options.project && openProjectFiles(source).has(projectFile);
  const project = hasProject ? await currentProject(source, out) : undefined;
  const isAgain = options.again === true;
  readExportManifest(source); // before an instance is created for it
  const isNew = options.create === true && (await createIfMissing(to));
  if (isNew) out.say(`Created the instance ${to.instance} on ${to.url}.`);
  const imported = await importFolder(to, { folder: source, project, isAgain }, out);
  const { created, unchanged, shift = null, pushed } = imported;
  const { instance } = to;
  if (out.isJson)
    out.result(
      { instance, instance_created: isNew, created, unchanged, shift, pushed: pushed ?? null },
      () => '',
    );
}

async function fromCollections(to: InstanceConnection, { source, options, out }: Source) {
  const format = formats.find((each) => each === options.from);
  if (format === undefined) throw new OperatorUsageError(`--from is ${formats.join(' or ')}`);
  if (!statSync(source).isDirectory()) throw new OperatorUsageError(`${source} is not a folder`);
  const ignored = options.ignore?.split(',') ?? [];
  const { encoding } = options;
  const [isStrict, isAgain] = [options.strict === true, options.again === true];
  const collections = { format, folder: source, ignored, encoding, isStrict, isAgain };
  const { created, unchanged, leftOut, inUtc } = await importCollections(to, collections, out);
  warnOfUtc(out, inUtc);
  out.result({ instance: to.instance, created, unchanged, left_out: leftOut }, () => {
    return `Imported ${countOf(created, 'record')} into ${to.instance}${alreadyThere(unchanged)}`;
  });
}

async function fromCsv(to: InstanceConnection, { source, options, out }: Source) {
  if (options.class === undefined)
    throw new OperatorUsageError('give --class, the class of the objects');
  const name = options.class.toLowerCase();
  const { classes } = await fetchSchema(to);
  const schema = classes.find((each) => each.name === name)?.schema;
  if (schema === undefined)
    throw new OperatorUsageError(`there is no class ${name} in ${to.instance}`);
  const file = openNamed(source);
  const { encoding } = options;
  const inUtc = new Set<string>();
  const onUtcAssumed = (field: string) => {
    inUtc.add(field);
  };
  const format = { delimiter: delimiterOf(options), encoding };
  const objects = await openCsvObjects(file, { schema, ...format, onUtcAssumed });
  const bar = out.progress(`Importing into ${name}`, 100);
  const csv = { file, name, objects, isAgain: options.again === true };
  const count = await importForeignObjects(to, csv, { say: out.say, bar });
  bar.end();
  warnOfUtc(out, [...inUtc]);
  const { created, unchanged } = count;
  out.result({ instance: to.instance, created, unchanged }, () => {
    return `Imported ${countOf(created, 'object')} into ${name}${alreadyThere(unchanged)}`;
  });
}

function warnOfUtc(out: Terminal, fields: readonly string[]): void {
  if (fields.length > 0) out.warn(`Times without a zone were read as UTC: ${fields.join(', ')}.`);
}

function delimiterOf({ delimiter }: ImportOptions): string | undefined {
  if (delimiter === undefined) return undefined;
  const character = /^(tab|\\t)$/.test(delimiter) ? '\t' : delimiter;
  if (isDelimiter(character)) return character;
  throw new OperatorUsageError('--delimiter is one character, or tab');
}
