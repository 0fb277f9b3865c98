import { writeExactJson } from '../../../../shared/values/json/exact-number.ts';
import { bareValue, type ObjectColumn, type ObjectRecord } from '../object-data.ts';

export type FileFormat = 'csv' | 'jsonl';

/** Returns the first line of a file. */
export function headOf(
  format: FileFormat,
  columns: readonly ObjectColumn[],
  isForSheets: boolean,
): string {
  if (format === 'jsonl') return '';
  const mark = isForSheets ? '\uFEFF' : ''; // without it spreadsheets take the text for Latin-1
  return `${mark}${csvLine(columns.map(({ name }) => name))}`;
}

/** Returns an object as a line of a file. */
export function objectLine(
  format: FileFormat,
  {
    object,
    columns,
    isForSheets,
  }: { object: ObjectRecord; columns: readonly ObjectColumn[]; isForSheets: boolean },
): string {
  if (format === 'jsonl') {
    const kept = columns.map(({ name }) => [name, object[name]]);
    return `${writeExactJson(Object.fromEntries(kept))}\n`;
  }
  const cells = columns.map((column) => {
    const cell = cellText(column, object[column.name]);
    const isText = column.type === 'string' || column.type === 'text';
    return isForSheets && isText ? tame(cell) : cell;
  });
  return csvLine(cells);
}

/** Returns cells as a line of CSV. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(quote).join(',')}\r\n`;
}

function cellText({ type }: ObjectColumn, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (type === 'geopoint') {
    const { latitude, longitude } = value as Readonly<Record<string, unknown>>; // as the interface shows it
    return writeExactJson({ latitude, longitude });
  }
  const bare = type === 'object' ? value : bareValue(value);
  return typeof bare === 'string' ? bare : writeExactJson(bare);
}

/** Keeps spreadsheets from running a text as a formula. */
function tame(cell: string): string {
  return /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
}

function quote(cell: string): string {
  return /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
