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
    'bin/groundwork/project/files/script-source.ts', // keeps a byte order mark; fatal as well
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
  expect(filesWith(/function (toDatetime|readDatetimeText)\b/)).toEqual([
    'shared/values/text/datetime-text.ts',
  ]);
});
