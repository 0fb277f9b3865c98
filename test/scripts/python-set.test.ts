import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import {
  openPackages,
  packagesFolder,
} from '../../shared/platforms/local/scripts/commands/python-set.ts';

test('a start deletes replaced sets, and none that an installation is about to activate', async () => {
  const data = mkdtempSync(join(tmpdir(), 'set-'));
  onTestFinished(() => rmSync(data, { recursive: true }));
  const folder = packagesFolder(data);
  for (const name of ['set-old', 'set-now', 'set-next']) {
    mkdirSync(join(folder, name), { recursive: true });
    await setTimeout(10); // the order is that of the file system's times
  }
  symlinkSync('set-now', join(folder, 'current'));

  const { packages, close } = await openPackages({ level: 'bubblewrap', isRoot: false }, data);
  await close();

  expect(packages).toBe(join(folder, 'set-now'));
  expect(readdirSync(folder).toSorted()).toEqual(['current', 'set-next', 'set-now']);
});
