import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  expiredBackups,
  type StoredBackup,
} from '../../../shared/platforms/local/backup/retention.ts';
import {
  openStoredBackups,
  pruneBackups,
  removeOldDrafts,
} from '../../../shared/platforms/local/backup/stored.ts';
import { readBackupSettings } from '../../../shared/platforms/local/environment.ts';

const dayMs = 86_400_000;
const nowMs = 100 * dayMs;

/** Backups by their ages in days; a minus sign marks one that is not complete. */
const backupsOf = (...ages: readonly number[]): readonly StoredBackup[] =>
  ages.map((age) => ({
    name: `b${age}`,
    storedMs: nowMs - Math.abs(age) * dayMs,
    isGood: age >= 0,
  }));

test.each<[string, readonly StoredBackup[], string, readonly string[]]>([
  ['the newest three stay', backupsOf(1, 2, 3, 4, 5), '3', ['b4', 'b5']],
  ['those of three days stay', backupsOf(1, 2, 3, 4, 5), '3d', ['b4', 'b5']],
  ['the newest stays, however old it is', backupsOf(40, 50), '3d', ['b50']],
  ['one is not deleted', backupsOf(40), '1', []],
  ['incomplete ones do not count, and stay', backupsOf(-1, -2, 40, 50), '1', ['b50']],
  ['incomplete ones do not count as the newest', backupsOf(-1, 40), '1d', []],
  ['without a good one nothing is deleted', backupsOf(-1, -2), '1', []],
])('%s', (_, backups, keep, expected) => {
  expect(expiredBackups(backups, keep, nowMs).map(({ name }) => name)).toEqual(expected);
});

const nameOf = (day: number) => `groundwork-2026010${day}T000000Z-0000000${day}`;

/** Makes a folder with backups of four days, one of them in one file and one not complete, and a file of another. */
function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-retention-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const day of [1, 2, 4]) {
    const path = join(folder, nameOf(day));
    mkdirSync(path);
    if (day !== 4) writeFileSync(join(path, 'format.json'), '{}');
    utimesSync(path, day * 86_400, day * 86_400);
  }
  const file = join(folder, `${nameOf(3)}.tar.age`);
  writeFileSync(file, Buffer.alloc(5000));
  utimesSync(file, 3 * 86_400, 3 * 86_400);
  mkdirSync(join(folder, 'photos'));
  return folder;
}

test('a folder keeps what is complete and new, and what is no backup', async () => {
  const folder = makeFolder();
  const stored = openStoredBackups(folder, readBackupSettings({}, {}));
  const before = readdirSync(folder);

  const dry = await pruneBackups(stored, { keep: '1', isDry: true, nowMs });
  expect(readdirSync(folder)).toEqual(before);
  const done = await pruneBackups(stored, { keep: '1', isDry: false, nowMs });

  expect(done).toEqual({
    kept: [`${nameOf(3)}.tar.age`, nameOf(4)],
    deleted: [nameOf(1), nameOf(2)],
  });
  expect(dry).toEqual(done);
  expect(readdirSync(folder)).toEqual([`${nameOf(3)}.tar.age`, nameOf(4), 'photos']);
});

test('what a killed process has left in a folder is deleted after two days', async () => {
  const folder = makeFolder();
  const [old, fresh] = [`${nameOf(1)}.tar.age.part`, `${nameOf(2)}.4711.part`];
  for (const name of [old, fresh, 'mine.part']) mkdirSync(join(folder, name));
  utimesSync(join(folder, old), 1, 1);
  utimesSync(join(folder, 'mine.part'), 1, 1);

  await removeOldDrafts(folder);

  const left = readdirSync(folder).filter((name) => name.endsWith('.part'));
  expect(left).toEqual([fresh, 'mine.part']);
});

test.each(['0', '', '-1', '3w', '10000'])('a retention of %j is rejected', async (keep) => {
  const stored = openStoredBackups(makeFolder(), readBackupSettings({}, {}));

  await expect(pruneBackups(stored, { keep, isDry: false, nowMs })).rejects.toThrow('--keep takes');
});
