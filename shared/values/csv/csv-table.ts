import { CsvError, type CsvRecord, csvRecords } from './csv-records.ts';

/*
 * CSV as spreadsheets and databases write it, for the command line and the console (docs/guides/moving-data.md#csv).
 */

/** A row of a table. */
export interface CsvRow extends CsvRecord {
  /** Why it has other cells than the table has columns; absent: it has one for each. */
  readonly problem?: string;
}

/** A table whose first line names the columns. */
export interface CsvTable {
  /** Of the columns, each once. */
  readonly names: readonly string[];
  /** Reads the file on. */
  readonly rows: AsyncGenerator<CsvRow>;
  /** Ends the reading where rows are not read to their end. */
  readonly close: () => Promise<void>;
}

/** The only characters that cannot separate cells. */
const noDelimiters = ['"', '\r', '\n', '\uFEFF'];

/** Checks whether a text may separate cells: one character, neither a quote nor a line break. */
export function isDelimiter(text: string): boolean {
  return text.length === 1 && !noDelimiters.includes(text);
}

/**
 * Reads the first line of a CSV file. Columns at the end may have no name if they have no cells.
 *
 * @param delimiter what separates cells; absent: it is found
 * @throws CsvError for a column without a name, or two with the same
 */
export async function openCsv(parts: AsyncIterable<string>, delimiter?: string): Promise<CsvTable> {
  const records = csvRecords(parts, delimiter);
  let { value: head } = await records.next();
  while (head?.cells.every(isEmpty)) ({ value: head } = await records.next());
  if (head === undefined) throw new CsvError('the file is empty: its first line names the columns');
  const close = async () => void (await records.return(undefined));
  try {
    const names = namesOf(head);
    return { names, rows: rowsOf(records, names.length, head.cells.length > 1), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function isEmpty(cell: string): boolean {
  return cell === '';
}

function namesOf({ line, cells }: CsvRecord): readonly string[] {
  const all = cells.map((cell) => cell.trim());
  const names = all.slice(0, all.findLastIndex((name) => name !== '') + 1);
  for (const [at, name] of names.entries()) {
    if (name === '') throw new CsvError(`line ${line}: column ${at + 1} has no name`);
    if (names.indexOf(name) < at) {
      throw new CsvError(`line ${line}: two columns have the name ${name}`);
    }
  }
  return names;
}

/**
 * Returns the rows below the names, without those of nothing but separators.
 *
 * @param hasEmpty whether a row may have further, empty cells: a file of one column shows no separator
 */
async function* rowsOf(
  records: AsyncGenerator<CsvRecord>,
  count: number,
  hasEmpty: boolean,
): AsyncGenerator<CsvRow> {
  for await (const record of records) {
    const { cells } = record;
    if (hasEmpty && cells.every(isEmpty)) continue;
    const extra = cells.findIndex((cell, at) => at >= count && !(hasEmpty && isEmpty(cell)));
    if (extra >= 0) yield { ...record, problem: `cell ${extra + 1} is in a column without a name` };
    else if (cells.length < count) {
      yield { ...record, problem: `there is no cell for column ${cells.length + 1} of ${count}` };
    } else yield { ...record, cells: cells.slice(0, count) };
  }
}
