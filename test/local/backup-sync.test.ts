import { existsSync, mkdtempSync, readlinkSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openClient } from '../../shared/clients/client.ts';
import { backUp } from '../../shared/platforms/local/backup/backup.ts';
import { restoreDataFolder } from '../../shared/platforms/local/backup/restore.ts';
import { startProcess } from '../support/server-process.ts';

const knowsPaths = existsSync('/proc/self/fd');

/** Records the paths below a folder that are flushed to the disk, relative to it. */
async function watchFlushes(folder: string) {
  const flushed: string[] = [];
  const file = await open(folder, 'r');
  const { sync } = Object.getPrototypeOf(file);
  const spy = vi.spyOn(Object.getPrototypeOf(file), 'sync');
  spy.mockImplementation(function (this: typeof file) {
    flushed.push(relative(folder, readlinkSync(`/proc/self/fd/${this.fd}`)));
    return sync.call(this);
  });
  await file.close();
  onTestFinished(() => spy.mockRestore());
  return flushed;
}

test.skipIf(!knowsPaths)(
  'a backup and a restored folder are on the disk when they are reported',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'groundwork-sync-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const server = await startProcess(join(folder, 'data'));
    const person = { email: 'ada@example.com', password: 'p' };
    await openClient(server.url)({ path: '/v1.1/account/register/', body: person });
    await server.end('SIGTERM');
    const flushed = await watchFlushes(folder);

    await backUp(join(folder, 'data'), join(folder, 'backup'));

    const draft = `backup.${process.pid}.part`;
    const parts = [
      'store/data.mdb',
      'store',
      'secrets.json',
      'format.json',
      'files/content',
      'files',
      '',
    ];
    expect(flushed).toEqual(expect.arrayContaining(parts.map((part) => join(draft, part))));
    expect(flushed.at(-1)).toBe(''); // the folder in which its name is

    flushed.length = 0;
    await restoreDataFolder(join(folder, 'backup'), join(folder, 'restored'));

    const restored = parts.map((part) => join('restored', part));
    expect(flushed).toEqual(expect.arrayContaining(restored));
    // the store last: without it there is nothing that old keys open
    expect(flushed.indexOf('restored/secrets.json')).toBeLessThan(
      flushed.indexOf('restored/store/data.mdb'),
    );
  },
);
