import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { load, sampled, slow, tables } from './tiers.ts';

const tests = fileURLToPath(new URL('..', import.meta.url));
const files = readdirSync(tests, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => `test/${file.replaceAll('\\', '/')}`);

/** Returns the files of a pattern with `{a,b}` and `*`. */
function filesOf(pattern: string): readonly string[] {
  const source = pattern
    .replace(/[.]/g, '\\.')
    .replaceAll('*', '[^/]*')
    .replaceAll('{', '(?:')
    .replaceAll('}', ')')
    .replaceAll(',', '|');
  const expression = new RegExp(`^${source}$`);
  return files.filter((file) => expression.test(file));
}

/** Returns the alternatives of a pattern, each a pattern. */
function alternatives(pattern: string): readonly string[] {
  const [, before = '', names, after = ''] = /^(.*?)\{(.*?)\}(.*)$/.exec(pattern) ?? [];
  if (names === undefined) return [pattern];
  return names.split(',').map((name) => `${before}${name}${after}`);
}

test('each name in a list of test files is that of a file', () => {
  const names = [load, sampled, slow, tables].flat().flatMap(alternatives);

  expect(names.filter((name) => filesOf(name).length === 0)).toEqual([]);
});

test('a file that `npm test` leaves out runs in one other run only', () => {
  const timed = load.flatMap(filesOf);
  const others = [...sampled, ...slow, ...tables].flatMap(filesOf);

  // `tables` leaves out what is in `load`
  expect(others.filter((file, index) => others.indexOf(file) !== index)).toEqual([]);
  expect(slow.flatMap(filesOf).filter((file) => timed.includes(file))).toEqual([]);
});
