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
  /** Rows that are read; absent: all. */
  readonly isWanted?: ((row: number) => boolean) | undefined;
}

const isAny = () => true;

/** Checks all rows of a file. */
export function checkSource(reading: Reading): Promise<FileCheck> {
  return checkFile(openObjects(reading), reading.signal);
}

/** Creates objects from a file; says in which fields times without a zone were read as UTC. */
export async function writeFile(
  ofClass: ClassReference,
  reading: Reading,
  onReport: (report: ImportReport) => void,
): Promise<ImportReport & { readonly assumed: readonly string[] }> {
  const assumed = new Set<string>();
  const objects = openObjects(reading, (field) => void assumed.add(field));
  const { signal, isWanted = isAny } = reading;
  const report = await sendObjects(ofClass, { objects, signal, isWanted }, onReport);
  return { ...report, assumed: [...assumed] };
}

/** Writes the rows that were not imported into a file that the user chooses. */
export async function saveLeftOut(reading: Reading, report: ImportReport): Promise<void> {
  const { file, preview } = fileOf(reading.source);
  const isWanted = (row: number) => isLeftOut(report, row);
  const objects = openObjects({ ...reading, isWanted });
  const parts = async function* () {
    if (isCsv(file)) yield `\uFEFF${csvLine(preview.names)}`; // for spreadsheets
    for await (const { source } of objects) yield source();
  };
  await saveText(`not-imported-${file.name}`, parts(), reading.signal);
}

function fileOf({ file, preview }: ImportSource) {
  if (file !== undefined && preview !== undefined) return { file, preview };
  throw new ApiProblem(0, 'The file is not read yet. Choose it again.');
}

async function* openObjects(
  { source, columns, fields, isWanted = isAny, onRead }: Reading,
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
