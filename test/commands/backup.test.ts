import { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { listItems, openClient, type SendRequest } from '../../shared/clients/client.ts';
import { holdFiles } from '../../shared/platforms/local/files/holds.ts';
import { parseKey } from '../../shared/values/keys/credentials.ts';
import { checkPath } from '../../shared/values/text/request-path.ts';
import { startProcess } from '../support/server-process.ts';
import { openProject } from './groundwork.ts';

const objects = '/v1.1/instances/library/classes/book/objects/';

interface Book {
  readonly id: number;
  readonly title: string;
  readonly scan: { readonly value: string };
}

async function startServer(folder: string) {
  const server = await startProcess(folder);
  onTestFinished(async () => {
    await server.end('SIGKILL');
  });
  return server;
}

/** A form with a file whose content is the title. */
function book(title: string): FormData {
  const form = new FormData();
  form.append('title', title);
  form.append('scan', new Blob([title], { type: 'text/plain' }), 'scan.txt');
  return form;
}

async function createLibrary(url: string) {
  const person = { email: 'ada@example.com', password: 'p' };
  const { body } = await openClient(url)({ path: '/v1.1/account/register/', body: person });
  const send = openClient(url, body.account_key);
  await send({ path: '/v1.1/instances/', body: { name: 'library' } });
  const schema = [
    { name: 'title', type: 'string' },
    { name: 'scan', type: 'file' },
  ];
  await send({ path: '/v1.1/instances/library/classes/', body: { name: 'book', schema } });
  return { send, key: body.account_key as string };
}

const writers = 4;

/** Creates books, replaces the file of each third one, and deletes each fifth one, until it is stopped. */
function writeBooks(send: SendRequest) {
  let isStopped = false;
  const run = async () => {
    while (!isStopped) {
      const { body } = await send({ path: objects, body: book('old') });
      const path = `${objects}${body.id}/`;
      if (body.id % 3 === 0) await send({ method: 'PATCH', path, body: book('new') });
      if (body.id % 5 === 0) await send({ method: 'DELETE', path });
    }
  };
  const running = Promise.all(Array.from({ length: writers }, run));
  return async () => {
    isStopped = true;
    await running;
  };
}

test('a backup of a busy server is of one moment, and has all files of its objects', async () => {
  const { folder, run } = openProject();
  const server = await startServer(join(folder, 'data'));
  const { send, key } = await createLibrary(server.url);
  const stop = writeBooks(send);
  await new Promise((resolve) => setTimeout(resolve, 1500)); // many books

  const ended = await run('backup', 'backup', '--data', 'data', '--json');

  await stop();
  expect(ended).toMatchObject({ status: 0, stderr: '' });
  expect(JSON.parse(ended.stdout).items).toBeGreaterThan(10);
  expect(statSync(join(folder, 'backup')).mode & 0o777).toBe(0o700);
  await server.end('SIGTERM');
  rmSync(join(folder, 'data'), { recursive: true });

  const restored = await run('restore', 'backup', '--data', 'data', '--json');

  expect(restored).toMatchObject({ status: 0, stderr: '' });
  expect(JSON.parse(restored.stdout)).toEqual({ data: 'data', version: 2 });
  const again = await startServer(join(folder, 'data'));
  const sendAgain = openClient(again.url, key);
  const found: Book[] = [];
  for await (const each of listItems<Book>(sendAgain, checkPath(`${objects}?order_by=id`)))
    found.push(each);
  const ids = found.map(({ id }) => id);
  const settled = Math.max(...ids) - 2 * writers; // the writers are done with all up to this one
  expect(settled).toBeGreaterThan(20);
  const all = Array.from({ length: settled }, (_, at) => at + 1);
  expect(ids.filter((id) => id <= settled)).toEqual(all.filter((id) => id % 5 !== 0));
  for (const { title, scan } of found) {
    const address = new URL(scan.value).pathname; // the port is another one
    expect((await sendAgain({ path: address })).body).toBe(title);
  }
  const path = '/v1.1/instances/library/api_keys/';
  const { body: created } = await sendAgain({ path, body: {} });
  expect(parseKey(created.api_key)?.claims.version).toBe(2);
});

test('files are deleted only when no backup is being made, and after one that was killed', async () => {
  const { folder } = openProject();
  const server = await startServer(join(folder, 'data'));
  const { send } = await createLibrary(server.url);
  const files = join(folder, 'data', 'files');
  const contents = () =>
    readdirSync(join(files, 'content'), { recursive: true }).filter((name) =>
      /txt$/.test(`${name}`),
    );
  await send({ path: objects, body: book('first') });
  const release = await holdFiles(files);
  await send({ method: 'DELETE', path: `${objects}1/` });
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect(contents()).toHaveLength(1);

  await release();

  await expect.poll(contents, { timeout: 10_000 }).toEqual([]);
  const long = new Date(Date.now() - 3_600_000);
  writeFileSync(join(files, 'hold.1'), '');
  utimesSync(join(files, 'hold.1'), long, long);
  await send({ path: objects, body: book('second') });
  await send({ method: 'DELETE', path: `${objects}2/` });
  await expect.poll(contents, { timeout: 10_000 }).toEqual([]);
});

test.each([
  ['backup', 'there', 'there exists: name a new folder'],
  ['backup', 'new', '.groundwork holds no data'],
  ['restore', 'there', 'there is not a complete backup'],
])('%s %s is rejected', async (command, name, message) => {
  const { folder, run } = openProject();
  mkdirSync(join(folder, 'there'));

  expect(await run(command, name)).toEqual({
    status: 1,
    stdout: '',
    stderr: `groundwork: ${message}\n`,
  });
  expect(readdirSync(folder)).toEqual(['there']);
});

test('a restore changes nothing in a folder that is not empty', async () => {
  const { folder, run } = openProject();
  for (const name of ['backup', 'data']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'backup', 'format.json'), '{"format":1,"store":"a"}');
  writeFileSync(join(folder, 'data', 'mine'), '');

  const ended = await run('restore', 'backup', '--data', 'data');

  expect(ended).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('is not empty (mine)'),
  });
  expect(readdirSync(join(folder, 'data'))).toEqual(['mine']);
});
