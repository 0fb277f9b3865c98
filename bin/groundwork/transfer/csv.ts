import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { CsvError } from '../../../shared/values/csv/csv-records.ts';
import { type CsvTable, openCsv } from '../../../shared/values/csv/csv-table.ts';
import { readDatetimeText } from '../../../shared/values/text/datetime-text.ts';
import { NotText, openTextReader } from '../../../shared/values/text/text-reader.ts';
import { type NamedFile, notText } from '../project-files.ts';
import type { ForeignObject } from './foreign.ts';
import type { SchemaField } from './schema.ts';

/** How a CSV file is read. */
export interface CsvOptions {
  readonly schema: readonly SchemaField[];
  /** What separates cells; absent: it is found. */
  readonly delimiter?: string | undefined;
  readonly encoding?: string | undefined;
  /** Gets the name of each field with a time that names no zone. */
  readonly onUtcAssumed: (field: string) => void;
}

/**
 * Reads the objects of a CSV file, whose first line names the fields. An empty cell is null; the server converts all
 * others by the type of their field.
 *
 * @returns the objects, once the names of the columns are read
 * @throws Error with the line of malformed text, here or from the objects
 */
export async function openCsvObjects(
  { files, path }: NamedFile,
  { delimiter, encoding, ...options }: CsvOptions,
): Promise<AsyncGenerator<ForeignObject>> {
  const file = basename(path);
  const table = await naming(file, openCsv(textParts(files.open(path), encoding), delimiter));
  return objectsOf(file, table, options);
}

async function* objectsOf(
  file: string,
  { names, rows }: CsvTable,
  { schema, onUtcAssumed }: Pick<CsvOptions, 'schema' | 'onUtcAssumed'>,
): AsyncGenerator<ForeignObject> {
  const dates = schema.filter(({ type }) => type === 'datetime').map(({ name }) => name);
  const isTime = names.map((name) => dates.includes(name) || systemTimes.includes(name));
  const cellValue = (name: string, at: number, cell: string) => {
    const time = isTime[at] ? readDatetimeText(cell) : undefined;
    if (time?.isUtcAssumed) onUtcAssumed(name);
    return time?.value ?? cell; // the server rejects any other text
  };
  for (;;) {
    const { done, value: row } = await naming(file, rows.next());
    if (done) return;
    const source = `${file}, line ${row.line}`;
    if (row.problem !== undefined) throw new Error(`${source}: ${row.problem}`);
    const entries = names.flatMap((name, at): (readonly [string, string | null])[] => {
      const cell = row.cells[at] ?? '';
      if (cell !== '') return [[name, cellValue(name, at, cell)]];
      return systemFields.includes(name) ? [] : [[name, null]];
    });
    yield { values: Object.fromEntries(entries), source };
  }
}

const systemTimes = ['created_at', 'updated_at'];

/** Fields that an object has in any case: an empty cell is as no column. */
const systemFields = ['id', 'revision', ...systemTimes];

/** Names the file in the message of an error in its text. */
async function naming<Result>(file: string, result: Promise<Result>): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof NotText) throw notText(file, error);
    if (error instanceof CsvError) throw new Error(`${file}, ${error.message}`, { cause: error });
    throw error;
  }
}

/** Decodes a file part by part. */
async function* textParts(fd: number, encoding: string | undefined): AsyncGenerator<string> {
  const reader = openTextReader({ encoding, isUtf16Found: true }); // spreadsheets write UTF-16 with a mark
  for await (const bytes of createReadStream('', { fd })) yield reader.add(bytes as Uint8Array); // without encoding
  yield reader.end();
}
