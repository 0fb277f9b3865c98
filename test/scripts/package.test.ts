import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { afterAll, expect, test } from 'vitest';
import { nodeRuntimeFiles, pythonRuntimeFiles } from '../../lib/script-runtime.ts';
import type { FunctionResult, ScriptEvent } from '../../shared/runtimes/node/lambda.ts';
import { packScript } from '../../shared/runtimes/package.ts';
import { startLambda } from '../aws-emulator/lambda.ts';
import { startPythonLambda } from '../aws-emulator/python-lambda.ts';
import { unpack } from './hosts.ts';
import { machine, packPython, variables } from './python-hosts.ts';

const root = mkdtempSync(join(tmpdir(), 'groundwork-package-'));
afterAll(() => rmSync(root, { recursive: true }));

const script = { source: "console.log('żółć')", version: 3, sourceName: 'main.js' };

test.each([
  ['Node', nodeRuntimeFiles],
  ['Python', pythonRuntimeFiles],
])('the same %s script is packed to the same bytes at any time', (_name, files) => {
  const [first, second] = [1, 2].map(() => packScript(files(), script));

  expect(Buffer.from(first ?? [])).toEqual(Buffer.from(second ?? []));
});

test.each([
  [
    'Node',
    packScript(nodeRuntimeFiles(), script),
    [
      'context.cjs',
      'index.mjs',
      'leave-root.cjs',
      'lockdown.cjs',
      'main.js',
      'packages.cjs',
      'runner.cjs',
      'syncano.txt',
      'version.json',
      'write-all.cjs',
    ],
    'main.js',
  ],
  [
    'Python',
    packPython(script.source),
    [
      'calls.py',
      'context.py',
      'conversation.py',
      'family.py',
      'index.py',
      'landlock.py',
      'main.py',
      'operator_packages.py',
      'packages.py',
      'pairs.py',
      'privileges.py',
      'runner.py',
      'seccomp.py',
      'version.json',
    ],
    'main.py',
  ],
])('a zip for %s contains supervisor, runner, source and version', (_name, zip, names, main) => {
  const files = unzipSync(zip);

  expect(Object.keys(files)).toEqual(names);
  expect(Buffer.from(files[main] ?? []).toString()).toBe(script.source);
});

test('a function with another version reports it and runs nothing', async () => {
  unpack(packScript(nodeRuntimeFiles(), script), root);
  const lambda = await startLambda<ScriptEvent, FunctionResult>(
    process.execPath,
    join(root, 'index.mjs'),
    { TMPDIR: root },
  );
  const event = { version: 4, args: {}, config: {}, meta: {}, timeoutMs: 60_000 };

  const stale = await lambda.invoke(event);
  const right = await lambda.invoke({ ...event, version: 3 });
  await lambda.close();

  expect(stale).toEqual({ stale: true, version: 3 });
  expect(right).toMatchObject({ exitCode: 0, stdout: 'żółć\n', isCut: false, isTimedOut: false });
});

test.runIf(machine !== undefined)(
  'a Python function with another version does so too',
  async () => {
    const folder = join(root, 'python');
    unpack(packPython("print('żółć')"), folder);
    if (machine === undefined) throw new Error('skipped'); // which the line above has done
    const lambda = await startPythonLambda(machine, folder, variables);
    const event = { version: 8, args: {}, config: {}, meta: {}, timeoutMs: 60_000 };

    const stale = await lambda.invoke(event);
    const right = await lambda.invoke({ ...event, version: 7 });
    await lambda.close();

    expect(stale).toEqual({ stale: true, version: 7 });
    expect(right).toEqual({
      executedAtMs: expect.any(Number),
      durationMs: expect.any(Number),
      exitCode: 0,
      isTimedOut: false,
      isCut: false,
      stdout: 'żółć\n',
      stderr: '',
    });
  },
);

test.runIf(machine !== undefined)(
  'a Python function does not start outside of Lambda',
  async () => {
    const folder = join(root, 'astray');
    unpack(packPython(''), folder);
    if (machine === undefined) throw new Error('skipped'); // which the line above has done
    const { AWS_LAMBDA_FUNCTION_NAME: _, ...others } = variables;

    const starting = startPythonLambda(machine, folder, others);

    await expect(starting).rejects.toThrow('it would empty /tmp of this machine');
  },
);

test('a folder without a set of packages is an error', () => {
  expect(() => pythonRuntimeFiles(root)).toThrow(/has no set of packages: groundwork admin/);
});
