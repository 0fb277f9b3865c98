import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { checkDataFile } from '../../shared/platforms/local/store/file.ts';
import { openStore, openTemporaryStore } from '../../shared/platforms/local/store/store.ts';
import type { Store } from '../../shared/store/store.ts';
import { storeConformance } from './conformance.ts';
import { change, del, getOne, newId, put, sortKeys, write } from './fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'groundwork-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

storeConformance('LMDB on disk', { open: (now) => openStore({ path: newPath(), now }) });

const unlimited = Number.POSITIVE_INFINITY;
const allPending = { delayMs: unlimited, bytes: unlimited, mostBytes: unlimited };
const allApplied = { delayMs: 0, bytes: 1, mostBytes: 1 };
storeConformance('LMDB with all writes in its log', {
  open: (now) => openStore({ path: newPath(), now, limits: allPending }),
});
storeConformance('LMDB with few writes in its log', {
  open: (now) => openStore({ path: newPath(), now, limits: allApplied }),
});

describe('a temporary store', () => {
  it('works, and starts empty', async () => {
    const key = { pk: 'P', sk: 'S' };
    const first = await openTemporaryStore({ now: Date.now });
    await write(first, put(key));
    const written = await getOne(first, key);
    await first.close();

    const second = await openTemporaryStore({ now: Date.now });

    const found = await getOne(second, key);
    await second.close();
    expect([written?.key, found]).toEqual([key, undefined]);
  });
});

describe('a store that is reopened', () => {
  it('contains its items and indexes', async () => {
    const path = newPath();
    const key = { pk: 'P', sk: 'S' };
    const first = await openStore({ path, now: Date.now });
    await write(first, put(key, { data: { n: 1 }, indexes: { slot0: 'a' } }));
    const written = await getOne(first, key);
    await first.close();

    const second = await openStore({ path, now: Date.now });

    const found = await second.query({ pk: 'P', index: 'slot0', limit: 10 });
    await second.close();
    expect(found.items).toEqual([written]);
  });

  it('continues its counters, also when nothing was written since', async () => {
    const path = newPath();
    const counter = { pk: 'SEQUENCE', sk: 'x' };
    const first = await openStore({ path, now: Date.now });
    await write(first, put({ pk: 'P', sk: 'S' }));
    await first.next(counter, 7);
    await first.close();

    const second = await openStore({ path, now: Date.now });

    const next = await second.next(counter);
    await second.close();
    expect(next).toBe(8);
  });

  it('detects a repeated write', async () => {
    const path = newPath();
    const key = { pk: 'P', sk: 'S' };
    const creation = {
      id: newId(),
      change,
      writes: [put(key, { condition: { kind: 'absent' as const } })],
    };
    const first = await openStore({ path, now: Date.now });
    await first.write(creation);
    await first.close();

    const second = await openStore({ path, now: Date.now });

    await expect(second.write(creation)).resolves.toBeUndefined();
    await second.close();
  });
});

describe('a counter whose number is taken during another write', () => {
  it('is safe as soon as the write that uses the number is acknowledged', async () => {
    const path = newPath();
    const counter = { pk: 'SEQUENCE', sk: 'x' };
    const store = await openStore({ path, now: Date.now });
    await write(store, put({ pk: 'P', sk: 'first' }));
    await store.next(counter);
    const underWay = write(store, put({ pk: 'P', sk: '1' }));
    await new Promise(setImmediate); // now its commit has begun
    await store.next(counter);
    await underWay;
    await write(store, put({ pk: 'P', sk: '2' }));

    const crashed = newPath(); // the state after a crash at this moment
    cpSync(path, crashed, { recursive: true });

    const second = await openStore({ path: crashed, now: Date.now });
    const next = await second.next(counter);
    await Promise.all([store.close(), second.close()]);
    expect(next).toBe(3);
  });
});

describe('a store that is closed', () => {
  it('has finished active writes', async () => {
    const path = newPath();
    const key = { pk: 'P', sk: 'S' };
    const first = await openStore({ path, now: Date.now });
    const writing = write(first, put(key));

    await first.close();

    await writing;
    const second = await openStore({ path, now: Date.now });
    const found = await getOne(second, key);
    await second.close();
    expect(found?.key).toEqual(key);
  });

  it('rejects further writes, and may be closed again', async () => {
    const store = await openStore({ path: newPath(), now: Date.now });
    await store.close();

    await expect(write(store, put({ pk: 'P', sk: 'S' }))).rejects.toThrow('the store is closed');
    await expect(store.close()).resolves.toBeUndefined();
  });
});

describe('concurrent writes', () => {
  it('share a commit', async () => {
    const path = newPath();
    const store = await openStore({ path, now: Date.now });
    for (let round = 0; round < 10; round += 1) {
      const keys = Array.from({ length: 32 }, (_, n) => ({ pk: 'P', sk: `${round}-${n}` }));
      await Promise.all(keys.map((key) => write(store, put(key))));
    }
    await store.close();

    const { lastTxnId } = await inspect(path);

    expect(lastTxnId).toBeLessThan(18); // 10 groups, and the commits of opening and closing
  });

  it('are rejected one by one', async () => {
    const store = await openTemporaryStore({ now: Date.now });
    const keys = Array.from({ length: 10 }, (_, n) => ({ pk: 'P', sk: String(n % 7) }));

    const outcomes = await Promise.allSettled(
      keys.map((key) => write(store, put(key, { condition: { kind: 'absent' } }))),
    );

    const kept = await sortKeys(store, { pk: 'P', limit: 100 });
    await store.close();
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(keys.map((_, n) => n < 7));
    expect(kept).toEqual(['0', '1', '2', '3', '4', '5', '6']);
  });

  it('leave the result of the last one of each item', async () => {
    const path = newPath();
    const store = await openStore({ path, now: Date.now });
    const key = (sk: string) => ({ pk: 'P', sk });
    const as = (n: number) => ({ data: { n }, indexes: { slot0: `at ${n}` } });

    await Promise.all([
      write(store, put(key('changed'), as(1))),
      write(store, put(key('changed'), as(2))),
      write(store, put(key('removed'), as(3))),
      write(store, del(key('removed'))),
      write(store, put(key('made anew'), as(4))),
      write(store, del(key('made anew'))),
      write(store, put(key('made anew'), as(5))),
    ]);

    const query = { pk: 'P', index: 'slot0', limit: 10 } as const;
    const seen = await store.query(query);
    const gone = await getOne(store, key('removed'));
    await store.close();
    const reopened = await openStore({ path, now: Date.now });
    const stored = await reopened.query(query);
    await reopened.close();
    expect(seen.items.map(({ data }) => data)).toEqual([{ n: 2 }, { n: 5 }]);
    expect(gone).toBeUndefined();
    expect(stored).toEqual(seen);
  });
});

describe('readers during writes', () => {
  it('never see an item at another index position than its own', async () => {
    const store = await openStore({ path: newPath(), now: Date.now });
    const torn: unknown[] = [];
    let writing = true;

    async function update(sk: string): Promise<void> {
      for (let n = 0; n < 150; n += 1) {
        const updated = `${String(n).padStart(4, '0')}${sk}`;
        await write(store, put({ pk: 'P', sk }, { data: { updated }, indexes: { updated } }));
      }
    }
    async function read(): Promise<void> {
      while (writing) {
        const page = await store.query({ pk: 'P', index: 'updated', limit: 100 });
        for (const [n, { data }] of page.items.entries()) {
          if (JSON.stringify(data) !== JSON.stringify({ updated: page.positions[n] })) {
            torn.push([data, page.positions[n]]);
          }
        }
        await new Promise(setImmediate);
      }
    }
    const readers = [read(), read()];
    await Promise.all(Array.from({ length: 8 }, (_, n) => update(`writer${n}`)));
    writing = false;
    await Promise.all(readers);

    await store.close();
    expect(torn).toEqual([]);
  });
});

describe('expired items', () => {
  afterEach(() => {
    vi.useRealTimers();
  });
  const day = 86_400;

  /** Lets the removal, which takes turns with writes, run some steps. */
  async function waitForSteps(store: Store): Promise<void> {
    for (let n = 0; n < 10; n += 1) await write(store, put({ pk: 'OTHER', sk: 'x' }));
  }

  function expiring(count: number, expiresAt: number) {
    return Array.from({ length: count }, (_, n) =>
      put({ pk: 'P', sk: String(n) }, { expiresAt, indexes: { slot0: `v${n}` } }),
    );
  }

  it('are removed from the disk when the store is opened', async () => {
    const path = newPath();
    const first = await openStore({ path, now: () => 0 });
    for (const item of expiring(250, day)) await write(first, item);
    await write(first, put({ pk: 'P', sk: 'stays' }, { expiresAt: 3 * day }));
    await first.close();

    const second = await openStore({ path, now: () => 2 * day * 1000 });

    await waitForSteps(second);
    await second.close();
    const { items, indexes } = await inspect(path);
    expect([items, indexes.length]).toEqual([['OTHER\u0000x', 'P\u0000stays'], 1]);
  });

  it('are removed every minute', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const path = newPath();
    let now = 0;
    const store = await openStore({ path, now: () => now });
    await write(store, ...expiring(3, day));
    now = 2 * day * 1000;

    vi.advanceTimersByTime(60_000);

    await waitForSteps(store);
    await store.close();
    expect(await inspect(path)).toMatchObject({ items: ['OTHER\u0000x'], indexes: [] });
  });

  it('that were put again before the removal stay', async () => {
    const path = newPath();
    const first = await openStore({ path, now: () => 0 });
    await write(first, ...expiring(2, day));
    await write(
      first,
      put({ pk: 'P', sk: '0' }),
      put({ pk: 'P', sk: '1' }, { expiresAt: 3 * day }),
    );
    await first.close();

    const second = await openStore({ path, now: () => 2 * day * 1000 });

    await waitForSteps(second);
    await second.close();
    expect((await inspect(path)).items).toEqual(['OTHER\u0000x', 'P\u00000', 'P\u00001']);
  });

  it('that are put again in the commit that would remove them stay', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    let now = 0;
    const store = await openStore({ path: newPath(), now: () => now });
    await write(store, ...expiring(1, day));
    now = 2 * day * 1000;
    const again = write(store, put({ pk: 'P', sk: '0' }));

    vi.advanceTimersByTime(60_000);

    await again;
    await waitForSteps(store);
    const found = await getOne(store, { pk: 'P', sk: '0' });
    await store.close();
    expect(found).toBeDefined();
  });

  it('leave nothing behind when they are deleted explicitly', async () => {
    const path = newPath();
    const store = await openStore({ path, now: () => 0 });
    await write(store, ...expiring(1, day));
    await write(store, del({ pk: 'P', sk: '0' }));
    await store.close();

    expect(await inspect(path)).toMatchObject({ items: [], indexes: [] });
  });
});

describe('a folder without a readable store', () => {
  const rows: readonly (readonly [string, (file: string) => void])[] = [
    ['text', (file) => writeFileSync(file, 'not a database\n'.repeat(1000))],
    ['zeros', (file) => writeFileSync(file, Buffer.alloc(65_536))],
    ['a few bytes', (file) => writeFileSync(file, 'hi')],
  ];
  it.each(rows)('is rejected with its name: %s', async (_, spoil) => {
    const path = newPath();
    mkdirSync(path);
    spoil(join(path, 'data.mdb'));

    await expect(openStore({ path, now: Date.now })).rejects.toThrow(path);
  });

  it.each([0.3, 0.6])('is rejected with its name: a file cut off at %s of it', async (part) => {
    const path = newPath();
    const store = await openStore({ path, now: Date.now });
    const data = { text: 'x'.repeat(200_000) };
    for (let n = 0; n < 60; n += 1) await write(store, put({ pk: 'P', sk: `${n}` }, { data }));
    await store.close();
    const file = join(path, 'data.mdb');
    truncateSync(file, Math.floor(statSync(file).size * part));

    await expect(openStore({ path, now: Date.now })).rejects.toThrow(path);
  });

  it('is not one whose last pages were never written: a commit took them and gave them back', async () => {
    const path = newPath();
    const store = await openStore({ path, now: Date.now });
    await write(store, put({ pk: 'P', sk: 'a' }, { data: { text: 'x'.repeat(200_000) } }));
    await store.close();
    const file = join(path, 'data.mdb');
    const { size } = statSync(file);
    let pages = 0; // behind the last one
    for (; pages < size / 4096; pages += 1) {
      truncateSync(file, size - pages * 4096);
      if (isRejected(file)) break;
    }

    // 2 to 4 MB that are never written, and 4 pages that a commit need not have written
    expect(pages).toBeGreaterThan(512 + 4);
    expect(pages).toBeLessThanOrEqual(1024 + 5);
  });

  it('is rejected with its name: the data of another program', async () => {
    const path = newPath();
    const other = open({ path, noSubdir: false, overlappingSync: false });
    await other.put('their', 'data');
    await other.close();

    await expect(openStore({ path, now: Date.now })).rejects.toThrow(path);
  });
});

function isRejected(file: string): boolean {
  try {
    checkDataFile(file);
    return false;
  } catch {
    return true;
  }
}

function newPath(): string {
  return join(folder, newId());
}

/** Reads the files of a closed store. */
async function inspect(path: string) {
  const environment = open({ path, noSubdir: false, overlappingSync: false });
  const { lastTxnId } = environment.getStats() as { lastTxnId: number };
  const texts = { keyEncoding: 'binary', encoding: 'string' } as const;
  const [items, indexes] = ['items', 'indexes'].map((name) =>
    [...environment.openDB<string, Buffer>(name, texts).getKeys()].map((key) =>
      Buffer.from(key).toString(),
    ),
  );
  await environment.close();
  return { lastTxnId, items: items ?? [], indexes: indexes ?? [] };
}
