import { fieldReaders } from '../../../../shared/classes/rules/field-readers.ts';
import { CsvError } from '../../../../shared/values/csv/csv-records.ts';
import { type CsvTable, openCsv } from '../../../../shared/values/csv/csv-table.ts';
import { messages } from '../../../../shared/values/errors/messages.ts';
import { writeExactJson } from '../../../../shared/values/json/exact-number.ts';
import { readDatetimeText } from '../../../../shared/values/text/datetime-text.ts';
import { NotText, openTextReader } from '../../../../shared/values/text/text-reader.ts';
import { ApiProblem } from '../../../core/api.ts';
import { parseObject } from '../../../core/json-text.ts';
import { changedFile, toApiProblem } from '../../../core/load.ts';
import type { ObjectColumn } from '../object-data.ts';
import { csvLine } from './formats.ts';

/** An object that was read from a file, or why it cannot be read. */
export type ReadObject = {
  /** Number of its row in a spreadsheet, or of its line, from 1 on. */
  readonly row: number;
  /** Returns the row with its line break. */
  readonly source: () => string;
} & ({ readonly values: Readonly<Record<string, unknown>> } | { readonly problem: ApiProblem });

/** Fields by the column of the file that they are read from; empty: left out. */
export type Mapping = Readonly<Record<string, string>>;

const headSize = 262_144; // bytes
const shownRows = 5;
const maxShown = 40; // characters of a value
const maxLineLength = 4_000_000; // characters; no object is as long

/** How bytes become cells. */
export interface TextForm {
  /** Of the WHATWG's list. */
  readonly encoding: string;
  /** What separates the cells of CSV; undefined: it is found. */
  readonly delimiter: string | undefined;
}

/** How a file is read. */
export interface ReadOptions extends Pick<TextForm, 'encoding'> {
  /** Whether UTF-16 is found by its mark, as spreadsheets write it. */
  readonly isCsv: boolean;
  /** Gets the bytes that were read so far. */
  readonly onRead?: (bytes: number) => void;
}

/** The start of a file. */
export interface FilePreview {
  /** Of the columns, or of what the first objects have. */
  readonly names: readonly string[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** Rows of the file; of a large one, an estimate. */
  readonly count: number;
  readonly isEstimate: boolean;
}

/** Checks whether a file is CSV; others have JSON lines. */
export function isCsv(file: File): boolean {
  return file.name.toLowerCase().endsWith('.csv');
}

/**
 * Reads the start of a file.
 *
 * @throws ApiProblem for a file without rows, and for CSV without names of columns, or with one twice
 */
export async function readPreview(file: File, form: TextForm): Promise<FilePreview> {
  if (file.size === 0) throw noRows();
  const isEstimate = file.size > headSize;
  const parts = readParts(file.slice(0, headSize), { ...form, isCsv: isCsv(file) });
  try {
    const table = isCsv(file) ? await openCsv(parts, form.delimiter) : undefined;
    const records = table === undefined ? jsonRecords(parts) : csvRecords(table);
    const { rows, count } = await collect(records, isEstimate);
    if (count === 0 && !isEstimate) throw noRows();
    return {
      names: table?.names ?? [...new Set(rows.flatMap(Object.keys))],
      rows,
      count: isEstimate ? Math.round((count * file.size) / headSize) : count,
      isEstimate,
    };
  } catch (error) {
    throw fileProblem(error);
  }
}

function noRows(): ApiProblem {
  return new ApiProblem(0, 'The file has no rows.');
}

type PreviewRow = FilePreview['rows'][number];

async function* csvRecords({ names, rows }: CsvTable): AsyncGenerator<PreviewRow | undefined> {
  for await (const { cells, problem } of rows) {
    const entries = names.map((name, at) => [name, cells[at]] as const);
    yield problem === undefined ? Object.fromEntries(entries) : undefined;
  }
}

async function* jsonRecords(parts: AsyncIterable<string>): AsyncGenerator<PreviewRow | undefined> {
  for await (const object of readLines(parts)) yield 'values' in object ? object.values : undefined;
}

/** Counts records, and keeps the first. `isCut`: the last one may be incomplete. */
async function collect(records: AsyncGenerator<PreviewRow | undefined>, isCut: boolean) {
  const rows: PreviewRow[] = [];
  let count = 0;
  try {
    for await (const record of records) {
      count += 1;
      if (record !== undefined && rows.length < shownRows) rows.push(record);
    }
  } catch (error) {
    if (!isCut) throw error;
  }
  return { rows, count };
}

/** Returns why a value is not one of a field; undefined when it is one, or only the server knows. */
export function valueProblem(column: ObjectColumn, value: unknown): string | undefined {
  const reading = readValue(column, value);
  if (reading === undefined || reading.ok) return undefined;
  return reading.messages.map((each) => inWords(each, value)).join(' ');
}

/** Returns a text that only equal values of a field have; undefined when nothing is stored, or only the server knows. */
export function valueKey(column: ObjectColumn, value: unknown): string | undefined {
  const reading = readValue(column, value);
  return reading?.ok && reading.value !== null ? writeExactJson(reading.value) : undefined;
}

function readValue({ type }: ObjectColumn, value: unknown) {
  if (value === '' || value === null || value === undefined || type === 'file') return undefined;
  const given = type === 'datetime' ? (readTime(value)?.value ?? value) : value;
  return fieldReaders[type](given, { isUpdate: false, value: undefined });
}

const words: Readonly<Record<string, string>> = {
  [messages.notInteger]: 'is not a whole number',
  [messages.notNumber]: 'is not a number',
  [messages.notBoolean]: 'is neither true nor false',
  [messages.notDatetime]: 'is not a date and time',
  [messages.unique]: 'is the value of another object',
};

/** Returns a message about a value with the value: `'abc' is not a number`. */
export function inWords(message: string, value: unknown): string {
  const known = words[message];
  return known === undefined ? message : `${quoted(value)} ${known}`;
}

/** Returns the start of a value in quotes. */
export function quoted(value: unknown): string {
  const text = typeof value === 'string' ? value : writeExactJson(value);
  return `'${text.length > maxShown ? `${text.slice(0, maxShown)}…` : text}'`;
}

function readTime(value: unknown) {
  return typeof value === 'string' ? readDatetimeText(value) : undefined;
}

/** Reads a file as text, in parts as the stream has them; the next part is read when it is asked for. */
export async function* readParts(
  file: Blob,
  { encoding, isCsv, onRead }: ReadOptions,
): AsyncGenerator<string> {
  const given = encoding === 'utf-8' ? undefined : encoding;
  const text = openTextReader({ encoding: given, isUtf16Found: isCsv });
  const reader = file.stream().getReader();
  const read = () =>
    reader.read().catch(() => {
      throw changedFile(); // browsers throw different errors
    });
  let bytes = 0;
  try {
    for (let part = await read(); !part.done; part = await read()) {
      bytes += part.value.byteLength;
      onRead?.(bytes);
      yield text.add(part.value);
    }
    if (bytes !== file.size) throw changedFile(); // Chromium ends the stream of a file that has become shorter
    yield text.end();
  } finally {
    await reader.cancel();
  }
}

/** Reads the objects of a JSON lines file. */
export async function* readLines(parts: AsyncIterable<string>): AsyncGenerator<ReadObject> {
  let row = 0;
  for await (const lines of linesOf(parts)) {
    for (const text of lines) {
      row += 1;
      if (text.trim() !== '') yield toObject(row, text);
    }
  }
}

/** What becomes of the columns of a CSV file. */
interface CsvOptions extends Pick<TextForm, 'delimiter'> {
  readonly mapping: Mapping;
  readonly columns: readonly ObjectColumn[];
  /** Gets the name of each field with a time that names no zone. */
  readonly onUtcAssumed: (field: string) => void;
}

/** Reads the objects of a CSV file, whose first line names the columns. */
export async function* readCsv(
  parts: AsyncIterable<string>,
  { mapping, columns, delimiter, onUtcAssumed }: CsvOptions,
): AsyncGenerator<ReadObject> {
  const { names, rows } = await openCsv(parts, delimiter);
  const fields = names.map((name) => {
    const field = mapping[name] ?? '';
    return { field, type: columns.find((each) => each.name === field)?.type };
  });
  for await (const { row, cells, problem } of rows) {
    const source = () => csvLine(cells);
    if (problem !== undefined) {
      yield { row, source, problem: new ApiProblem(0, problem) };
      continue;
    }
    const given = fields.flatMap(({ field, type }, at) => {
      const cell = cells[at] ?? '';
      if (field === '' || cell === '') return [];
      const time = type === 'datetime' ? readTime(cell) : undefined;
      if (time?.isUtcAssumed) onUtcAssumed(field);
      return [[field, time?.value ?? cell] as const]; // the server refuses any other text
    });
    yield { row, source, values: Object.fromEntries(given) };
  }
}

/** Returns what is thrown where a file is read as a problem that says what is wrong with the file. */
export function fileProblem(error: unknown): ApiProblem {
  if (error instanceof CsvError) return new ApiProblem(0, `This is not CSV: ${error.message}.`);
  if (error instanceof NotText) return new ApiProblem(0, `Choose the encoding: ${error.message}.`);
  return toApiProblem(error);
}

function toObject(row: number, text: string): ReadObject {
  const source = () => `${text}\n`;
  try {
    return { row, source, values: { ...parseObject(text) } };
  } catch (error) {
    return { row, source, problem: toApiProblem(error) };
  }
}

/**
 * Splits parts of a text into lines; the incomplete one at the end of a part waits for the next part.
 *
 * @throws ApiProblem when a line is so long that it would fill the memory
 */
async function* linesOf(parts: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let rest = '';
  let count = 0;
  for await (const part of parts) {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    count += lines.length;
    yield lines;
    if (rest.length > maxLineLength) throw new ApiProblem(0, `Line ${count + 1} is too long.`);
  }
  if (rest !== '') yield [rest];
}
