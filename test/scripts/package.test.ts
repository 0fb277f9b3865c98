import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { afterAll, expect, test } from 'vitest';
import { nodeRuntimeFiles } from '../../lib/script-runtime.ts';
import type { ScriptAnswer, ScriptEvent } from '../../shared/runtimes/node/lambda.ts';
import { packScript } from '../../shared/runtimes/package.ts';
import { startLambda } from '../support/lambda.ts';
import { unpack } from './hosts.ts';

const root = mkdtempSync(join(tmpdir(), 'groundwork-package-'));
afterAll(() => rmSync(root, { recursive: true }));

const script = { source: "console.log('żółć')", version: 3, sourceName: 'main.js' };

test('the same script gives the same bytes, whenever it is packed', () => {
  const [first, second] = [1, 2].map(() => packScript(nodeRuntimeFiles(), script));

  expect(Buffer.from(first ?? [])).toEqual(Buffer.from(second ?? []));
});

test('a zip holds supervisor, runner, source and version', () => {
  const files = unzipSync(packScript(nodeRuntimeFiles(), script));

  expect(Object.keys(files)).toEqual([
    'context.cjs',
    'index.mjs',
    'lockdown.cjs',
    'main.js',
    'runner.cjs',
    'version.json',
  ]);
  expect(Buffer.from(files['main.js'] ?? []).toString()).toBe(script.source);
});

test('a function that holds another version says so and runs nothing', async () => {
  unpack(packScript(nodeRuntimeFiles(), script), root);
  const lambda = await startLambda<ScriptEvent, ScriptAnswer>(
    process.execPath,
    join(root, 'index.mjs'),
    { TMPDIR: root },
  );
  const event = { version: 4, args: {}, config: {}, meta: {}, timeoutMs: 5000 };

  const stale = await lambda.invoke(event);
  const right = await lambda.invoke({ ...event, version: 3 });
  await lambda.close();

  expect(stale).toEqual({ stale: true, version: 3 });
  expect(right).toMatchObject({ exitCode: 0, stdout: 'żółć\n', isCut: false, isTimedOut: false });
});
