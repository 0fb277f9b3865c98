import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openLog } from '../../../shared/platforms/local/store/log/log.ts';
import { openPending } from '../../../shared/platforms/local/store/pending/pending.ts';
import { recoverLog } from '../../../shared/platforms/local/store/pending/recover.ts';
import { watchStorage } from '../../../shared/platforms/local/store/storage-trouble.ts';
import type { LogEntry } from '../../../shared/ports/ports.ts';
import { createTables } from './memory-tables.ts';
import { createDisk } from './simulated-disk.ts';

/* Disks that fail for longer than one write. */

async function openFailing() {
  const [disk, memory] = [createDisk(() => 0.5), createTables(() => 0.5)];
  const stored = memory.open();
  const log = openLog('', disk, await recoverLog(stored, { folder: '', disk }));
  const lines: LogEntry[] = [];
  const line = (entry: LogEntry) => {
    if (lines.push(entry) > 100) throw new Error('100 lines: the event loop does not continue');
  };
  const trouble = watchStorage('/', line);
  const limits = { delayMs: 5, bytes: 12_000, mostBytes: 40_000 };
  const pending = openPending({ stored, log, trouble, lines: line, limits });
  const write = (key: string) =>
    pending.write([{ table: 'items', key, value: 'x'.repeat(9000) }], { jobs: 1, blocks: false });
  const failure = (code: number | string) => Object.assign(new Error('failed'), { code });
  return { disk, memory, stored, lines, trouble, pending, write, failure };
}

test('a log that cannot be written is tried once a second, and is written again later', async () => {
  const { disk, lines, write, pending, failure } = await openFailing();
  await write('a');
  await write('b');
  disk.fail({ write: failure('EIO') });
  await expect(write('c')).rejects.toThrow();
  await setTimeout(300);
  expect(lines.length).toBeLessThan(3);

  disk.fail({});
  await setTimeout(1100);
  await write('d');

  await pending.close();
  expect([...pending.tables.items.getKeys()]).toEqual(['a', 'b', 'd']);
});

test('tables that are damaged are not written any more, and what is in the log stays there', async () => {
  const { memory, stored, trouble, write, pending, failure } = await openFailing();
  memory.fail(failure(-30_796));
  await write('a');
  await setTimeout(50);
  expect(() => trouble.checkWritable()).toThrow('503');

  memory.fail(undefined);
  await setTimeout(1100);
  await pending.close();

  expect(stored.items.get('a')).toBeUndefined();
  expect(pending.tables.items.get('a')).toBeDefined();
});

test('writers wait when much is pending, and the files do not grow', async () => {
  const { disk, write, pending } = await openFailing();
  for (let n = 0; n < 600; n += 1) {
    await write(`key ${n}`);
    expect(pending.statistics().pendingBytes).toBeLessThanOrEqual(2 * 52_288);
  }
  await pending.close();

  const sizes = ['log-1', 'log-2'].map((path) => disk.read(path)?.length);
  expect(sizes).toEqual([4_194_304, 4_194_304]);
});
