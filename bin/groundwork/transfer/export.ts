import { isPrivateKey } from '../../../shared/values/files/file-addresses.ts';
import { below, checkPath } from '../../../shared/values/text/request-path.ts';
import { OperatorUsageError } from '../../operator/terminal.ts';
import { readProject } from '../project/files/project.ts';
import { pullProject } from '../project/files/pull.ts';
import { readInstance } from '../project/push/instance-state.ts';
import type { ProjectFiles } from '../project-files.ts';
import type { InstanceConnection } from '../settings.ts';
import type { ProgressBar, Terminal } from '../terminal.ts';
import { downloadFile, type TransferFile } from './files.ts';
import {
  type ExportManifest,
  kindOfPart,
  manifestFile,
  openExport,
  partFile,
  partsOf,
  readJsonFile,
  recordsPath,
  saveJsonFile,
} from './folder.ts';
import { highestRecordIds, type TransferRecord } from './record-ids.ts';
import { fetchSchema, readSchemaFile, type SchemaClass, writeSchema } from './schema.ts';

/** An export that runs. */
interface Export {
  readonly from: InstanceConnection;
  readonly files: ProjectFiles;
  readonly classes: readonly SchemaClass[];
  readonly bar: ProgressBar;
}

/**
 * Writes the data of an instance into a folder, page by page. What a killed export has written is used again.
 *
 * @throws UsageError for a folder with something else
 */
export async function exportInstance(
  from: InstanceConnection,
  folder: string,
  out: Terminal,
): Promise<ExportManifest> {
  const files = openExport(folder);
  let manifest = readJsonFile<ExportManifest>(files, manifestFile) ?? (await begin(from, files));
  checkSource(manifest, from, folder);
  const { classes } = readSchemaFile(files);
  const total = classes.reduce((sum, each) => sum + each.objects_count, 0);
  const bar = out.progress(`Exporting ${from.instance}`, total);
  const done = Object.values(manifest.counts).reduce((sum, each) => sum + each, 0);
  bar.advance(done);
  while (manifest.position !== undefined) {
    manifest = await exportPage({ from, files, classes, bar }, manifest);
    saveJsonFile(files, manifestFile, manifest);
  }
  bar.end();
  return manifest;
}

/** Writes the schema and the project file, and returns the start of the export. */
async function begin(from: InstanceConnection, files: ProjectFiles): Promise<ExportManifest> {
  const schema = await fetchSchema(from);
  writeSchema(files, schema);
  const project = await readProject(files.folder);
  pullProject(project, (await readInstance(from, project.managed)).state);
  const classes = schema.classes.map(({ name }) => name);
  const position = startOf(from, 'groups');
  const { url, instance } = from;
  const highest = { objects: 0, users: 0, groups: 0 };
  return { format: 1, url, instance, classes, counts: {}, highest, position };
}

function checkSource(
  manifest: ExportManifest,
  { url, instance }: InstanceConnection,
  folder: string,
) {
  if (manifest.url === url && manifest.instance === instance) return;
  throw new OperatorUsageError(`${folder} is an export of ${manifest.instance} on ${manifest.url}`);
}

function startOf({ base }: InstanceConnection, part: string) {
  return { part, next: recordsPath(base, part), bytes: 0 };
}

/** Writes one page. Returns the manifest with the position of the next one. */
async function exportPage(running: Export, manifest: ExportManifest): Promise<ExportManifest> {
  const { from, files, classes, bar } = running;
  const { position, counts } = manifest;
  if (position === undefined) return manifest;
  const { part } = position;
  const { body } = await from.send({ path: checkPath(position.next) });
  const fetched: readonly TransferRecord[] = body.objects;
  const { name: className } = kindOfPart(part);
  const fields = classes.find(({ name }) => name === className)?.schema ?? [];
  const fileFields = fields.filter(({ type }) => type === 'file').map(({ name }) => name);
  const addressed = async (record: TransferRecord, name: string): Promise<TransferFile> => {
    const value = record[name] as TransferFile; // of a field with files
    if (!isPrivateKey(value.value)) return value;
    const path = below(from.base)`classes/${className ?? ''}/objects/${String(record.id)}/`;
    const { body: object } = await from.send({ path }); // its address is valid for some minutes
    return object[name] ?? value;
  };
  const records = await withFiles({ files, addressed }, fetched, fileFields);
  const text = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  // what a killed export wrote last is not complete
  files.appendAt(partFile(part), position.bytes, text, { mode: 0o600 });
  bar.advance(records.length);
  const bytes = position.bytes + Buffer.byteLength(text);
  return {
    ...manifest,
    counts: { ...counts, [part]: (counts[part] ?? 0) + records.length },
    highest: highestRecordIds(manifest.highest, { part, fields, records }),
    ...following(from, manifest, body.next === null ? undefined : { part, next: body.next, bytes }),
  };
}

/** Returns the position after a page, which is absent at the end of the last part. */
function following(
  from: InstanceConnection,
  { classes, position }: ExportManifest,
  inPart: ExportManifest['position'],
): { readonly position: ExportManifest['position'] } {
  if (inPart !== undefined) return { position: inPart };
  const parts = partsOf(classes);
  const next = parts[parts.indexOf(position?.part ?? '') + 1];
  return { position: next === undefined ? undefined : startOf(from, next) };
}

const downloadsAtOnce = 4;

/** Downloads the files of records. Returns the records with their names in the folder. */
async function withFiles(
  {
    files,
    addressed,
  }: {
    readonly files: ProjectFiles;
    readonly addressed: (record: TransferRecord, name: string) => Promise<TransferFile>;
  },
  records: readonly TransferRecord[],
  fields: readonly string[],
): Promise<readonly TransferRecord[]> {
  if (fields.length === 0) return records;
  const changed = records.map((record) => ({ ...record }));
  const all = changed.flatMap((record) =>
    fields.flatMap((name) => (record[name] ? [{ record, name }] : [])),
  );
  for (let at = 0; at < all.length; at += downloadsAtOnce) {
    const some = all.slice(at, at + downloadsAtOnce).map(async ({ record, name }) => {
      record[name] = await downloadFile(files, await addressed(record, name));
    });
    await Promise.all(some);
  }
  return changed;
}
