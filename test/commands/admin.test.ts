import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { sendRaw } from '../support/http-client.ts';
import { endProcesses, type ServerProcess, startProcess } from '../support/server-process.ts';
import { openProject } from './groundwork.ts';

afterAll(endProcesses);

const email = 'ada@example.com';

/** Logs in. Returns the account key, or the status. */
async function logIn({ url }: ServerProcess, password: string): Promise<string | number> {
  const { status, body } = await sendRaw(url, {
    path: '/v1.1/account/auth/',
    body: { email, password },
  });
  return status === 200 ? body.account_key : status;
}

async function start() {
  const project = openProject();
  const data = join(project.folder, 'data');
  const open = async () => {
    const server = await startProcess(data);
    onTestFinished(async () => void (await server.end('SIGKILL')));
    return server;
  };
  const server = await open();
  const body = { email, password: 'first' };
  await sendRaw(server.url, { path: '/v1.1/account/register/', body });
  const reset = (...args: string[]) =>
    project.run('admin', 'reset-password', email, '--data', data, ...args);
  return { ...project, data, open, server, reset };
}

test('a password is reset while the server runs, and the key with it', async () => {
  const { server, reset } = await start();
  const key = await logIn(server, 'first');

  const ended = await reset('--password', 'second');

  expect(ended).toEqual({
    status: 0,
    stdout: `${email} has a new password\nThe account key has changed as well: log in again.\n`,
    stderr: '',
  });
  expect(await logIn(server, 'first')).toBe(401);
  expect(await logIn(server, 'second')).toMatch(/^[0-9a-f]{56}$/);
  const old = await sendRaw(server.url, { as: String(key), path: '/v1.1/instances/' });
  expect(old.status).toBe(403);
});

test('a password is reset without a server', async () => {
  const { open, server, reset } = await start();
  await server.end('SIGTERM');

  const { status, stdout } = await reset('--random', '--json');

  const { password } = JSON.parse(stdout);
  expect(status).toBe(0);
  expect(password).toMatch(/^[\w-]{20}$/);
  const again = await open();
  expect(await logIn(again, 'first')).toBe(401);
  expect(await logIn(again, password)).toMatch(/^[0-9a-f]{56}$/);
});

test('a reset names what is missing', async () => {
  const { folder, data, server, run, reset } = await start();
  const other = ['admin', 'reset-password', 'bob@example.com', '--random', '--data'];
  const unknown = {
    status: 1,
    stdout: '',
    stderr: 'groundwork: there is no account bob@example.com\n',
  };

  expect(await run(...other, data)).toEqual(unknown);
  await server.end('SIGTERM');
  expect(await run(...other, data)).toEqual(unknown);
  expect(await reset()).toEqual({
    status: 2,
    stdout: '',
    stderr: 'groundwork: give --password, or --random: there is no terminal to ask at\n',
  });
  expect(await reset('--password', ' ')).toMatchObject({ status: 2 });
  const absent = join(folder, 'absent');
  expect(await run(...other, absent)).toEqual({
    status: 1,
    stdout: '',
    stderr: `groundwork: ${absent} holds no data\n`,
  });
  expect(existsSync(absent)).toBe(false);
  mkdirSync(absent);
  expect(await run(...other, absent)).toMatchObject({ status: 1 });
});
