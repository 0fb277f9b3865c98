import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createItemCache } from '../../shared/platforms/local/store/cache/item-cache.ts';
import { createGroupCommit, type GroupCommit } from '../../shared/platforms/local/store/commit.ts';
import { type CommitMode, openCommitMode } from '../../shared/platforms/local/store/commit-mode.ts';
import { createCounters } from '../../shared/platforms/local/store/counters.ts';
import { openFeed } from '../../shared/platforms/local/store/feed.ts';
import { machineDisk } from '../../shared/platforms/local/store/log/disk.ts';
import { openLog } from '../../shared/platforms/local/store/log/log.ts';
import { applicationLimits } from '../../shared/platforms/local/store/pending/application.ts';
import { openPending, type Pending } from '../../shared/platforms/local/store/pending/pending.ts';
import { recoverLog } from '../../shared/platforms/local/store/pending/recover.ts';
import { watchStorage } from '../../shared/platforms/local/store/storage-trouble.ts';
import { openTables, type StoredTables } from '../../shared/platforms/local/store/tables.ts';

const small = { jobs: 1, operations: 3 };

describe('a commit blocks the event loop', () => {
  let nowMs = 0;
  let mode: CommitMode;

  beforeEach(() => {
    nowMs = 0;
    mode = openCommitMode(() => nowMs);
  });

  /** Records commits of one writer, after which the next commit may block the loop. */
  function settle(ms: number) {
    for (let n = 0; n < 8; n += 1) {
      expect(mode.mayBlock(small)).toBe(false);
      mode.took(ms, false);
    }
  }

  it('when one writer is alone on a fast disk', () => {
    settle(2);

    expect([mode.mayBlock(small), mode.mayBlock(small)]).toEqual([true, true]);
  });

  it.each([
    ['the disk is slow', () => settle(6), small],
    ['it is large', () => settle(1), { jobs: 1, operations: 33 }],
    ['others write as well', () => settle(1), { jobs: 2, operations: 3 }],
    [
      'others read',
      () => {
        settle(1);
        for (let n = 0; n < 9; n += 1) mode.read();
      },
      small,
    ],
    [
      'the last one took long',
      () => {
        settle(1);
        mode.took(6, true);
        nowMs += 599;
      },
      small,
    ],
  ])('not when %s', (_, before, size) => {
    before();

    expect(mode.mayBlock(size)).toBe(false);
  });

  it('again after a pause', () => {
    settle(1);
    mode.took(6, true);
    nowMs += 600;

    expect(mode.mayBlock(small)).toBe(true);
  });

  it('again when there were no other writers for a while', () => {
    settle(1);
    mode.mayBlock({ jobs: 2, operations: 3 });
    settle(1);

    expect(mode.mayBlock(small)).toBe(true);
  });
});

describe.each([
  ['in the event loop', true],
  ['in a thread of its own', false],
])('a commit %s', (_, blocks) => {
  let folder: string;
  let stored: StoredTables;
  let pending: Pending;
  let commits: GroupCommit;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'groundwork-mode-'));
    stored = openTables({ folder, durable: true });
    const trouble = watchStorage(folder, () => undefined);
    const state = await recoverLog(stored, { folder, disk: machineDisk });
    const log = openLog(folder, machineDisk, state);
    const lines = () => undefined;
    pending = openPending({ stored, log, limits: applicationLimits, trouble, lines });
    const { tables } = pending;
    commits = createGroupCommit({
      pending,
      cache: createItemCache(1_000_000),
      counters: createCounters(tables),
      feed: openFeed(tables, []),
      mode: { mayBlock: () => blocks, took: () => undefined },
      trouble,
    });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await pending.close();
    await stored.close();
    rmSync(folder, { recursive: true });
  });

  const put = (key: string, value: string) =>
    commits.submit(() => ({ operations: [{ table: 'items', key, value }], result: key }));

  it('is stored when it is acknowledged', async () => {
    const results = await Promise.all(['a', 'b'].map((key) => put(key, 'x'.repeat(10_000))));

    expect(results).toEqual(['a', 'b']);
    const { items } = pending.tables;
    expect([items.get('a')?.length, items.get('b')?.length]).toEqual([10_000, 10_000]);
  });

  it('that fails changes nothing, and does not delay the next one', async () => {
    const long = 'k'.repeat(5000); // the library rejects a key of this length
    const failing = commits.submit(() => ({
      operations: [
        { table: 'items', key: 'a', value: '1' },
        { table: 'items', key: long, value: '1' },
      ],
      result: undefined,
    }));

    await expect(failing).rejects.toThrow('nothing was written');
    await put('b', '2');

    const { items } = pending.tables;
    expect([items.get('a'), items.get('b')]).toEqual([undefined, '2']);
  });
});
