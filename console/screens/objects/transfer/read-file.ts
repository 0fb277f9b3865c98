import type papa from 'papaparse';
import { ApiProblem } from '../../../core/api.ts';
import { parseObject } from '../../../core/json-text.ts';
import type { Column } from '../object-data.ts';
import { cellValue } from './formats.ts';

/** An object that was read from a file, or why it cannot be read. */
export type ReadObject = {
  /** Of its end in the file, from 1 on; in a CSV file the number of the record. */
  readonly line: number;
} & ({ readonly values: Readonly<Record<string, unknown>> } | { readonly problem: string });

/** Fields by the column of the file that they are read from; empty: left out. */
export type Mapping = Readonly<Record<string, string>>;

/** The first line of a CSV file, and how the file is written. */
export interface CsvHead {
  /** Of the columns. */
  readonly names: readonly string[];
  readonly delimiter: string;
  readonly newline: string;
}

const headSize = 262_144; // bytes
const guessedRecords = 10;
const maxRecordLength = 4_000_000; // characters; no object is as long

/** Returns what the start of a CSV file shows. */
export async function readHead(file: File): Promise<CsvHead> {
  const { default: papa } = await import('papaparse');
  const text = await file.slice(0, headSize).text();
  const { data, meta } = papa.parse(text, { preview: guessedRecords });
  const names = (data[0] ?? []).map((name) => name.trim());
  return { names, delimiter: meta.delimiter, newline: meta.linebreak };
}

/**
 * Reads a file as text, in parts as the stream has them; the next part is read when it is asked for.
 *
 * @param onRead gets the bytes that were read so far
 */
export async function* readParts(
  file: File,
  onRead: (bytes: number) => void,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = file.stream().getReader();
  let bytes = 0;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      bytes += part.value.byteLength;
      onRead(bytes);
      yield decoder.decode(part.value, { stream: true });
    }
    yield decoder.decode();
  } finally {
    await reader.cancel();
  }
}

/** Reads the objects of a JSON lines file. */
export async function* readLines(parts: AsyncIterable<string>): AsyncGenerator<ReadObject> {
  let line = 0;
  for await (const lines of completeOnly(parts, splitLines)) {
    for (const text of lines) {
      line += 1;
      if (text.trim() !== '') yield toObject(line, text);
    }
  }
}

/** Reads the objects of a CSV file, whose first line names the columns. */
export async function* readCsv(
  parts: AsyncIterable<string>,
  { names, ...format }: CsvHead,
  { mapping, columns }: { readonly mapping: Mapping; readonly columns: readonly Column[] },
): AsyncGenerator<ReadObject> {
  const { default: papa } = await import('papaparse');
  const fields = names.map((name) => {
    const field = mapping[name] ?? '';
    return { field, type: columns.find((each) => each.name === field)?.type };
  });
  let line = 0;
  for await (const records of completeOnly(parts, splitRecords(new papa.Parser(format)))) {
    for (const cells of records) {
      if (cells.length === 1 && cells[0] === '') continue; // an empty line
      line += 1;
      if (line === 1) continue; // the names
      const read = fields.map(({ field, type }, at) => [field, cellValue(type, cells[at] ?? '')]);
      const given = read.filter(([field, value]) => field !== '' && value !== undefined);
      yield { line, values: Object.fromEntries(given) };
    }
  }
}

function toObject(line: number, text: string): ReadObject {
  try {
    return { line, values: { ...parseObject(text) } };
  } catch (error) {
    return { line, problem: error instanceof Error ? error.message : '' };
  }
}

/** Returns the records at the start of a text, and the characters that they take. */
type Split<Item> = (
  text: string,
  /** The end of the text is the end of a record. */
  isEnd: boolean,
) => { readonly items: readonly Item[]; readonly length: number };

const splitLines: Split<string> = (text, isEnd) => {
  const length = isEnd ? text.length : text.lastIndexOf('\n') + 1;
  const lines = text.slice(0, length).split('\n');
  return { items: text.endsWith('\n') || !isEnd ? lines.slice(0, -1) : lines, length };
};

function splitRecords(parser: papa.Parser): Split<readonly string[]> {
  return (text, isEnd) => {
    const { data, meta } = parser.parse(text, 0, !isEnd);
    return { items: data, length: meta.cursor };
  };
}

/**
 * Splits parts of a text into records; the incomplete one at the end of a part waits for the next part.
 *
 * @throws ApiProblem when a record is so long that it would fill the memory
 */
async function* completeOnly<Item>(
  parts: AsyncIterable<string>,
  split: Split<Item>,
): AsyncGenerator<readonly Item[]> {
  let rest = '';
  let count = 0;
  for await (const part of parts) {
    rest += part;
    const { items, length } = split(rest, false);
    rest = rest.slice(length);
    count += items.length;
    yield items;
    if (rest.length > maxRecordLength) {
      throw new ApiProblem(0, `Record ${count + 1} is too long. Is a quote not closed?`);
    }
  }
  yield split(rest, true).items;
}
