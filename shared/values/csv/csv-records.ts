/// <reference path="./papaparse.d.ts" />
import type papa from 'papaparse';
import { breaksIn } from '../text/text-reader.ts';

/** A CSV file that cannot be read on. The message names the line or the record. */
export class CsvError extends Error {}

/** A record of a CSV file. */
export interface CsvRecord {
  /** The line in which it ends, from 1 on. */
  readonly line: number;
  /** Its number, as spreadsheets count rows: from 1 on. */
  readonly row: number;
  readonly cells: readonly string[];
}

const maxRecordLength = 4_000_000; // characters; no object is as long

/**
 * Reads the records of a CSV file, without empty lines. Only a part of the text is in memory.
 *
 * @param delimiter what separates cells; absent: the one that a first line `sep=;` of Excel names, or
 *   else the most frequent one of comma, semicolon and tab in the first line
 * @throws CsvError for quotes and line breaks without a meaning
 */
export async function* csvRecords(
  parts: AsyncIterable<string>,
  delimiter?: string,
): AsyncGenerator<CsvRecord> {
  const { default: papa } = await import('papaparse');
  let [rest, line, count] = ['', 1, 0];
  let format: CsvFormat | undefined;
  const take = (isEnd: boolean): readonly CsvRecord[] => {
    if (format === undefined) {
      const found = formatOf(rest, delimiter, isEnd);
      if (found === undefined) return [];
      format = { delimiter: found.delimiter, newline: found.newline };
      if (found.length > 0) line += 1;
      rest = rest.slice(found.length);
    }
    const taken = takeRecords(papa, format, { text: rest, line, isEnd });
    rest = rest.slice(taken.length);
    line = taken.line;
    const first = count + 1;
    count += taken.records.length;
    const records = taken.records.map((record, at) => ({ ...record, row: first + at }));
    return records.filter(({ cells }) => cells.length > 1 || cells[0] !== '');
  };
  for await (const part of parts) {
    rest += part;
    yield* take(false);
    if (rest.length > maxRecordLength) {
      throw new CsvError(`Record ${count + 1} is too long. Is a quote not closed?`);
    }
  }
  yield* take(true);
}

/** How a CSV file is written. */
interface CsvFormat {
  readonly delimiter: string;
  readonly newline: string;
}

const delimiters = [',', ';', '\t'];

interface FoundFormat extends CsvFormat {
  /** Characters of the line that names the delimiter; 0 without one. */
  readonly length: number;
}

/** The first line that Excel reads as the name of the delimiter. */
const lineOfExcel = /^(?:sep=([^"\r\n])|"sep=([^"\r\n])")(\r\n|\r|\n|$)/i;

/** Finds out how a file is written; undefined when its first line may not be complete. */
function formatOf(
  text: string,
  given: string | undefined,
  isEnd: boolean,
): FoundFormat | undefined {
  const [named = '', plain, quoted, ended] = lineOfExcel.exec(text) ?? [];
  if (named !== '') {
    if (!isEnd && named.length >= text.length) return undefined;
    const delimiter = given ?? plain ?? quoted ?? ',';
    return { delimiter, newline: ended || '\n', length: named.length };
  }
  const bare = withoutQuoted(text);
  const start = Math.max(0, bare.search(/[^\r\n]/));
  const { 0: newline = '\n', index: end = bare.length } =
    /\r\n|\r|\n/.exec(bare.slice(start)) ?? ({} as Partial<RegExpExecArray>);
  if (!isEnd && start + end + newline.length >= bare.length) return undefined;
  const head = bare.slice(start, start + end);
  const countOf = (delimiter: string) => head.split(delimiter).length;
  const [found = ','] = delimiters.toSorted((one, other) => countOf(other) - countOf(one));
  return { delimiter: given ?? found, newline, length: 0 };
}

/** Leaves out what is in quotes, also in those that are not closed yet. */
function withoutQuoted(text: string): string {
  return text.replace(/"(?:[^"]|"")*"?/g, '');
}

interface CsvText {
  readonly text: string;
  /** Number of its first line. */
  readonly line: number;
  /** The end of the text is the end of a record. */
  readonly isEnd: boolean;
}

type TakenRecord = Omit<CsvRecord, 'row'>;

/** Returns the records at the start of a text, the characters that they take, and the number of the next line. */
function takeRecords(
  { Parser }: typeof papa,
  format: CsvFormat,
  { text, isEnd, ...first }: CsvText,
): { readonly records: readonly TakenRecord[]; readonly length: number; readonly line: number } {
  const records: TakenRecord[] = [];
  let { line } = first;
  let length = 0;
  const { newline } = format;
  const step = ({ data, errors, meta }: papa.Step) => {
    const [quote] = errors;
    if (quote !== undefined) {
      const at = line + breaksIn(text.slice(length, quote.index));
      throw new CsvError(`line ${at}: a quote in a cell is not doubled, or not closed`);
    }
    const written = text.slice(length, meta.cursor);
    const hasEnd = written.endsWith(newline);
    const record = hasEnd ? written.slice(0, -newline.length) : written;
    checkBreaks(record, line);
    const end = line + breaksIn(record);
    records.push({ line: end, cells: data[0] ?? [] });
    line = hasEnd ? end + 1 : end;
    length = meta.cursor;
  };
  new Parser({ ...format, step }).parse(text, 0, !isEnd);
  return { records, length, line };
}

/** Rejects a record with a line break outside of quotes: the lines of the file end in different ways. */
function checkBreaks(record: string, line: number): void {
  if (!/[\r\n]/.test(record) || !/[\r\n]/.test(withoutQuoted(record))) return;
  throw new CsvError(
    `line ${line}: lines end in different ways; a line break within a cell needs quotes`,
  );
}
