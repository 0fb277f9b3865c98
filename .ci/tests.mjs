/*
 * Runs a test script of package.json and reports the results.
 *
 * node .ci/tests.mjs FOLDER SCRIPT [OPTION ...]
 *
 * A file with a failed test is run once more, alone: a test that passes then counts as passed and is reported as
 * unsteady. Appends a line "PASSED FAILED" to FOLDER/counts, and to FOLDER/told a line for each test that failed once.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';

const [folder, script, ...options] = process.argv.slice(2);
const first = runTests([]);
const again = first.files.filter((file) => file.status === 'failed').map((file) => file.name);
const second = again.length > 0 ? runTests(again) : undefined;

const last = [
  ...first.files.filter((file) => !again.includes(file.name)),
  ...(second?.files ?? []),
];
const failed = last.flatMap(failuresOf);
const unsteady = first.files
  .flatMap(failuresOf)
  .filter(({ name }) => !failed.some((each) => each.name === name));
if (!(second ?? first).ended && failed.length === 0)
  failed.push({ name: `npm run ${script}`, why: 'it fails beyond its tests' });

const passed = last.reduce((sum, file) => sum + testsOf(file, 'passed').length, 0);
appendFileSync(join(folder, 'counts'), `${passed} ${failed.length}\n`);
const where = `on Node ${process.versions.node}`;
const told = [
  ...failed.map(({ name, why }) => `FAILED ${where}: ${name}: ${why}`),
  ...unsteady.map(({ name, why }) => `unsteady ${where}: ${name}: ${why}`),
];
appendFileSync(join(folder, 'told'), told.map((line) => `${line}\n`).join(''));

/** Runs the tests; returns whether the run succeeded, and its report with one value per file. */
function runTests(files) {
  const report = join(folder, 'tests.json');
  rmSync(report, { force: true });
  const reporters = ['--reporter=agent', '--reporter=json', `--outputFile.json=${report}`];
  const { status } = spawnSync(
    'npm',
    ['run', '--silent', script, '--', ...reporters, ...options, ...files],
    {
      stdio: 'inherit',
    },
  );
  return { ended: status === 0, files: readReport(report) };
}

function readReport(report) {
  try {
    return JSON.parse(readFileSync(report, 'utf8')).testResults;
  } catch (error) {
    process.stdout.write(`there is no report of npm run ${script}: ${error.message}\n`);
    return [];
  }
}

function failuresOf(file) {
  if (file.status !== 'failed') return [];
  const path = relative(process.cwd(), file.name);
  const tests = testsOf(file, 'failed').map((test) => ({
    name: `${path}: ${test.fullName}`,
    why: firstLine(test.failureMessages[0] ?? ''),
  }));
  return tests.length > 0 ? tests : [{ name: path, why: firstLine(file.message) }];
}

function testsOf(file, status) {
  return file.assertionResults.filter((test) => test.status === status);
}

function firstLine(text) {
  return text.split('\n')[0].slice(0, 160);
}
