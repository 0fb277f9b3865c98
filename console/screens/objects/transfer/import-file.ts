import { ApiProblem } from '../../../core/api.ts';
import type { ClassReference, ObjectColumn } from '../object-data.ts';
import { checkedObjects, checkFile, type FileCheck } from './check-objects.ts';
import { csvLine } from './formats.ts';
import {
  type FilePreview,
  fileProblem,
  isCsv,
  type Mapping,
  type ReadObject,
  readCsv,
  readLines,
  readParts,
  readPreview,
  type TextForm,
} from './read-file.ts';
import { type ImportReport, isLeftOut, sendObjects } from './send-objects.ts';
import { saveText } from './sink.ts';

/** A file, how it is read, and where its columns go. */
export interface ImportSource {
  readonly file: File | undefined;
  readonly form: TextForm;
  /** Undefined until it is read. */
  readonly preview: FilePreview | undefined;
  readonly mapping: Mapping;
}

interface Reading {
  readonly source: ImportSource;
  /** All of the class. */
  readonly columns: readonly ObjectColumn[];
  /** Those that can be written. */
  readonly fields: readonly ObjectColumn[];
  readonly signal: AbortSignal;
  /** Gets the bytes that were read so far. */
  readonly onRead: (bytes: number) => void;
  /** Of an attempt before: only what it left out is read. */
  readonly before?: ImportReport | undefined;
}

/** Checks all rows of a file. */
export function checkSource(reading: Reading): Promise<FileCheck> {
  return checkFile(
    openObjects(reading, () => true),
    reading.signal,
  );
}

/** Creates objects from a file; says in which fields times without a zone were read as UTC. */
export async function writeFile(
  ofClass: ClassReference,
  reading: Reading,
  onReport: (report: ImportReport) => void,
): Promise<ImportReport & { readonly assumed: readonly string[] }> {
  const assumed = new Set<string>();
  const { signal, before } = reading;
  const isWanted = (row: number) => before === undefined || isLeftOut(before, row);
  const objects = openObjects(reading, isWanted, (field) => void assumed.add(field));
  const report = await sendObjects(ofClass, { objects, signal, before }, onReport);
  return { ...report, assumed: [...assumed] };
}

/** Writes the rows that were not imported into a file that the user chooses. */
export async function saveLeftOut(reading: Reading, report: ImportReport): Promise<void> {
  const { file, preview } = fileOf(reading.source);
  const objects = openObjects(reading, (row) => isLeftOut(report, row));
  const parts = async function* () {
    if (isCsv(file)) yield `\uFEFF${csvLine(preview.names)}`; // for spreadsheets
    for await (const { source } of objects) yield source();
  };
  await saveText(`not-imported-${file.name}`, parts(), reading.signal);
}

/**
 * Checks a file that was chosen again.
 *
 * @throws ApiProblem when its rows are not where they were: some would be imported twice, others never
 */
export async function checkSame(reading: Reading, { last }: ImportReport): Promise<void> {
  const { file, preview } = fileOf(reading.source);
  const { names } = await readPreview(file, reading.source.form);
  if (String(names) !== String(preview.names)) throw otherFile('its columns differ');
  if (last === undefined) return;
  for await (const { source } of openObjects(reading, (row) => row === last.row)) {
    if (source().trimEnd() === last.source().trimEnd()) return;
    break;
  }
  throw otherFile(`its row ${last.row} differs`);
}

function otherFile(difference: string): ApiProblem {
  return new ApiProblem(0, `This is another file: ${difference}.`);
}

function fileOf({ file, preview }: ImportSource) {
  if (file !== undefined && preview !== undefined) return { file, preview };
  throw new ApiProblem(0, 'The file is not read yet. Choose it again.');
}

async function* openObjects(
  { source, columns, fields, onRead }: Reading,
  isWanted: (row: number) => boolean,
  onUtcAssumed: (field: string) => void = () => undefined,
): AsyncGenerator<ReadObject> {
  const { file } = fileOf(source);
  const { form, mapping } = source;
  const parts = readParts(file, { ...form, isCsv: isCsv(file), onRead });
  const csv = { ...form, mapping, columns: fields, onUtcAssumed };
  const objects = isCsv(file) ? readCsv(parts, csv) : readLines(parts);
  try {
    yield* checkedObjects(objects, columns, isWanted);
  } catch (error) {
    throw fileProblem(error);
  }
}
