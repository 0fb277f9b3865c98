import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { bundleProgram } from '../support/bundled-program.ts';
import { endProcesses, startProcess } from '../support/server-process.ts';

const root = mkdtempSync(join(tmpdir(), 'groundwork-smoke-'));
const bundle = bundleProgram('smoke', root);
const run = promisify(execFile);
afterAll(() => {
  endProcesses();
  rmSync(root, { recursive: true });
});

async function smoke(...args: readonly string[]) {
  try {
    return { code: 0, ...(await run(process.execPath, [bundle, ...args])) };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

const steps = (output: string) => output.split('\n').filter((line) => /^(ok|error) /.test(line));

test('a server of npm start passes, with a new account and with one that exists', async () => {
  const { url } = await startProcess(join(root, 'open'));
  const account = ['--email', 'ada@example.com', '--password', 'choose one'];

  const first = await smoke(url, ...account);
  const second = await smoke(url, ...account, '--login');

  expect([first.code, second.code, first.stderr]).toEqual([0, 0, '']);
  expect(steps(first.stdout)).toHaveLength(14);
  expect(steps(second.stdout)[0]).toMatch(/account: logged in$/);
});

test('a step that fails is shown, and nothing follows that needs it', async () => {
  const { url } = await startProcess(join(root, 'closed'), {
    variables: { GROUNDWORK_REGISTRATION: 'closed' },
  });

  const { code, stdout } = await smoke(url, 'no-such-code');

  expect(code).toBe(1);
  expect(steps(stdout)).toEqual([
    expect.stringMatching(/^error .* account: POST .*register\/: 4\d\d/),
  ]);
});

test('a server that does not respond fails', async () => {
  expect(await smoke('http://127.0.0.1:1')).toMatchObject({ code: 1 });
});

test.each([
  [[], 'give a URL'],
  [['localhost:3000'], 'give a URL'],
  [['http://a', '--login'], '--login takes --email and --password'],
  [['http://a', '--fcm', '/no/such'], '--fcm: ENOENT'],
  [['http://a', '--what'], '--what'],
])('the arguments %o are rejected', async (args, message) => {
  const { code, stderr } = await smoke(...args);

  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});
