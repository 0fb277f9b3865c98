import { parseObject } from '../../../core/json-text.ts';
import type { Column } from '../object-data.ts';
import { cellValue } from './formats.ts';

/** An object that was read from a file. */
export interface ReadObject {
  /** Of its end in the file, from 1 on; in a CSV file the number of the record. */
  readonly line: number;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Fields by the column of the file that they are read from; empty: left out. */
export type Mapping = Readonly<Record<string, string>>;

const chunkSize = 262_144; // bytes that are read at a time

/** Returns the names in the first line of a CSV file. */
export async function readHead(file: File): Promise<readonly string[]> {
  const { default: papa } = await import('papaparse');
  const text = await file.slice(0, chunkSize).text();
  const [head = []] = papa.parse(text, { preview: 1 }).data;
  return head.map((name) => name.trim());
}

/** Reads the objects of a JSON lines file. */
export async function* readLines(file: File): AsyncGenerator<ReadObject> {
  let rest = '';
  let line = 0;
  const decoder = new TextDecoder();
  for (let start = 0; start < file.size; start += chunkSize) {
    const bytes = await file.slice(start, start + chunkSize).arrayBuffer();
    const isLast = start + chunkSize >= file.size;
    const lines = (rest + decoder.decode(bytes, { stream: !isLast })).split('\n');
    rest = isLast ? '' : (lines.pop() ?? '');
    for (const text of lines) {
      line += 1;
      if (text.trim() !== '') yield { line, values: { ...parseObject(text) } };
    }
  }
}

/** Reads the objects of a CSV file, whose first line names the columns. */
export async function* readCsv(
  file: File,
  mapping: Mapping,
  columns: readonly Column[],
): AsyncGenerator<ReadObject> {
  const { default: papa } = await import('papaparse');
  const text = await file.text();
  const [head = [], ...records] = papa.parse(text, { skipEmptyLines: true }).data;
  const fields = head.map((name) => mapping[name.trim()] ?? '');
  for (const [index, cells] of records.entries()) {
    const values: Record<string, unknown> = {};
    for (const [position, field] of fields.entries()) {
      const type = columns.find(({ name }) => name === field)?.type;
      const value = cellValue(type, cells[position] ?? '');
      if (field !== '' && value !== undefined) values[field] = value;
    }
    yield { line: index + 2, values };
  }
}
