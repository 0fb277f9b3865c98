import {
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { machineDisk } from '../../../shared/platforms/local/store/log/disk.ts';
import { pageBytes } from '../../../shared/platforms/local/store/log/record.ts';
import { openStoreReader } from '../../../shared/platforms/local/store/read-only.ts';
import { type LocalStore, openStore } from '../../../shared/platforms/local/store/store.ts';
import type { Store } from '../../../shared/store/store.ts';
import { newId, put, sortKeys, write } from '../fixture.ts';
import { createDisk } from './simulated-disk.ts';

/* Folders as a process leaves them that ends while its writes are in the log only. */

const root = mkdtempSync(join(tmpdir(), 'groundwork-log-'));
afterAll(() => rmSync(root, { recursive: true }));

const unlimited = Number.POSITIVE_INFINITY;
/** Nothing leaves the log. */
const pending = { delayMs: unlimited, bytes: unlimited, mostBytes: unlimited };

const newFolder = () => join(root, newId());

async function open(folder: string, more: object = {}): Promise<LocalStore> {
  const store = await openStore({ path: join(folder, 'store'), now: Date.now, ...more });
  onTestFinished(() => store.close());
  return store;
}

/** Writes items into the log of a folder, and copies it as it is then: as if the process had ended. */
async function endedFolder(names: readonly string[]): Promise<string> {
  const folder = newFolder();
  const store = await open(folder, { limits: pending });
  for (const sk of names) await write(store, put({ pk: 'P', sk }, { indexes: { slot0: sk } }));
  const copy = newFolder();
  cpSync(folder, copy, { recursive: true });
  return copy;
}

const keys = (store: Pick<Store, 'query'>) => sortKeys(store as Store, { pk: 'P', limit: 99 });
const logOf = (folder: string, number = 1) => join(folder, 'store', `log-${number}`);

/** Changes a file of the log from a page on. */
function change(path: string, page: number, by: (pages: Buffer) => void): void {
  const contents = readFileSync(path);
  by(contents.subarray(page * pageBytes));
  writeFileSync(path, contents);
}

describe('a store whose process ended', () => {
  test('has what was in its log, in tables and indexes, and goes on', async () => {
    const folder = await endedFolder(['a', 'b']);

    const store = await open(folder);
    await write(store, put({ pk: 'P', sk: 'c' }));

    expect(await keys(store)).toEqual(['a', 'b', 'c']);
    const indexed = await store.query({ pk: 'P', index: 'slot0', limit: 9 });
    expect(indexed.items.map(({ key }) => key.sk)).toEqual(['a', 'b']);
    expect(store.statistics().pendingBytes).toBe(pageBytes);
  });

  test.each([
    ['is torn', (pages: Buffer) => pages.fill(7, 60, 70)],
    ['has no beginning', (pages: Buffer) => pages.fill(0, 0, 8)],
    ['is zeros', (pages: Buffer) => pages.fill(0)],
    ['has a length that is too great', (pages: Buffer) => pages.writeUInt32LE(2 ** 31, 14)],
  ])('is without the last record when that %s', async (_, by) => {
    const folder = await endedFolder(['a', 'b', 'c']);
    change(logOf(folder), 3, by);

    const store = await open(folder);
    await write(store, put({ pk: 'P', sk: 'd' }));

    expect(await keys(store)).toEqual(['a', 'b', 'd']);
  });

  test('is without the last record when the file ends before it', async () => {
    const folder = await endedFolder(['a', 'b', 'c']);
    writeFileSync(logOf(folder), readFileSync(logOf(folder)).subarray(0, 3 * pageBytes + 100));

    expect(await keys(await open(folder))).toEqual(['a', 'b']);
  });

  test('takes a record once that both files have', async () => {
    const folder = await endedFolder(['a', 'b']);
    cpSync(logOf(folder), logOf(folder, 2));

    expect(await keys(await open(folder))).toEqual(['a', 'b']);
  });

  test('ignores records of before, behind the last one', async () => {
    const folder = newFolder();
    const store = await open(folder);
    for (const sk of ['a', 'b', 'c', 'd']) await write(store, put({ pk: 'P', sk }));
    await store.close(); // applied: the files may be used again
    const again = await open(folder, { limits: pending });
    await write(again, put({ pk: 'P', sk: 'e' }));
    const copy = newFolder();
    cpSync(folder, copy, { recursive: true });

    expect(await keys(await open(copy))).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('is not deceived by items that look like records', async () => {
    const folder = newFolder();
    const store = await open(folder, { limits: pending });
    await write(store, put({ pk: 'P', sk: 'a' }));
    const text = readFileSync(logOf(folder))
      .subarray(pageBytes, 2 * pageBytes)
      .toString('latin1');
    await write(store, put({ pk: 'P', sk: 'b' }, { data: { text: text.repeat(3) } }));
    const copy = newFolder();
    cpSync(folder, copy, { recursive: true });

    expect(await keys(await open(copy))).toEqual(['a', 'b']);
  });
});

describe('a log is refused with words', () => {
  const rows: readonly (readonly [string, (folder: string) => unknown, string])[] = [
    [
      'with damage before its end',
      (folder) => change(logOf(folder), 2, (pages) => pages.fill(7, 60, 70)),
      'record 2 of the log is missing or damaged, and 3 is there',
    ],
    [
      'with zeros before its end',
      (folder) => change(logOf(folder), 1, (pages) => pages.fill(0, 0, 2 * pageBytes)),
      'record 1 of the log is missing or damaged, and 3 is there',
    ],
    ['that is gone', (folder) => rmSync(logOf(folder)), 'the log of the store is gone'],
    [
      'whose file is of something else',
      (folder) => writeFileSync(logOf(folder, 2), 'x'.repeat(9000)),
      'a file of the log is damaged',
    ],
  ];
  test.each(rows)(
    '%s',
    async (_, spoil, words) => {
      const folder = await endedFolder(['a', 'b', 'c']);
      spoil(folder);

      const message = `${words}. restore the whole folder from one backup`;
      await expect(open(folder)).rejects.toThrow(message);
      await expect(openStoreReader(folder)).rejects.toThrow(message);
    },
    20_000,
  );

  test('of another store', async () => {
    const [folder, other] = [await endedFolder(['a']), await endedFolder(['b'])];
    for (const number of [1, 2]) cpSync(logOf(other, number), logOf(folder, number));

    await expect(open(folder)).rejects.toThrow('the log is that of another store');
  });

  test('beside tables that never had one', async () => {
    const [folder, other] = [newFolder(), await endedFolder(['b'])];
    cpSync(logOf(other), logOf(folder));
    cpSync(logOf(other, 2), logOf(folder, 2));

    await expect(open(folder)).rejects.toThrow('the log is that of another store');
  });
});

test.runIf(process.getuid?.() === 0)(
  'the files belong to the owner of the folder, also when an administrator opens it first',
  async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'store'), { recursive: true });
    chownSync(join(folder, 'store'), 65_534, 65_534);

    await open(folder);

    expect([1, 2].map((number) => statSync(logOf(folder, number)).uid)).toEqual([65_534, 65_534]);
  },
);

test('a write that the disk refuses is not stored, now or after a crash', async () => {
  const disk = createDisk(() => 0.9);
  const folder = newFolder();
  const store = await open(folder, { disk, limits: pending });
  await write(store, put({ pk: 'P', sk: 'a' }));
  for (const failing of ['write', 'flush']) {
    disk.fail({ [failing]: Object.assign(new Error('no space'), { code: 'ENOSPC' }) });
    await expect(write(store, put({ pk: 'P', sk: failing }))).rejects.toMatchObject({
      status: 503,
    });
    disk.fail({});
  }
  await write(store, put({ pk: 'P', sk: 'b' }));
  disk.cutPower();
  const copy = newFolder();
  cpSync(folder, copy, { recursive: true });

  expect(await keys(store)).toEqual(['a', 'b']);
  expect(await keys(await open(copy, { disk: moved(disk, folder, copy) }))).toEqual(['a', 'b']);
});

/** Returns a disk on which the files of a folder are in another one. */
function moved(disk: ReturnType<typeof createDisk>, from: string, to: string) {
  const at = (path: string) => path.replace(to, from);
  return {
    create: (path: string, contents: Buffer) => disk.create(at(path), contents),
    read: (path: string) => disk.read(at(path)),
    open: (path: string) => disk.open(at(path)),
  };
}

describe('another process', () => {
  test('reads what is in the log, at the moment when it opens the store', async () => {
    const folder = newFolder();
    const store = await open(folder, { limits: pending });
    await write(store, put({ pk: 'P', sk: 'a' }, { indexes: { slot0: 'x' } }));

    const reader = await openStoreReader(folder);
    onTestFinished(() => reader.close());

    expect(await keys(reader)).toEqual(['a']);
    const taken: string[] = [];
    await reader.walk(['thing'], { take: ({ key }) => taken.push(key.sk), progress: () => {} });
    expect(taken).toEqual(['a']);
  });

  test('makes a copy that has the log, and is recovered as after a crash', async () => {
    const folder = newFolder();
    const store = await open(folder, { limits: pending });
    for (const sk of ['a', 'b']) await write(store, put({ pk: 'P', sk }));
    const reader = await openStoreReader(folder);
    const copy = newFolder();
    mkdirSync(join(copy, 'store'), { recursive: true });
    await reader.snapshot(join(copy, 'store'));
    await reader.close();

    const restored = await open(copy);
    await write(restored, put({ pk: 'P', sk: 'c' }));

    expect(await keys(restored)).toEqual(['a', 'b', 'c']);
    expect(machineDisk.read(logOf(copy))?.length).toBe(4_194_304);
  });
});
