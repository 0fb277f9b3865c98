import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Returns the files of the doors for files of people that have a pattern. */
function filesWith(pattern: RegExp): readonly string[] {
  return ['bin/groundwork', 'console', 'shared/values'].flatMap((folder) => {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    return names
      .map((name) => join(folder, name))
      .filter((path) => /\.tsx?$/.test(path) && pattern.test(readFileSync(path, 'utf8')));
  });
}

test('files of people become text in one place', () => {
  expect(filesWith(/new TextDecoder\(/)).toEqual([
    'shared/values/text/decode-text.ts',
    'shared/values/text/text-reader.ts',
  ]);
  expect(filesWith(/(setEncoding\(|readFile.*, |toString\()'utf-?8'/)).toEqual([
    'bin/groundwork/types/typescript-file.ts', // a file of the package
  ]);
  expect(filesWith(/from 'csv|import\('papaparse'\)/)).toEqual([
    'shared/values/csv/csv-records.ts',
  ]);
});

test('dates of files are read in one place', () => {
  expect(filesWith(/function readDatetimeText\b/)).toEqual(['shared/values/text/datetime-text.ts']);
});

/** Files of the console with calls that would round numbers, and what they read or write: nothing that the server or a person wrote as numbers. */
const roundingCalls: Readonly<Record<string, string>> = {
  'core/api.ts': 'messages of errors',
  'core/load.ts': 'keys in memory',
  'core/session.ts': 'the session',
  'parts/chart.tsx': 'data in memory',
  'parts/draft-form.tsx': 'drafts in memory',
  'parts/paged.tsx': 'keys in memory',
  'parts/request-text.ts': 'texts',
  'screens/data-endpoints/endpoint-preview.tsx': 'a name',
  'screens/data/reference.tsx': 'examples',
  'screens/data/schema-text.ts': 'a name',
  'screens/endpoints/endpoint-call.tsx': 'a name',
  'screens/objects/edit/target-picker.tsx': 'a search',
  'screens/objects/grid/rows.ts': 'keys in memory',
  'screens/objects/labels.ts': 'ids',
  'screens/scripts/argument-store.ts': 'texts',
  'screens/scripts/draft.ts': 'texts',
};

test('in the console, JSON of the server and of people is read and written with all digits', () => {
  const rounding = filesWith(/JSON\.(parse|stringify)\(/).filter((path) =>
    path.startsWith('console/'),
  );

  expect(rounding.map((path) => path.slice('console/'.length)).sort()).toEqual(
    Object.keys(roundingCalls).sort(),
  );
});
