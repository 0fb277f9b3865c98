import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CsvRow, openCsv } from '../../shared/values/csv/csv-table.ts';

async function* partsOf(text: string, size = text.length): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

async function read(text: string, delimiter?: string, size?: number) {
  const { names, rows } = await openCsv(partsOf(text, size), delimiter);
  const all: CsvRow[] = [];
  for await (const row of rows) all.push(row);
  return { names, rows: all };
}

test.each([
  ['semicolons', 'a;b\n1;2\n', [['1', '2']]],
  ['tabs', 'a\tb\n1\t2\n', [['1', '2']]],
  ['lines that end with CR', 'a,b\r1,2\r', [['1', '2']]],
  ['lines that end with CRLF', 'a,b\r\n1,2\r\n', [['1', '2']]],
  ['commas within a name in quotes', '"a";b\n"1,2,3";2', [['1,2,3', '2']]],
  ['rows of separators', '\n,\na,b\n,\n1,2\n\n,,\n', [['1', '2']]],
  [
    'separators at the end',
    'a,b,,\n1,2,,\n3,4\n5,6,,,,\n',
    [
      ['1', '2'],
      ['3', '4'],
      ['5', '6'],
    ],
  ],
  ['spaces and quotes within cells', 'a,b\n 1 ,5" pipe\n', [[' 1 ', '5" pipe']]],
])('a table with %s is read', async (_, text, rows) => {
  const table = await read(text);

  expect(table.names).toEqual(['a', 'b']);
  expect(table.rows.map(({ problem, cells }) => problem ?? cells)).toEqual(rows);
});

const ofExcel = ['sep=|\r\n', '"sep=|"\n', 'SEP=|\r'];

test.each(ofExcel)('the line %j of Excel names what separates cells', async (line) => {
  const text = `${line}${['a|b', '1;2;3|4', '5'].join(line.replace(/^.*?(?=[\r\n])/, ''))}`;

  for (const size of [1, 5, 1000]) {
    const { names, rows } = await read(text, undefined, size);
    const given = await read(text, ';', size);

    expect(names).toEqual(['a', 'b']);
    expect(rows).toMatchObject([
      { line: 3, cells: ['1;2;3', '4'] },
      { line: 4, problem: 'there is no cell for column 2 of 2' },
    ]);
    expect(given.names).toEqual(['a|b']);
  }
});

test.each([
  ['no line of Excel', 'sep=ab;b\n1;2\n', ['sep=ab', 'b']],
  ['one in another line', 'a;b\nsep=,\n', ['a', 'b']],
  ['one with a quote that is open', '"sep=;\n";b\n1;2\n', ['sep=;', 'b']],
])('%s names columns', async (_, text, names) => {
  expect((await read(text, undefined, 1)).names).toEqual(names);
});

test('a file with nothing but the line of Excel is empty', async () => {
  await expect(read('sep=;', undefined, 1)).rejects.toThrow('the file is empty');
});

test('rows that are none name their line', async () => {
  const { rows } = await read('a,b\n"1\n1",2\n3\n4,5,6\n');

  expect(rows).toMatchObject([
    { line: 3, row: 2, cells: ['1\n1', '2'] },
    { line: 4, row: 3, problem: 'there is no cell for column 2 of 2' },
    { line: 5, problem: 'cell 3 is in a column without a name' },
  ]);
});

test('a table of one column has no separators that could be left out', async () => {
  const { rows } = await read('a\n1;\n2,\n,\n\n","\n');

  expect(rows).toMatchObject([
    { line: 2, cells: ['1;'] },
    { line: 3, problem: 'cell 2 is in a column without a name' },
    { line: 4, problem: 'cell 2 is in a column without a name' },
    { line: 6, row: 6, cells: [','] },
  ]);
});

test.each([
  ['two columns of a name', 'a, a\n1,2\n', 'line 1: two columns have the name a'],
  ['a column without a name', '\na,,b\n1,2,3\n', 'line 2: column 2 has no name'],
  ['nothing', '\n\n', 'the file is empty: its first line names the columns'],
  [
    'a stray quote',
    'a,b\n1,2\n1,"4" pipe"\n',
    'line 3: a quote in a cell is not doubled, or not closed',
  ],
  ['an open quote', 'a,b\n1,2\n1,"4\n', 'line 3: a quote in a cell is not doubled, or not closed'],
  [
    'other line ends',
    'a\r\n1\n2\r\n',
    'line 2: lines end in different ways; a line break within a cell needs quotes',
  ],
])('a file with %s is an error', async (_, text, message) => {
  await expect(read(text)).rejects.toThrow(message);
});

const awkward = fc.stringMatching(/^[ab ",;\t|\r\n'=\\\uFEFFé]{0,6}$/);
const cell = fc.oneof(awkward, fc.string({ unit: 'grapheme' }));

/** A table, and how it is written. */
const tables = fc.record({
  rows: fc
    .integer({ min: 1, max: 4 })
    .chain((width) =>
      fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 6 }),
    )
    .map((rows) => rows.filter((row) => row.some((each) => each !== ''))),
  delimiter: fc.constantFrom(',', ';', '\t', '|', '\u001f', 'x'),
  newline: fc.constantFrom('\n', '\r\n', '\r'),
  isQuoted: fc.boolean(),
  hasLast: fc.boolean(),
  size: fc.integer({ min: 1, max: 20 }),
});

describe('any table of texts', () => {
  test('is read as it was written', async () => {
    await fc.assert(
      fc.asyncProperty(tables, async ({ rows, delimiter, newline, isQuoted, hasLast, size }) => {
        const names = (rows[0] ?? ['']).map((_, at) => `c${at}`);
        const special = new RegExp(`[\\r\\n"]|\\u{${delimiter.codePointAt(0)?.toString(16)}}`, 'u');
        const write = (text: string) =>
          isQuoted || special.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
        const lines = [names, ...rows].map((row) => row.map(write).join(delimiter));
        const text = lines.join(newline) + (hasLast ? newline : '');
        const isFound = names.length > 1 && [',', ';', '\t'].includes(delimiter);

        const table = await read(text, isFound ? undefined : delimiter, size);

        expect(table.names).toEqual(names);
        expect(table.rows.map(({ problem, cells }) => problem ?? cells)).toEqual(rows);
      }),
      { numRuns: 1000 },
    );
  });
});
