import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openClient } from '../../shared/clients/client.ts';
import { restoreFrom } from '../../shared/platforms/local/backup/restore-from.ts';
import { readBackupSettings } from '../../shared/platforms/local/environment.ts';
import { StartError } from '../../shared/platforms/local/server/start-error.ts';
import { startObjectServer } from '../support/object-server.ts';
import { startProcess } from '../support/server-process.ts';
import { openProject, type Project } from './groundwork.ts';

/* Backups elsewhere, by the commands and by the server, on a server of objects that is ours. */

const person = { email: 'ada@example.com', password: 'correct horse' };
const scan = 'a scan\n'.repeat(30_000); // more than a chunk of the encryption
const secret = 'wJalrXUtnFEMI';

/** Starts a server of objects. Returns the variables with which programs use it. */
async function startBucket() {
  const objects = await startObjectServer();
  const variables = {
    GROUNDWORK_BACKUP_ENDPOINT: objects.url,
    AWS_ACCESS_KEY_ID: 'AKIA',
    AWS_SECRET_ACCESS_KEY: secret,
  };
  return { objects, variables };
}

/** Creates a data folder with an account, and keys for its backups. */
async function openData() {
  const project = openProject();
  const server = await startProcess(join(project.folder, 'data'));
  const { body } = await openClient(server.url)({ path: '/v1.1/account/register/', body: person });
  const form = new FormData();
  form.append('scan', new Blob([scan]), 'scan.txt');
  const send = openClient(server.url, body.account_key);
  await send({ path: '/v1.1/instances/', body: { name: 'library' } });
  const schema = [{ name: 'scan', type: 'file' }];
  await send({ path: '/v1.1/instances/library/classes/', body: { name: 'book', schema } });
  await send({ path: '/v1.1/instances/library/classes/book/objects/', body: form });
  await server.end('SIGTERM');
  const recipient = await newKey(project, 'key.txt');
  return { ...project, recipient, key: body.account_key as string };
}

async function newKey({ run }: Project, file: string): Promise<string> {
  const { stdout } = await run('backup', 'keygen', '--out', file);
  return stdout.trim();
}

const to = ['--data', 'data', '--to', 's3://backups/prod'];

/** Makes an encrypted backup in a bucket. Returns its name. */
async function backUpToBucket() {
  const [data, bucket] = [await openData(), await startBucket()];
  const made = await data.runWith(
    bucket.variables,
    'backup',
    ...to,
    '--recipient',
    data.recipient,
    '--json',
  );
  expect(made).toMatchObject({ status: 0, stderr: '' });
  const { name } = JSON.parse(made.stdout);
  return { ...data, ...bucket, name: name as string, address: `s3://backups/prod/${name}` };
}

const identity = ['--identity', 'key.txt', '--data', 'restored'];

test('a backup in a bucket is restored on an empty machine with the private key', async () => {
  const { objects, variables, runWith, name, address, folder, key } = await backUpToBucket();
  expect(name).toMatch(/^groundwork-\d{8}T\d{6}Z-[\da-f]{8}\.tar\.age$/);
  const [stored] = [...objects.objects.values()].map(String);
  expect(stored).toMatch(/^age-encryption\.org\/v1\n/);
  expect(stored).not.toContain(person.email);
  expect(readdirSync(join(folder, 'data', 'backup'))).toEqual(['last.json']);
  expect(new Set(objects.requests.map(({ action }) => action))).toEqual(
    new Set(['CreateMultipartUpload', 'UploadPart', 'CompleteMultipartUpload']),
  );

  const ended = await runWith(variables, 'restore', address, ...identity, '--json');

  expect(ended).toMatchObject({ status: 0, stderr: '' });
  expect(JSON.parse(ended.stdout)).toEqual({ data: 'restored', version: 2 });
  const server = await startProcess(join(folder, 'restored'));
  onTestFinished(async () => {
    await server.end('SIGKILL');
  });
  const send = openClient(server.url, key);
  const { body } = await send({ path: '/v1.1/instances/library/classes/book/objects/1/' });
  const file = await send({ path: new URL(body.scan.value).pathname as '/' });
  expect(file.body).toBe(scan);
});

test('a file is restored, and a folder target gets one or a folder', async () => {
  const { run, recipient, folder } = await openData();
  const there = ['--data', 'data', '--to', 'there', '--json'];

  const file = JSON.parse((await run('backup', ...there, '--recipient', recipient)).stdout);
  const plain = JSON.parse((await run('backup', ...there)).stdout);

  expect(readdirSync(join(folder, 'there'))).toEqual([file.name, plain.name].sort());
  expect(statSync(join(folder, 'there', file.name)).mode & 0o777).toBe(0o600);
  expect(existsSync(join(folder, 'there', plain.name, 'format.json'))).toBe(true);
  const restored = await run('restore', `there/${file.name}`, ...identity);
  expect(restored).toMatchObject({ status: 0, stderr: '' });
  const again = await run('restore', `there/${plain.name}`, '--data', 'again');
  expect(again).toMatchObject({ status: 0, stderr: '' });
});

const flip = (at: number) => (content: Buffer) => {
  const copy = Buffer.from(content);
  const index = at < 0 ? copy.length + at : at;
  copy.writeUInt8(copy.readUInt8(index) ^ 1, index);
  return copy;
};

/** Returns where the chunks of an encrypted file begin, which have 64 KiB and 16 bytes each. */
function chunksStart(file: Buffer): number {
  return file.indexOf('\n', file.indexOf('\n---') + 1) + 1 + 16;
}

test('what was changed is not restored, and changes nothing', async () => {
  const data = await backUpToBucket();
  const { objects, variables, name, address, folder } = data;
  const settings = () => readBackupSettings({}, variables);
  const restore = () =>
    restoreFrom(address, join(folder, 'restored'), { identity: join(folder, 'key.txt'), settings });
  const content = objects.objects.get(`prod/${name}`) ?? Buffer.alloc(0);
  const before = readdirSync(folder);
  const edits = [
    flip(5000),
    flip(-1),
    (all: Buffer) => all.subarray(0, -1),
    (all: Buffer) => all.subarray(0, chunksStart(all) + 65_552),
    (all: Buffer) => all.subarray(0, 300),
    (all: Buffer) => Buffer.concat([all, all]),
    () => Buffer.from('hello'),
    () => Buffer.alloc(3_000_000, 'age-encryption.org/v1\n-> X25519 a\n'),
  ];
  for (const edit of edits) {
    objects.objects.set(`prod/${name}`, edit(content));
    await expect(restore()).rejects.toEqual(
      new StartError(`${address} is not complete or was changed: nothing is restored`),
    );
  }
  expect(readdirSync(folder)).toEqual(before);
  objects.objects.set(`prod/${name}`, content);
  expect(await restore()).toBe(2);
});

test('another backup, another key, and a folder with data are rejected', async () => {
  const data = await backUpToBucket();
  const { objects, variables, runWith, name, address, folder, recipient } = data;
  const second = await runWith(variables, 'backup', ...to, '--recipient', recipient, '--json');
  const other = JSON.parse(second.stdout).name;
  const foreign = await newKey(data, 'other.txt');
  const third = await runWith(variables, 'backup', ...to, '--recipient', foreign, '--json');
  const unreadable = JSON.parse(third.stdout).name;
  objects.objects.set(`prod/${name}`, objects.objects.get(`prod/${other}`) ?? Buffer.alloc(0));
  writeFileSync(join(folder, 'nothing.txt'), '# no key\n');
  mkdirSync(join(folder, 'full'));
  writeFileSync(join(folder, 'full', 'mine'), '');
  const before = readdirSync(folder);
  const errorOf = async (...args: readonly string[]) =>
    (await runWith(variables, 'restore', ...args)).stderr.replace('groundwork: ', '').trim();

  expect([
    await errorOf(address, ...identity),
    await errorOf(`s3://backups/prod/${unreadable}`, ...identity),
    await errorOf(address, '--data', 'restored'),
    await errorOf(address, '--data', 'restored', '--identity', 'nothing.txt'),
    await errorOf('s3://backups/prod/photo.jpg', ...identity),
    await errorOf(`s3://backups/prod/groundwork-20260101T000000Z-00000000.tar.age`, ...identity),
    await errorOf(address, '--identity', 'key.txt', '--data', 'full'),
    await errorOf('absent.tar.age', ...identity),
  ]).toEqual([
    `${address} is another backup, ${other}: nothing is restored`,
    'the private key does not open the backup: it is encrypted for another one, or was changed',
    `${address} is encrypted: give --identity, the file with the private key`,
    'the identity file has no private key',
    'name one backup, as groundwork backup list prints it',
    'the bucket responds to GET with 404 NoSuchKey',
    'full is not empty (mine): move it away, or name another folder',
    'absent.tar.age does not exist',
  ]);
  expect(readdirSync(folder)).toEqual(before);
});

test('a bucket is listed and pruned', async () => {
  const { run, runWith } = openProject();
  const { objects, variables } = await startBucket();
  const nameOf = (day: number) => `groundwork-2026010${day}T000000Z-0000000${day}.tar.age`;
  for (const day of [1, 2, 3]) objects.objects.set(`prod/${nameOf(day)}`, Buffer.alloc(5000));
  objects.objects.set('prod/photo.jpg', Buffer.alloc(5000));
  const prune = ['backup', 'prune', '--to', 's3://backups/prod', '--keep', '1'];

  const listed = await runWith(variables, 'backup', 'list', '--to', 's3://backups/prod');
  const dry = await runWith(variables, ...prune, '--dry-run');
  const size = objects.objects.size;
  const pruned = await runWith(variables, ...prune);
  const unkept = await run('backup', 'prune', '--to', 's3://backups/prod');

  expect(listed.stdout.split('\n').map((line) => line.trim())).toEqual([
    nameOf(1),
    nameOf(2),
    nameOf(3),
    '',
  ]);
  expect(dry.stdout).toBe(
    `${nameOf(1)} would be deleted\n${nameOf(2)} would be deleted\n1 are kept\n`,
  );
  expect(size).toBe(4);
  expect(pruned.stdout).toBe(`${nameOf(1)} is deleted\n${nameOf(2)} is deleted\n1 are kept\n`);
  expect([...objects.objects.keys()]).toEqual([`prod/${nameOf(3)}`, 'prod/photo.jpg']);
  expect(unkept).toMatchObject({ status: 2, stderr: 'groundwork: give --keep\n' });
});

test('the server makes backups by its schedule, and says when they fail', async () => {
  const { folder, recipient, run } = await openData();
  const { objects, variables } = await startBucket();
  const server = await startProcess(join(folder, 'data'), {
    variables: {
      ...variables,
      GROUNDWORK_LOG: 'info',
      GROUNDWORK_BACKUP_TO: 's3://backups/prod',
      GROUNDWORK_BACKUP_RECIPIENT: recipient,
    },
  });
  onTestFinished(async () => {
    await server.end('SIGKILL');
  });
  expect(server.output()).toContain(
    'Backups: to s3://backups/prod, by the schedule 0 3 * * * (UTC); there is none yet',
  );

  await expect.poll(server.complaints, { timeout: 60_000 }).toContain('"message":"backup made"');

  expect([...objects.objects.keys()]).toEqual([expect.stringMatching(/^prod\/groundwork-/)]);
  const doctor = await run('doctor', '--data', 'data', '--url', server.url);
  expect(doctor.stdout).toMatch(/ok +backup +the last one is of 20/);
  expect(server.complaints() + server.output()).not.toContain(secret);
});

test('a failed backup of the server is loud', async () => {
  const { folder, recipient, run } = await openData();
  const { objects, variables } = await startBucket();
  objects.misbehave = (_, response) => {
    response.writeHead(403).end(`<Error><Code>AccessDenied</Code><Key>${secret}</Key></Error>`);
    return true;
  };
  const server = await startProcess(join(folder, 'data'), {
    variables: {
      ...variables,
      GROUNDWORK_LOG: 'info',
      GROUNDWORK_BACKUP_TO: 's3://backups/prod',
      GROUNDWORK_BACKUP_RECIPIENT: recipient,
      GROUNDWORK_OPERATOR_MAIL: 'ops@example.com',
    },
  });
  onTestFinished(async () => {
    await server.end('SIGKILL');
  });

  await expect.poll(server.complaints, { timeout: 60_000 }).toContain('"to":"ops@example.com"'); // the mail, which is not sent here

  const reason = 'the bucket responds to POST with 403 AccessDenied';
  expect(server.complaints()).toContain(`"reason":"${reason}"`);
  expect(server.complaints()).toContain('"message":"a backup has failed"');
  expect(server.complaints()).not.toContain(secret);
  const last = () => readFileSync(join(folder, 'data', 'backup', 'last.json'), 'utf8');
  await expect.poll(() => existsSync(join(folder, 'data', 'backup', 'last.json'))).toBe(true);
  expect(JSON.parse(last())).toEqual({ failure: { at: expect.any(String), reason } });
  const doctor = await run('doctor', '--data', 'data', '--url', server.url);
  expect(doctor.stdout).toMatch(/failed +backup .*403 AccessDenied; none has succeeded/);
});

test('a server whose bucket does not respond serves requests, and ends in time', async () => {
  const { folder, recipient } = await openData();
  const { objects, variables } = await startBucket();
  objects.misbehave = () => true;
  const server = await startProcess(join(folder, 'data'), {
    variables: {
      ...variables,
      GROUNDWORK_BACKUP_TO: 's3://backups/prod',
      GROUNDWORK_BACKUP_RECIPIENT: recipient,
    },
  });
  onTestFinished(async () => {
    await server.end('SIGKILL');
  });
  await expect.poll(() => objects.requests.length, { timeout: 60_000 }).toBe(1);

  const health = await fetch(`${server.url}/health`);
  const started = performance.now();
  const code = await server.end('SIGTERM');

  expect(health.status).toBe(200);
  expect(code).toBe(0);
  expect(performance.now() - started).toBeLessThan(6000);
  expect(readdirSync(join(folder, 'data', 'backup'))).toEqual([]); // the process has tidied up
});

test('one backup is made at a time, and one that was killed is in no way', async () => {
  const { folder, recipient, runWith, spawnWith } = await openData();
  const { objects, variables } = await startBucket();
  const backUp = () => runWith(variables, 'backup', ...to, '--recipient', recipient);
  objects.misbehave = () => true; // no response
  const first = spawnWith(variables, 'backup', ...to, '--recipient', recipient);

  await expect.poll(() => objects.requests.length, { timeout: 60_000 }).toBe(1);
  const second = await backUp();
  first.kill('SIGKILL');
  await once(first, 'close');
  const left = readdirSync(join(folder, 'data', 'backup'));
  objects.misbehave = undefined;
  const third = await backUp();

  expect(second).toMatchObject({ status: 1, stderr: 'groundwork: another backup is being made\n' });
  expect(left).toEqual(['draft', 'lock.sock']);
  expect(third).toMatchObject({ status: 0, stderr: '' });
  expect(readdirSync(join(folder, 'data', 'backup'))).toEqual(['last.json']);
});

test('a bucket gets a plain backup only by that word, and a folder keeps some', async () => {
  const { folder, run, runWith } = await openData();
  const { objects, variables } = await startBucket();
  const plain = await runWith(variables, 'backup', ...to, '--recipient', 'plain', '--json');
  const { name } = JSON.parse(plain.stdout);
  const address = `s3://backups/prod/${name}`;
  expect(name).toMatch(/\.tar$/);

  const restored = await runWith(variables, 'restore', address, '--data', 'restored');
  const content = objects.objects.get(`prod/${name}`) ?? Buffer.alloc(0);
  objects.objects.set(`prod/${name}`, flip(70_000)(content));
  const changed = await runWith(variables, 'restore', address, '--data', 'changed');
  const kept = ['backup', '--data', 'data', '--to', 'there', '--keep', '1', '--json'];
  await run(...kept);
  const second = JSON.parse((await run(...kept)).stdout);

  expect(restored).toMatchObject({ status: 0, stderr: '' });
  expect(changed.stderr).toContain('is not complete or was changed: nothing is restored');
  expect(existsSync(join(folder, 'changed'))).toBe(false);
  expect(readdirSync(join(folder, 'there'))).toEqual([second.name]);
});

test.each([
  [
    ['backup', '--to', 's3://backups/x'],
    1,
    'a bucket gets encrypted backups: set GROUNDWORK_BACKUP_RECIPIENT',
  ],
  [
    ['backup', '--to', 's3://backups/x', '--recipient', 'plain'],
    1,
    'a bucket needs AWS_ACCESS_KEY_ID',
  ],
  [
    ['backup', '--to', 'x', '--recipient', 'me'],
    1,
    'GROUNDWORK_BACKUP_RECIPIENT takes a public key',
  ],
  [['backup'], 2, 'name a folder, or give --to'],
  [['backup', 'x', '--to', 'y'], 2, 'a folder and --to exclude each other'],
  [['backup', 'prune', '--keep', '3'], 2, 'give --to'],
])('%j ends with %i: %s', async (args, status, message) => {
  const { run } = openProject();

  const ended = await run(...args);

  expect(ended).toMatchObject({ status, stdout: '', stderr: expect.stringContaining(message) });
});

test('a target in the data folder is rejected: its backups would be deleted, or contain themselves', async () => {
  const { run, folder } = await openData();
  symlinkSync(join(folder, 'data', 'files'), join(folder, 'link'));
  const targets = ['data', 'data/backup/draft', 'data/files/content/new', 'link/content'];

  const elsewhere = await Promise.all(
    targets.map((target) => run('backup', '--data', 'data', '--to', target)),
  );
  const plain = await run('backup', 'link/content/new', '--data', 'data');

  for (const { status, stderr } of [...elsewhere, plain]) {
    expect([status, stderr]).toEqual([1, expect.stringContaining('cannot be in it')]);
  }
  expect(readdirSync(join(folder, 'data')).filter((name) => /^groundwork-/.test(name))).toEqual([]);
});
