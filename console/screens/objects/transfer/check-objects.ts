import { ApiProblem } from '../../../core/api.ts';
import type { ObjectColumn } from '../object-data.ts';
import { quoted, type ReadObject, valueKey, valueProblem } from './read-file.ts';

/** What is wrong with the rows of a file. */
export interface FileCheck {
  readonly rows: number;
  /** Rows that cannot be imported. */
  readonly bad: number;
  /** Why the first of them cannot. */
  readonly problems: readonly string[];
}

const maxProblems = 20; // that are shown
const turnMs = 30;
const maxKnown = 1_000_000; // values that are kept; the server finds the others

/** Reads a file to its end. */
export async function checkFile(
  objects: AsyncGenerator<ReadObject>,
  signal: AbortSignal,
): Promise<FileCheck> {
  const problems: string[] = [];
  let [rows, bad] = [0, 0];
  for await (const object of objects) {
    if (signal.aborted) break;
    rows += 1;
    if (!('problem' in object)) continue;
    bad += 1;
    if (problems.length < maxProblems) problems.push(problemText(object.row, object.problem));
  }
  return { rows, bad, problems };
}

/** Reads the wanted objects, those with values that do not fit as problems. Other code of the page has its turns. */
export async function* checkedObjects(
  objects: AsyncGenerator<ReadObject>,
  columns: readonly ObjectColumn[],
  isWanted: (row: number) => boolean,
): AsyncGenerator<ReadObject> {
  const known = new Map(columns.map((column) => [column.name, column]));
  const repeated = repeatFinder(columns);
  let startMs = performance.now();
  for await (const object of objects) {
    if (performance.now() - startMs > turnMs) {
      await new Promise((resolve) => setTimeout(resolve));
      startMs = performance.now();
    }
    if (!isWanted(object.row)) continue;
    const problem =
      'values' in object
        ? (problemOf(object.values, known) ?? repeated(object.row, object.values))
        : undefined;
    yield problem === undefined ? object : { row: object.row, source: object.source, problem };
  }
}

function problemOf(
  values: Readonly<Record<string, unknown>>,
  known: ReadonlyMap<string, ObjectColumn>,
): ApiProblem | undefined {
  const found = Object.entries(values).flatMap(([name, value]) => {
    const column = known.get(name);
    // what every object has, only the server knows
    const isLeft = column?.isSystem || name === 'links';
    const text = isLeft
      ? undefined
      : column
        ? valueProblem(column, value)
        : 'no field of the class';
    return text === undefined ? [] : [[name, text] as const];
  });
  return ofFields(0, found);
}

/** Returns a function that finds the values of unique fields that an earlier row has, and keeps those of each good row. */
function repeatFinder(columns: readonly ObjectColumn[]) {
  const unique = columns.filter(({ isUnique }) => isUnique);
  const rows = new Map<string, number>(); // by field and value
  return (row: number, values: Readonly<Record<string, unknown>>): ApiProblem | undefined => {
    const keys = unique.flatMap((column) => {
      const key = valueKey(column, values[column.name]);
      return key === undefined ? [] : [[column.name, `${column.name} ${key}`] as const];
    });
    const found = keys.flatMap(([name, key]) => {
      const first = rows.get(key);
      return first === undefined
        ? []
        : [[name, `${quoted(values[name])} is in row ${first} too`] as const];
    });
    if (found.length === 0 && rows.size < maxKnown) for (const [, key] of keys) rows.set(key, row);
    return ofFields(0, found);
  };
}

/** Returns the problem with these messages of fields; undefined without any. */
export function ofFields(
  status: number,
  found: readonly (readonly [name: string, message: string])[],
): ApiProblem | undefined {
  if (found.length === 0) return undefined;
  const text = found.map(([name, message]) => `${name}: ${message}`).join('; ');
  return new ApiProblem(status, text, Object.fromEntries(found));
}

/** Returns why a row is not imported: `Row 12, price: 'abc' is not a number`. */
export function problemText(row: number, { message, fields }: ApiProblem): string {
  const isOfField = Object.keys(fields).some((name) => message.startsWith(`${name}: `));
  return `Row ${row}${isOfField ? ', ' : ': '}${message}`;
}
