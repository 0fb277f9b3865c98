import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const program = fileURLToPath(new URL('../../.ci/subjects.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'groundwork-subjects-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the check of subjects of commits; returns its exit code and what it printed. */
function run(args: readonly string[], variables = {}): readonly [number | null, string] {
  const env = { ...process.env, ...variables };
  const { status, stdout } = spawnSync(process.execPath, [program, ...args], {
    env,
    encoding: 'utf8',
  });
  return [status, stdout];
}

/** Checks a message, as git's hook does. */
function judge(message: string): readonly [number | null, string] {
  const file = join(folder, 'message');
  writeFileSync(file, message);
  return run([file]);
}

test.each([
  'objects: filter by _is on reference fields',
  'aws, lib: need one role for each function',
  'docs: embed the picture in README.md\n\nThe reason. Another one.',
  `values: ${'a'.repeat(64)}`,
])('a subject is fine: %s', (message) => {
  expect(judge(message)).toEqual([0, '']);
});

test.each([
  [`values: ${'a'.repeat(65)}`, '73 characters, more than 72'],
  ['filter by _is', 'not of the form "area: verb ..." in lower case'],
  ['Objects: filter by _is', 'not of the form "area: verb ..." in lower case'],
  ['objects: Filter by _is', 'not of the form "area: verb ..." in lower case'],
  ['objects: filter by _is.', 'ends with a full stop'],
  ['docs: the sixth that was measured', 'begins with "the", not with a verb'],
  ['server: a turn is taken by a function', 'begins with "a", not with a verb'],
  ['house: what has one user is there', 'begins with "what", not with a verb'],
  ['objects: filtered by _is', 'begins with the past form "filtered", not with a verb'],
])('a subject is rejected: %s', (subject, fault) => {
  expect(judge(`${subject}\n\nA body.\n`)).toEqual([1, `${fault}: ${subject}\n`]);
});

test('a clone without history is skipped, with a line that says so', () => {
  const isEmpty = { GIT_DIR: join(folder, 'none') };

  expect(run([], isEmpty)).toEqual([
    0,
    'skipped: subjects of commits; this clone has no history since the rule\n',
  ]);
});
