import { join } from 'node:path';
import { below } from '../../../shared/values/text/request-path.ts';
import { OperatorUsageError } from '../../operator/terminal.ts';
import type { Project } from '../project/files/project.ts';
import { type PushReport, pushProject } from '../project/push/push.ts';
import { openProjectFiles, type ProjectFiles } from '../project-files.ts';
import type { InstanceConnection } from '../settings.ts';
import { countOf, type ProgressBar, type Terminal } from '../terminal.ts';
import {
  addToDigest,
  alreadyThere,
  type ImportedCount,
  readState,
  type StateFile,
} from './continue.ts';
import { type TransferFile, uploadFile } from './files.ts';
import {
  type ExportedIds,
  type ExportManifest,
  importStateName,
  kindOfPart,
  manifestFile,
  partFile,
  partsOf,
  readJsonFile,
  recordsPath,
  saveJsonFile,
} from './folder.ts';
import {
  checkState,
  digestUpTo,
  findOrigin,
  type ImportState,
  idThere,
  isMerged,
  isOfAnother,
  mergeNamed,
  writtenPart,
} from './import-state.ts';
import { linePages } from './lines.ts';
import { mapIds, type PartRecords, type TransferRecord } from './record-ids.ts';
import { applySchema, fetchSchema, readSchemaFile, type Schema } from './schema.ts';
import { BadPage, sendPage } from './send-page.ts';

interface Import {
  readonly to: InstanceConnection;
  readonly files: ProjectFiles;
  readonly schema: Schema;
  readonly bar: ProgressBar;
  readonly save: (state: ImportState) => void;
}

/** The folder of an export. */
interface Export {
  readonly folder: string;
  /** The project in it, where it is wanted. */
  readonly project: Project | undefined;
  /** Whether the user wants to forget what an earlier run has written. */
  readonly isAgain: boolean;
}

/** The outcome of an import. */
interface Imported extends ImportedCount {
  /** What is added to ids; absent: they stay. */
  readonly shift: ExportedIds | undefined;
  /** Absent without a project, and where the instance had records. */
  readonly pushed?: PushReport;
}

/**
 * Writes the data of an export into an instance, page by page. What a killed import has written is not written again.
 * Ids stay in an empty instance, and its project is pushed at the end, so that no trigger or schedule runs before; in
 * another instance each id is raised above those that exist, and records that exist stay as they are.
 *
 * @throws UsageError for a folder without a complete export, one of a newer version, or one that is imported already
 */
export async function importFolder(
  to: InstanceConnection,
  { folder, project, isAgain }: Export,
  out: Terminal,
): Promise<Imported> {
  const files = openProjectFiles(folder);
  const manifest = readExportManifest(folder);
  const statePath = importStateName(to);
  const save = (state: ImportState) => saveJsonFile(files, statePath, state);
  const stateFile = { files, path: statePath, isAgain };
  const known = await knownState(to, { stateFile, manifest, project }, out);
  const begun = known ?? (await begin(to, manifest));
  save(begun);
  const state = await importRecords(
    { to, files, save },
    { begun, isNew: begun !== known, manifest },
    out,
  );
  const ids = state.shift === undefined ? 'with their ids' : 'with new ids';
  const created = state.created - begun.created;
  const unchanged = state.unchanged + begun.created;
  const there = alreadyThere(unchanged);
  out.say(`Imported ${countOf(created, 'record')} into ${to.instance}, ${ids}${there}`);
  const imported = { created, unchanged, shift: state.shift };
  if (isComplete(state, project) || project === undefined) return imported;
  const pushed = await pushProject(to, project, { options: {}, out });
  save({ ...state, isPushed: true });
  return { ...imported, pushed };
}

/**
 * Reads what the export in a folder has.
 *
 * @throws UsageError for a folder without a complete export, and for one of a newer version
 */
export function readExportManifest(folder: string): ExportManifest {
  const manifest = readJsonFile<ExportManifest>(openProjectFiles(folder), manifestFile);
  if (manifest === undefined) throw new OperatorUsageError(`there is no export in ${folder}`);
  if (manifest.format > 1) {
    throw new OperatorUsageError(`the export in ${folder} is of a newer version of groundwork`);
  }
  if (manifest.position === undefined) return manifest;
  throw new OperatorUsageError(
    `the export in ${folder} is not complete: run groundwork export again`,
  );
}

interface KnownCall extends Pick<Export, 'project'> {
  readonly stateFile: StateFile;
  readonly manifest: ExportManifest;
}

/**
 * Returns the state of an earlier run; undefined without one, and where it was into another instance of the name.
 *
 * @throws UsageError when nothing is left to do, or it cannot continue
 */
async function knownState(
  to: InstanceConnection,
  { stateFile, manifest, project }: KnownCall,
  out: Terminal,
): Promise<ImportState | undefined> {
  const known = readState<ImportState>(stateFile);
  if (known === undefined) return undefined;
  const origin = await findOrigin(to, manifest);
  if (isOfAnother(known, origin)) {
    out.say(`The instance ${to.instance} was created again: the import starts again.`);
    return undefined;
  }
  if (isComplete(known, project)) {
    const state = join(stateFile.files.folder, stateFile.path);
    throw new OperatorUsageError(
      `this export is already in ${to.instance}: give --again, or remove ${state}, to import it again`,
    );
  }
  if (known.position !== undefined) {
    await checkState(to, known, { stateFile, manifest: origin.manifest });
  }
  return known;
}

/** Checks whether nothing is left to do: no record, and no project, which only an empty instance gets. */
function isComplete({ position, shift, isPushed }: ImportState, project: Project | undefined) {
  return (
    position === undefined && (project === undefined || shift !== undefined || isPushed === true)
  );
}

interface Begun {
  readonly begun: ImportState;
  readonly isNew: boolean;
  readonly manifest: ExportManifest;
}

/** Writes the records that are left. */
async function importRecords(
  destination: Pick<Import, 'to' | 'files' | 'save'>,
  { begun, isNew, manifest }: Begun,
  out: Terminal,
): Promise<ImportState> {
  const { to, files, save } = destination;
  if (begun.position === undefined) return begun;
  let state = begun;
  const total = Object.values(manifest.counts).reduce((sum, each) => sum + each, 0);
  const bar = out.progress(`Importing into ${to.instance}`, total);
  bar.advance(state.created + state.unchanged);
  const running: Import = { ...destination, schema: readSchemaFile(files), bar };
  const parts = partsOf(manifest.classes);
  for (const part of parts.slice(parts.indexOf(begun.position.part))) {
    if (part === 'users' || (state === begun && !isNew)) await createSchema(running, state);
    state = await importPart(running, state, part);
    const next = parts[parts.indexOf(part) + 1];
    state = { ...state, position: next === undefined ? undefined : { part: next, start: 0 } };
    save(state);
  }
  bar.end();
  return state;
}

/** Returns the start of an import. Where there are records, ids for those of the export are reserved. */
async function begin(to: InstanceConnection, manifest: ExportManifest): Promise<ImportState> {
  const { highest } = manifest;
  const origin = await findOrigin(to, manifest);
  const start = { created: 0, unchanged: 0, position: { part: 'groups', start: 0 }, origin };
  if (await isEmpty(to)) return start;
  const shift = {
    groups: await reserve(to, 'groups', highest.groups),
    users: await reserve(to, 'users', highest.users),
    objects: await reserve(to, 'objects', highest.objects),
  };
  return { ...start, shift };
}

async function isEmpty(to: InstanceConnection): Promise<boolean> {
  const { classes } = await fetchSchema(to);
  for (const part of partsOf(classes.map(({ name }) => name))) {
    const path = recordsPath(to.base, part, 1);
    if ((await to.send({ path })).body.objects.length > 0) return false;
  }
  return true;
}

/** Reserves ids from 1 to `highest`. Returns what is to be added to each. */
async function reserve(
  { send, base }: InstanceConnection,
  kind: keyof ExportedIds,
  highest: number,
): Promise<number> {
  if (highest === 0) return 0;
  // no class is needed to reserve ids of objects, which are those of all classes
  const body = { kind, class: 'user_profile', reserve: highest };
  return (await send({ path: below(base)`import/`, body })).body.first - 1;
}

function createSchema({ to, schema }: Import, state: ImportState): Promise<void> {
  const map = (group: number | null) => group && idThere(state, 'groups', group);
  return applySchema(to, schema, map);
}

async function importPart(running: Import, from: ImportState, part: string): Promise<ImportState> {
  const { files, schema, bar, save } = running;
  const path = partFile(part);
  if (!files.has(path)) return from;
  const start = from.position?.part === part ? from.position.start : 0;
  const { name } = kindOfPart(part);
  const fields = schema.classes.find((each) => each.name === name)?.schema ?? [];
  const digest = await digestUpTo(files, part, start);
  let state = from;
  const lines = { fd: files.open(path), name: path };
  for await (const { records, texts, end } of linePages<TransferRecord>(lines, start)) {
    state = await importPage(running, state, { part, fields, records });
    for (const text of texts) addToDigest(digest, text);
    const written = writtenPart(state, { part, records }, { digest, end });
    const parts = { ...state.parts, [part]: written };
    state = { ...state, position: { part, start: end }, parts };
    bar.advance(records.length);
    save(state);
  }
  return state;
}

async function importPage(
  running: Import,
  state: ImportState,
  page: PartRecords,
): Promise<ImportState> {
  const { to, files } = running;
  const { part, fields } = page;
  const kept = page.records.filter((record) => !isMerged(state, part, record));
  const there = (kind: keyof ExportedIds, id: number) => idThere(state, kind, id);
  const mapped = state.shift ? kept.map((record) => mapIds(page, record, there)) : kept;
  const records = await withUploads(running, { part, fields, records: mapped });
  try {
    const sourceOf = (at: number) => `${join(files.folder, partFile(part))}, id ${kept[at]?.id}`;
    const sent = await sendPage(to, { ...kindOfPart(part), sourceOf }, records);
    const left = page.records.length - kept.length;
    const unchanged = state.unchanged + sent.unchanged + left;
    return { ...state, created: state.created + sent.created, unchanged };
  } catch (error) {
    if (!(error instanceof BadPage)) throw error;
    const merged = await mergeNamed(to, state, { bad: error.bad, part, records: kept });
    if (merged === undefined) throw error;
    return importPage(running, merged, page);
  }
}

/** Uploads the files of records. Returns the records with the names of the uploads. */
async function withUploads(
  { to, files }: Import,
  { part, fields, records }: PartRecords,
): Promise<readonly TransferRecord[]> {
  const names = fields.filter(({ type }) => type === 'file').map((field) => field.name);
  if (names.length === 0) return records;
  const { name } = kindOfPart(part);
  const changed = records.map((record): Record<string, unknown> => ({ ...record }));
  for (const record of changed) {
    for (const field of names) {
      const value = record[field] as TransferFile | null | undefined; // as exported
      if (value) record[field] = await uploadFile(to, { files, name }, value);
    }
  }
  return changed;
}
