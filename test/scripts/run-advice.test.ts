import { describe, expect, test } from 'vitest';
import { adviceOn, advisedSource, python2Advice } from '../../shared/scripts/rules/run-advice.ts';
import { maxOutputBytes } from '../../shared/scripts/rules/script-result.ts';
import { adviseRun } from '../../shared/scripts/runs/advise-run.ts';
import type { ScriptOutcome, ScriptRuntime } from '../../shared/scripts/script-runner.ts';
import { SourceChanged } from '../../shared/scripts/script-sources.ts';

const printed = "SyntaxError: Missing parentheses in call to 'print'. Did you mean print(...)?";
const rejected = `  File "main.py", line 3\n    print ARGS\n    ^^^^^^^^^^\n${printed}`;
const source = 'import json\n\nprint ARGS\n';
const packages =
  'The module requests is not installed. Developer: list its package in requirements.txt beside the script, and groundwork push. Operator: groundwork admin python-packages. See docs/guides/scripts.md#missing-modules';

function failure(stderr: string, stdout = ''): ScriptOutcome {
  return { status: 'failure', executedAtMs: 1, durationMs: 1, stdout, stderr };
}

function openRun(runtime: ScriptRuntime, read: () => Promise<string> = async () => source) {
  let reads = 0;
  const logged: unknown[] = [];
  const run = {
    runtime,
    instance: 1,
    script: 2,
    source: () => {
      reads += 1;
      return read();
    },
  };
  return {
    advise: (outcome: ScriptOutcome) =>
      adviseRun({ log: (line) => logged.push(line) }, run, outcome),
    reads: () => reads,
    logged,
  };
}

describe('advice after a failed run', () => {
  test.each<[ScriptRuntime, string, string]>([
    [
      'python',
      rejected,
      'line 3: print statement of Python 2. How to convert: docs/guides/python-2.md',
    ],
    ['python', "ModuleNotFoundError: No module named 'requests'", packages],
    ['python', "ModuleNotFoundError: No module named 'requests.adapters'", packages],
    [
      'python',
      "ModuleNotFoundError: No module named 'syncano'",
      'The module syncano is not installed. Operator: groundwork admin python-packages. See docs/guides/scripts.md#missing-modules',
    ],
    [
      'python',
      "ModuleNotFoundError: No module named 'urllib2'",
      'urllib2 is a module of Python 2: urllib2 is urllib.request in Python 3. See docs/guides/python-2.md',
    ],
    [
      'python',
      "NameError: name 'unicode' is not defined. Did you mean: 'x'?",
      'unicode is a name of Python 2: write str. See docs/guides/python-2.md',
    ],
    [
      'python',
      "AttributeError: 'dict' object has no attribute 'has_key'",
      'dict.has_key is a name of Python 2: write key in d. See docs/guides/python-2.md',
    ],
    [
      'node',
      "Error: Cannot find module 'request'\nRequire stack:",
      'request is not available: write fetch(url) instead. See docs/guides/scripts.md#instead-of-request',
    ],
    [
      'node',
      "main.js:1\nError: Cannot find module '@scope/a/b'\n    at x",
      'The package @scope/a is not part of the script: npm install it in the project, and groundwork push bundles it. See docs/guides/scripts.md#missing-modules',
    ],
    [
      'node',
      "Error: Cannot find module './lib'",
      'A script has no other files: groundwork push bundles the modules of a project. See docs/guides/scripts.md#missing-modules',
    ],
  ])('%s, %j', async (runtime, stderr, advice) => {
    const run = openRun(runtime);

    expect(await run.advise(failure(stderr, 'out'))).toEqual(
      failure(`${stderr}\n${advice}`, 'out'),
    );
    expect(run.reads()).toBe(stderr === rejected ? 1 : 0);
  });

  test.each<[ScriptRuntime, string]>([
    ['python', ''],
    ['python', rejected.replace('line 3', 'line 1')],
    ['python', rejected.replace('main.py', '<string>')],
    ['python', `${rejected}\n  File "<string>", line 3\n${printed}`],
    ['python', "NameError: name 'x' is not defined"],
    ['python', "AttributeError: 'Row' object has no attribute 'has_key'"],
    ['python', "ModuleNotFoundError: No module named 'requests'\nand more"],
    ['python', "ModuleNotFoundError: No module named '_sqlite3'"],
    ['python', "ModuleNotFoundError: No module named 'tkinter'"],
    ['python', "Error: Cannot find module 'request'"],
    ['python', 'File "main.py", line 3\n'.repeat(20_000)],
    ['node', "ModuleNotFoundError: No module named 'requests'"],
    ['node', "I see that: Cannot find module 'request'"],
    ['node', "Error: Cannot find module '".repeat(10_000)],
    ['node', rejected],
  ])('none for %s, %.60j', async (runtime, stderr) => {
    const outcome = failure(stderr);
    expect(await openRun(runtime).advise(outcome)).toBe(outcome);
  });

  test.each<ScriptOutcome>([
    { ...failure(rejected), status: 'success' } as ScriptOutcome,
    { ...failure(rejected), status: 'timeout' } as ScriptOutcome,
    { ...failure(rejected), isServerError: true } as ScriptOutcome,
    { status: 'blocked' },
    { status: 'queue_timeout' },
  ])('none for other outcomes: %j', async (outcome) => {
    const run = openRun('python');
    expect(await run.advise(outcome)).toBe(outcome);
    expect(run.reads()).toBe(0);
  });

  test('stays within the limit of the output', async () => {
    const advised = await openRun('python').advise(failure(rejected));
    if (!('stderr' in advised)) throw new Error('no outcome');
    const room = maxOutputBytes - Buffer.byteLength(advised.stderr);
    const [fits, tooLarge] = [
      failure(rejected, 'x'.repeat(room)),
      failure(rejected, 'x'.repeat(room + 1)),
    ];

    expect(await openRun('python').advise(fits)).toEqual({ ...fits, stderr: advised.stderr });
    expect(await openRun('python').advise(tooLarge)).toBe(tooLarge);
  });

  test('a source that cannot be read changes nothing; the error is logged unless it was changed', async () => {
    const outcome = failure(rejected);
    const changed = openRun('python', () => Promise.reject(new SourceChanged()));
    const broken = openRun('python', () => Promise.reject(new Error('disk')));

    expect(await changed.advise(outcome)).toBe(outcome);
    expect(await broken.advise(outcome)).toBe(outcome);

    expect(changed.logged).toEqual([]);
    expect(broken.logged).toMatchObject([{ level: 'error', instance: 1, script: 2 }]);
  });

  test('no more than the beginning of a source is searched', () => {
    const before = ' '.repeat(advisedSource - 9);
    expect(python2Advice(`${before}\nprint 1`, 2)).toContain('print statement');
    expect(python2Advice(`${before}  \nprint 1`, 2)).toBeUndefined();
    expect(adviceOn('python', rejected)).toEqual({ kind: 'source', line: 3 });
  });
});
