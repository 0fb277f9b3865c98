import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AwsClient } from 'aws4fetch';
import { expect, onTestFinished, test } from 'vitest';
import { openClient } from '../../shared/clients/client.ts';
import { backUpTo } from '../../shared/platforms/local/backup/back-up-to.ts';
import { identityFile, newBackupKeys } from '../../shared/platforms/local/backup/encryption.ts';
import { restoreFrom } from '../../shared/platforms/local/backup/restore-from.ts';
import { openBucket } from '../../shared/platforms/local/backup/s3/bucket.ts';
import { openObject } from '../../shared/platforms/local/backup/s3/download.ts';
import { uploadObject } from '../../shared/platforms/local/backup/s3/upload.ts';
import { bucketAccess } from '../../shared/platforms/local/backup/storage.ts';
import { openStoredBackups, pruneBackups } from '../../shared/platforms/local/backup/stored.ts';
import { readBackupSettings } from '../../shared/platforms/local/environment.ts';
import { startMoto } from '../aws-emulator/moto.ts';
import { startProcess } from '../support/server-process.ts';

/*
 * Backups in a bucket of a simulator that this project has not written. It checks signatures and policies: each role
 * has the rights of the guide (docs/guides/backups.md#a-bucket), and no other ones.
 */

const policies = {
  writer: ['s3:PutObject', 's3:AbortMultipartUpload'],
  reader: ['s3:GetObject'],
  pruner: ['s3:ListBucket', 's3:DeleteObject'],
} as const;
type Role = keyof typeof policies;

const it = test
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
  .extend('moto', { scope: 'file' }, async ({}, { onCleanup }) => {
    const moto = await startMoto();
    onCleanup(() => moto.stop());
    return moto;
  })
  .extend('settingsOf', { scope: 'file' }, async ({ moto }) => {
    const variablesOf = await setUp(moto.url);
    return (role: Role, more: Readonly<Record<string, string>> = {}) =>
      readBackupSettings({}, { ...variablesOf.get(role), ...more });
  });

const target = 's3://backups'; // without a prefix: moto checks signatures of queries with a slash in another spelling

it('a backup is put, restored and pruned, each with the rights that it needs', async ({
  settingsOf,
}) => {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-moto-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const server = await startProcess(join(folder, 'data'));
  onTestFinished(async () => {
    await server.end('SIGKILL');
  });
  const person = { email: 'ada@example.com', password: 'correct horse' };
  await openClient(server.url)({ path: '/v1.1/account/register/', body: person });
  const keys = await newBackupKeys();
  const identity = join(folder, 'key.txt');
  writeFileSync(identity, identityFile(keys));
  const settings = settingsOf('writer', { GROUNDWORK_BACKUP_RECIPIENT: keys.recipient });

  const first = await backUpTo(join(folder, 'data'), target, { settings });
  const second = await backUpTo(join(folder, 'data'), target, { settings });

  const restore = (role: Role) =>
    restoreFrom(`${target}/${second.name}`, join(folder, role), {
      identity,
      settings: () => settingsOf(role),
    });
  await expect(restore('writer')).rejects.toThrow('403 AccessDenied');
  expect(await restore('reader')).toBe(2);
  const prune = (role: Role) =>
    pruneBackups(openStoredBackups(target, settingsOf(role)), {
      keep: '1',
      isDry: false,
      nowMs: Date.now(),
    });
  await expect(prune('writer')).rejects.toThrow('403 AccessDenied');
  expect(await prune('pruner')).toEqual({ kept: [second.name], deleted: [first.name] });
});

it('an object of several parts is the same when it is read', async ({ settingsOf }) => {
  const content = randomBytes(20_000_000);
  const key = 'prod/groundwork-20260131T000000Z-00000001.tar.age';
  const writer = openBucket('backups', bucketAccess(settingsOf('writer')));

  const bytes = await uploadObject(writer, key, new Blob([content]).stream(), 8_388_608);

  expect(bytes).toBe(content.length);
  const reader = openBucket('backups', bucketAccess(settingsOf('reader')));
  const stored = await openObject(reader, key);
  expect(Buffer.from(await new Response(stored.content).arrayBuffer()).equals(content)).toBe(true);
});

it('a wrong key is an error that says so', async ({ settingsOf }) => {
  const settings = settingsOf('writer', {
    AWS_SECRET_ACCESS_KEY: 'wrong',
    GROUNDWORK_BACKUP_RECIPIENT: 'plain',
  });
  const bucket = openBucket('backups', bucketAccess(settings));

  const upload = uploadObject(bucket, 'x', new Blob(['x']).stream(), 8_388_608);

  await expect(upload).rejects.toThrow('403 SignatureDoesNotMatch');
});

/** Creates the bucket, and a user of each role; returns its variables. */
async function setUp(url: string): Promise<ReadonlyMap<Role, Readonly<Record<string, string>>>> {
  const variablesOf = new Map<Role, Readonly<Record<string, string>>>();
  const root = { accessKeyId: 'root', secretAccessKey: 'root', region: 'us-east-1' };
  const s3 = new AwsClient({ ...root, service: 's3' });
  expect((await s3.fetch(`${url}/backups`, { method: 'PUT' })).status).toBe(200);
  const iam = new AwsClient({ ...root, service: 'iam' });
  const call = async (parameters: Record<string, string>) => {
    const body = new URLSearchParams({ Version: '2010-05-08', ...parameters }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const response = await iam.fetch(url, { method: 'POST', headers, body });
    expect(response.status).toBe(200);
    return response.text();
  };
  for (const [role, actions] of Object.entries(policies)) {
    await call({ Action: 'CreateUser', UserName: role });
    const statement = {
      Effect: 'Allow',
      Action: actions,
      Resource: ['arn:aws:s3:::backups', 'arn:aws:s3:::backups/*'],
    };
    const document = JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
    await call({
      Action: 'PutUserPolicy',
      UserName: role,
      PolicyName: 'backups',
      PolicyDocument: document,
    });
    const created = await call({ Action: 'CreateAccessKey', UserName: role });
    const elementText = (tag: string) => new RegExp(`<${tag}>([^<]+)<`).exec(created)?.[1] ?? '';
    variablesOf.set(role as Role, {
      GROUNDWORK_BACKUP_ENDPOINT: url,
      AWS_ACCESS_KEY_ID: elementText('AccessKeyId'),
      AWS_SECRET_ACCESS_KEY: elementText('SecretAccessKey'),
    });
  }
  await fetch(`${url}/moto-api/reset-auth`, { method: 'POST', body: '0' }); // from now on
  return variablesOf;
}
