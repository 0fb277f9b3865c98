import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { maxReasonLength } from '../../shared/values/bounds.ts';
import { bundleProgram } from '../support/bundled-program.ts';
import { sendRaw } from '../support/http-client.ts';
import { endProcesses, type ServerProcess, startProcess } from '../support/server-process.ts';
import { openProject } from './groundwork.ts';

/* The commands that suspend an instance: of `groundwork admin`, and of npm, on a server that runs or does not. */

const root = mkdtempSync(join(tmpdir(), 'groundwork-suspension-'));
const bundle = bundleProgram('operator/suspension', root);
afterAll(() => rmSync(root, { recursive: true }));
afterAll(endProcesses);

const data = join(root, 'data');
let server: ServerProcess;
let owner = '';
let apiKey = '';

const start = async () => {
  server = await startProcess(data);
};
const admin = (command: string, ...args: string[]) =>
  openProject().run('admin', command, ...args, '--data', data);

async function npm(...args: readonly string[]) {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [bundle, ...args]);
    return { code: 0, stdout, stderr: '' };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

async function status(as = apiKey): Promise<number> {
  return (await sendRaw(server.url, { as, path: '/v1.1/instances/library/classes/' })).status;
}

beforeAll(async () => {
  await start();
  const send = (path: string, body: object, as = owner) =>
    sendRaw(server.url, { as, path: `/v1.1/${path}`, body });
  const account = { email: 'ada@example.com', password: 'a password' };
  owner = (await sendRaw(server.url, { path: '/v1.1/account/register/', body: account })).body
    .account_key;
  for (const name of ['library', 'other-one']) await send('instances/', { name });
  apiKey = (await send('instances/library/api_keys/', { ignore_acl: true })).body.api_key;
}, 60_000);

test('the next request of a running server knows of it, and of its end', async () => {
  expect([await status(), await status(owner)]).toEqual([200, 200]);

  expect(await admin('suspend', 'library', '--reason', 'sends spam')).toEqual({
    status: 0,
    stdout: 'library is suspended\n',
    stderr: '',
  });

  expect([await status(), await status(owner)]).toEqual([403, 200]);
  const listed = await admin('suspended', '--json');
  expect(JSON.parse(listed.stdout)).toEqual([
    { instance: 'library', reason: 'sends spam', suspended_at: expect.any(String) },
  ]);
  expect((await admin('suspended')).stdout).toMatch(
    /^instance {2}suspended at .*reason\nlibrary .* sends spam\n$/,
  );

  expect((await admin('resume', 'library')).stdout).toBe('library is resumed\n');
  expect(await status()).toBe(200);
  expect(JSON.parse((await admin('suspended', '--json')).stdout)).toEqual([]);
  expect((await admin('suspended')).stdout).toBe('No instance is suspended.\n');
});

test('the program of npm does the same', async () => {
  const suspended = await npm('suspend', 'library', '--data', data);
  const closed = await status();
  const listed = await npm('list', '--data', data, '--json');
  const resumed = await npm('resume', 'library', '--data', data);

  expect(suspended).toMatchObject({ code: 0, stdout: 'library: suspended\n' });
  expect(closed).toBe(403);
  expect(JSON.parse(listed.stdout)).toMatchObject([{ instance: 'library', reason: null }]);
  expect(resumed).toMatchObject({ code: 0, stdout: 'library: resumed\n' });
  expect(await status()).toBe(200);
});

test('another reason replaces the first one, at the same time', async () => {
  onTestFinished(async () => void (await admin('resume', 'library')));
  await admin('suspend', 'library', '--reason', 'one');
  const [first] = JSON.parse((await admin('suspended', '--json')).stdout);
  await admin('suspend', 'library');
  const [kept] = JSON.parse((await admin('suspended', '--json')).stdout);
  await admin('suspend', 'library', '--reason', 'two');
  const [second] = JSON.parse((await admin('suspended', '--json')).stdout);

  expect(kept).toEqual(first);
  expect(second).toEqual({ ...first, reason: 'two' });
});

test('errors name what is wrong, and change nothing', async () => {
  const tooLong = 'x'.repeat(maxReasonLength + 1);
  expect(await admin('suspend', 'nowhere')).toMatchObject({
    status: 1,
    stderr: 'groundwork: there is no instance nowhere\n',
  });
  expect(await admin('resume', 'library')).toMatchObject({
    status: 1,
    stderr: 'groundwork: library is not suspended\n',
  });
  expect(await admin('suspend', 'library', '--reason', tooLong)).toMatchObject({
    status: 1,
    stderr: `groundwork: a reason has at most ${maxReasonLength} characters\n`,
  });
  const bad = [
    [],
    ['list', 'library'],
    ['suspend'],
    ['suspend', 'library', 'other-one'],
    ['resume', 'library', '--reason', 'x'],
    ['suspend', 'library', '--json'],
    ['list', '--data', data, '--table', 'x'],
    ['drop', 'library'],
  ];
  for (const args of bad) expect((await npm(...args)).code, args.join(' ')).toBe(2);
  expect(await npm('list', '--data', join(data, 'absent'))).toMatchObject({ code: 1 });
  expect(await status()).toBe(200);
});

test('an instance is suspended without a server, and stays so when it starts', async () => {
  await server.end('SIGTERM');
  expect((await admin('suspend', 'library')).status).toBe(0);
  await start();

  expect([await status(), await status(owner)]).toEqual([403, 200]);

  await server.end('SIGTERM');
  expect((await admin('resume', 'library')).status).toBe(0);
  await start();
  expect(await status()).toBe(200);
});
