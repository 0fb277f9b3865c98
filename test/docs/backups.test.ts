import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { openClient } from '../../shared/clients/client.ts';
import { startObjectServer } from '../support/object-server.ts';
import { startProcess } from '../support/server-process.ts';

/* The commands of the page on backups, run in their order beside a data folder. */

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const guide = readFileSync(join(root, 'docs/guides/backups.md'), 'utf8');
const blocks = [...guide.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
const program = join(root, 'bin/groundwork.mjs');

test('each block of commands works as printed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-guide-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const server = await startProcess(join(folder, '.groundwork'));
  onTestFinished(async () => {
    await server.end('SIGKILL');
  });
  const person = { email: 'ada@example.com', password: 'correct horse' };
  const { body } = await openClient(server.url)({ path: '/v1.1/account/register/', body: person });
  const objects = await startObjectServer();
  const env: Record<string, string | undefined> = {
    PATH: process.env.PATH,
    HOME: folder,
    GROUNDWORK_URL: server.url,
    GROUNDWORK_ACCOUNT_KEY: body.account_key,
    GROUNDWORK_BACKUP_ENDPOINT: objects.url,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'AKIA',
    AWS_SECRET_ACCESS_KEY: 'secret',
    GROUNDWORK_BACKUP_TO: 's3://example-backups/groundwork',
  };
  const printed: string[] = [];
  for (const block of blocks) {
    const script = block.replaceAll('bin/groundwork.mjs', program);
    const ended = run('/bin/sh', ['-ec', script], { cwd: folder, env });
    const isDoctor = block.includes('doctor --data'); // it misses an instance here, which is no part of the page
    const { stdout } = await (isDoctor ? ended.catch((error: { stdout: string }) => error) : ended);
    if (block.includes('keygen')) env.GROUNDWORK_BACKUP_RECIPIENT = stdout.trim();
    printed.push(stdout);
  }

  const [keygen, backup, doctor, retention, drill] = printed;
  expect(keygen).toMatch(/^age1[\da-z]{58}\n$/);
  expect(backup).toMatch(
    /to s3:\/\/example-backups\/groundwork: \d+ items, 0 files\.\nIts name is /,
  );
  expect(doctor).toMatch(/ok +backup +the last one is of 20/);
  expect(retention).toMatch(/^groundwork-.*\n1 are kept\n1 are kept\n$/);
  expect(drill).toContain('Restored s3://example-backups/groundwork/groundwork-');
  expect(blocks).toHaveLength(5);
  expect(existsSync(join(folder, 'drill'))).toBe(false);
});
