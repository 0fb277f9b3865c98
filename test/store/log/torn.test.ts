import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { openStoreReader } from '../../../shared/platforms/local/store/read-only.ts';
import { openStore } from '../../../shared/platforms/local/store/store.ts';
import type { Key, Store } from '../../../shared/store/store.ts';
import { newId, put, write } from '../fixture.ts';

/* What readers, snapshots and copies see while operations leave the log for the tables. */

const root = mkdtempSync(join(tmpdir(), 'groundwork-torn-'));
afterAll(() => rmSync(root, { recursive: true }));

const unlimited = Number.POSITIVE_INFINITY;
const pending = { delayMs: unlimited, bytes: unlimited, mostBytes: unlimited };
const turn = () => new Promise((resolve) => setImmediate(resolve));
const newFolder = () => join(root, newId());
const open = (folder: string, more: object = {}) =>
  openStore({ path: join(folder, 'store'), now: Date.now, ...more });

/** Copies a store as a backup does. */
async function copyOf(reader: Awaited<ReturnType<typeof openStoreReader>>): Promise<string> {
  const copy = newFolder();
  mkdirSync(join(copy, 'store'), { recursive: true });
  await reader.snapshot(join(copy, 'store'));
  await reader.close();
  return copy;
}

test('a large commit is seen as a whole, also over items in the log', async () => {
  const store = await open(newFolder(), { cacheBytes: 1 });
  const keys = Array.from({ length: 98 }, (_, at): Key => ({ pk: 'P', sk: String(at) }));
  const writeAll = (round: number) =>
    write(store, ...keys.map((key) => put(key, { data: { round } })));
  const seen: unknown[] = [];

  for (let round = 0; round < 60; round += 1) {
    await writeAll(-round);
    await write(store, put({ pk: 'P', sk: '0' }, { data: { round: round + 0.5 } }));
    let isWriting = true;
    const writing = writeAll(round + 1).finally(() => {
      isWriting = false;
    });
    while (isWriting) {
      await turn();
      seen.push(await roundsOf(store, keys));
      const snapshot = store.openSnapshot?.() ?? expect.fail('there are no snapshots');
      const { items } = await snapshot.query({ pk: 'P', limit: 2 });
      seen.push(items.map(({ data }) => (data as { round: number }).round));
      snapshot.close();
    }
    await writing;
  }
  await store.close();

  // the first is in the log with half a round, or both are of one round
  const torn = (seen as [number, number][]).filter(([first, other]) => {
    return first !== other && Number.isInteger(first);
  });
  const mixed = (seen as [number, number][]).filter(([first, other]) => {
    return !Number.isInteger(first) && other > 0;
  });
  expect([torn, mixed]).toEqual([[], []]);
}, 60_000);

async function roundsOf(store: Store, keys: readonly Key[]): Promise<readonly number[]> {
  const items = await store.get(keys.slice(0, 2));
  return items.flatMap((item) =>
    item === undefined ? [] : (item.data as { round: number }).round,
  );
}

test('a copy that is made during an application has whole transactions', async () => {
  const folder = newFolder();
  const store = await open(folder, { limits: pending });
  await write(store, put({ pk: 'P', sk: 'first' }));
  const reader = await openStoreReader(folder); // has the first one in its layer
  for (let n = 0; n < 300; n += 1) {
    const puts = Array.from({ length: 20 }, (_, at) => {
      const sk = `${String(n).padStart(4, '0')}-${at}`;
      return put({ pk: at % 2 === 0 ? 'LEFT' : 'RIGHT', sk }, { indexes: { slot0: sk } });
    });
    await write(store, ...puts);
  }
  const closing = store.close(); // applies all of it
  const key = { pk: 'LEFT', sk: '0000-0' };
  while ((await reader.get([key]))[0] === undefined) await turn();

  const restored = await open(await copyOf(reader));
  await closing;

  const counts = await Promise.all(
    ['LEFT', 'RIGHT'].flatMap((pk) => [count(restored, pk), count(restored, pk, 'slot0')]),
  );
  await restored.close();
  expect(counts).toEqual([3000, 3000, 3000, 3000]);
}, 60_000);

async function count(store: Store, pk: string, index?: 'slot0'): Promise<number> {
  let found = 0;
  for (let last: string | undefined; ; ) {
    const lower = last === undefined ? undefined : { key: last, inclusive: false };
    const page = await store.query({
      pk,
      limit: 1000,
      ...(index && { index }),
      ...(lower && { lower }),
    });
    found += page.items.length;
    last = page.positions.at(-1);
    if (!page.more) return found;
  }
}

test('a copy with much in its log can be opened: LMDB crashes if its first commit is large', async () => {
  const folder = newFolder();
  const first = await open(folder);
  const keyOf = (n: number) => ({ pk: 'P', sk: String((n * 7919) % 20_000).padStart(6, '0') });
  for (let n = 0; n < 20_000; n += 500) {
    const puts = Array.from({ length: 99 }, (_, at) => keyOf(n + at * 5));
    await write(first, ...puts.map((key) => put(key, { data: { text: 'x'.repeat(300) } })));
  }
  await first.close();
  const store = await open(folder, { limits: pending });
  for (let n = 0; n < 3000; n += 20) {
    const puts = Array.from({ length: 20 }, (_, at) => keyOf(n + at));
    await write(store, ...puts.map((key) => put(key, { data: { text: 'y'.repeat(200) } })));
  }
  const copy = await copyOf(await openStoreReader(folder));
  await store.close();

  const program = fileURLToPath(new URL('../open-store.ts', import.meta.url));
  const path = join(copy, 'store');
  const { status, signal } = spawnSync(process.execPath, ['--import', 'tsx', program, path]);

  expect({ status, signal }).toEqual({ status: 0, signal: null });
}, 60_000);
