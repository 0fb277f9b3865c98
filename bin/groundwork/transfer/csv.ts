import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { CsvError, type Info, parse } from 'csv-parse';
import type { NamedFile } from '../project-files.ts';
import type { ForeignObject } from './foreign.ts';
import type { SchemaField } from './schema.ts';

/**
 * Reads the objects of a CSV file, whose first line names the fields. An empty cell is null; the server converts all
 * others by the type of their field.
 *
 * @throws Error with the line of malformed text
 */
export async function* readCsv(
  { files, path }: NamedFile,
  schema: readonly SchemaField[],
): AsyncGenerator<ForeignObject> {
  const dates = schema.filter(({ type }) => type === 'datetime').map(({ name }) => name);
  const parser = parse({
    columns: (header: string[]) => header.map((name) => name.trim()),
    bom: true,
    info: true,
    skip_empty_lines: true,
  });
  const file = createReadStream('', { fd: files.open(path) });
  file.once('error', (error) => parser.destroy(error));
  file.pipe(parser);
  try {
    for await (const row of parser) {
      const { record, info } = row as { record: Record<string, string>; info: Info }; // with `info`
      const entries = Object.entries(record).map(([name, cell]) => {
        return [name, cell === '' ? null : dates.includes(name) ? toDatetime(cell) : cell] as const;
      });
      yield {
        values: Object.fromEntries(entries),
        place: `${basename(path)}, line ${info.lines}`,
      };
    }
  } catch (error) {
    if (error instanceof CsvError) throw new Error(`${basename(path)}: ${error.message}`);
    throw error;
  }
}

/** Writes a date, or a time with or without a zone (UTC), as the interface does; other text stays as it is. */
export function toDatetime(text: string): string {
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/.test(text)) return text;
  const plain = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?)?\s*(Z|[+-]\d\d:?\d\d)?$/;
  const [, date, minutes = '00:00', seconds = ':00', zone = 'Z'] = plain.exec(text) ?? [];
  if (date === undefined) return text;
  const time = new Date(`${date}T${minutes}${seconds}${zone}`);
  return Number.isNaN(time.getTime()) ? text : time.toISOString().replace('Z', '000Z');
}
