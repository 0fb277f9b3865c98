/*
 * Runs a test script of package.json and reports the results.
 *
 * node .ci/tests.mjs FOLDER SCRIPT [--OPTION=VALUE ...] [FILE ...]
 *
 * Each file with a failed test is run once more, alone, in a run and a process of its own. A test that passes then counts
 * as passed, and is reported as unsteady: where its file shares a process with others, as a defect of isolation.
 * Appends a line "PASSED FAILED" to FOLDER/counts, and to FOLDER/messages a line for each test that failed once.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const [folder, script, ...options] = process.argv.slice(2);
const first = runTests(options);
const passed = first.files.filter((file) => file.failed.length === 0);
const failures = failuresBeyondTests(first, `npm run ${script}`);
const unsteady = [];
for (const { path, isShared, failed } of first.files.filter((file) => !passed.includes(file))) {
  const alone = runTests([...options.filter((option) => option.startsWith('--')), path]);
  passed.push(...alone.files);
  const again = [
    ...alone.files.flatMap((file) => file.failed),
    ...failuresBeyondTests(alone, path),
  ];
  failures.push(...again);
  const cause = isShared
    ? 'a defect of isolation: fails with the files of its process'
    : 'fails with the other files';
  for (const { name, why } of failed)
    if (!again.some((each) => each.name === name))
      unsteady.push({ name, why: `${cause}, passes alone: ${why}` });
}

const where = `on Node ${process.versions.node}`;
const messages = [
  ...failures.map(({ name, why }) => `FAILED ${where}: ${name}: ${why}`),
  ...unsteady.map(({ name, why }) => `unsteady: ${name}: ${why} (${where})`),
];
const sum = passed.reduce((total, file) => total + file.passed, 0);
appendFileSync(join(folder, 'counts'), `${sum} ${failures.length}\n`);
appendFileSync(join(folder, 'messages'), messages.map((line) => `${line}\n`).join(''));

/** Runs the tests; returns whether the run succeeded, and its report. */
function runTests(args) {
  const report = join(folder, 'tests.json');
  rmSync(report, { force: true });
  const reporters = ['--reporter=agent', '--reporter=./.ci/report.mjs'];
  const { status } = spawnSync('npm', ['run', '--silent', script, '--', ...reporters, ...args], {
    stdio: 'inherit',
    env: { ...process.env, TEST_REPORT: report },
  });
  return { isSuccess: status === 0, ...readReport(report) };
}

function readReport(report) {
  try {
    return JSON.parse(readFileSync(report, 'utf8'));
  } catch (error) {
    return { files: [], errors: [`there is no report: ${error.message}`] };
  }
}

/** Errors outside of tests, and an unsuccessful run without a failed test, which a second run must not hide. */
function failuresBeyondTests({ isSuccess, errors, files }, name) {
  const isExplained = isSuccess || files.some((file) => file.failed.length > 0);
  const causes = errors.length === 0 && !isExplained ? ['no test failed'] : errors;
  return causes.map((why) => ({ name, why: `it fails beyond its tests: ${why}` }));
}
