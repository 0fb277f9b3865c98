import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, test as base, expect, onTestFinished } from 'vitest';
import { maxReasonLength } from '../../shared/values/bounds.ts';
import { bundleProgram } from '../support/bundled-program.ts';
import { sendRaw } from '../support/http-client.ts';
import { endProcesses, startProcess } from '../support/server-process.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { openProject } from './groundwork.ts';

/* The commands that suspend an instance: of `groundwork admin`, and of npm, on a server that runs or does not. */

const test = base
  .extend('root', { scope: 'file' }, temporaryFolder('groundwork-suspension-'))
  .extend('given', { scope: 'file' }, ({ root }) => setUp(root));
afterAll(endProcesses);

test('the next request of a running server knows of it, and of its end', async ({
  given: { owner, admin, status },
}) => {
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

test('the program of npm does the same', async ({ given: { data, npm, status } }) => {
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

test('another reason replaces the first one, at the same time', async ({ given: { admin } }) => {
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

test('errors name what is wrong, and change nothing', async ({
  given: { data, admin, npm, status },
}) => {
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

test('an instance is suspended without a server, and stays so when it starts', async ({
  given,
}) => {
  const { data, owner, admin, status } = given;
  await given.server.end('SIGTERM');
  expect((await admin('suspend', 'library')).status).toBe(0);
  given.server = await startProcess(data);

  expect([await status(), await status(owner)]).toEqual([403, 200]);

  await given.server.end('SIGTERM');
  expect((await admin('resume', 'library')).status).toBe(0);
  given.server = await startProcess(data);
  expect(await status()).toBe(200);
});

/** Starts a server with two instances; `server` is replaced by the tests. */
async function setUp(root: string) {
  const data = join(root, 'data');
  const bundle = bundleProgram('operator/suspension', root);
  const server = await startProcess(data);
  const send = async (path: string, body: object, as?: string) =>
    (await sendRaw(server.url, { as, path: `/v1.1/${path}`, body })).body;
  const account = { email: 'ada@example.com', password: 'a password' };
  const { account_key: owner } = await send('account/register/', account);
  for (const name of ['library', 'other-one']) await send('instances/', { name }, owner);
  const { api_key } = await send('instances/library/api_keys/', { ignore_acl: true }, owner);
  const given = {
    data,
    server,
    owner,
    admin: (command: string, ...args: string[]) =>
      openProject().run('admin', command, ...args, '--data', data),
    npm: (...args: readonly string[]) => outcomeOf([bundle, ...args]),
    status: async (as = api_key): Promise<number> =>
      (await sendRaw(given.server.url, { as, path: '/v1.1/instances/library/classes/' })).status,
  };
  return given;
}

async function outcomeOf(args: readonly string[]) {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return { code: 0, stdout, stderr: '' };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}
