import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, onTestFinished, test } from 'vitest';
import { packBackup, unpackArchive } from '../../../shared/platforms/local/backup/archive.ts';
import { backUp } from '../../../shared/platforms/local/backup/backup.ts';
import { restoreDataFolder } from '../../../shared/platforms/local/backup/restore.ts';
import { sendRaw } from '../../support/http-client.ts';
import { accepted } from '../../support/lawful.ts';
import { endProcesses, startProcess } from '../../support/server-process.ts';

afterEach(endProcesses);

test('a backup of a running server has what it acknowledged just before, also as an archive', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-running-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const at = (name: string) => join(folder, name);
  const server = await startProcess(at('data'));
  const people = [0, 1, 2].map((n) => ({ email: `ada${n}@example.com`, password: 'a password' }));

  for (const [n, body] of people.entries()) {
    accepted(await sendRaw(server.url, { path: '/v1.1/account/register/', body }), 201);
    await backUp(at('data'), at(`backup-${n}`)); // within the time that a write may wait in the log
  }
  mkdirSync(at('unpacked'));
  const facts = { name: 'groundwork-1', items: 1, files: 0 };
  await unpackArchive(packBackup(at('backup-2'), facts), at('unpacked'));

  for (const [n, backup] of ['backup-0', 'backup-1', 'backup-2', 'unpacked'].entries()) {
    await restoreDataFolder(at(backup), at(`restored-${n}`));
    const restored = await startProcess(at(`restored-${n}`));
    for (const body of people.slice(0, n + 1)) {
      accepted(await sendRaw(restored.url, { path: '/v1.1/account/auth/', body }), 200);
    }
    await restored.end('SIGTERM');
  }
}, 60_000);
