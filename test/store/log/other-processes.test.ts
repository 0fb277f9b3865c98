import { expect, test } from 'vitest';
import {
  logFiles,
  openLog,
  parseState,
  recordsAfter,
} from '../../../shared/platforms/local/store/log/log.ts';
import { operationsOf } from '../../../shared/platforms/local/store/log/record.ts';
import { DamagedLog } from '../../../shared/platforms/local/store/log/recovery.ts';
import { logStateKey } from '../../../shared/platforms/local/store/pending/apply.ts';
import { openPending } from '../../../shared/platforms/local/store/pending/pending.ts';
import { recoverLog } from '../../../shared/platforms/local/store/pending/recover.ts';
import { watchStorage } from '../../../shared/platforms/local/store/storage-trouble.ts';
import type { StoredTables } from '../../../shared/platforms/local/store/tables.ts';
import { createRandom, type Random } from '../../city/random.ts';
import { createTables } from './memory-tables.ts';
import { createDisk } from './simulated-disk.ts';

/*
 * Another process reads the state of the tables, both files of the log, the state again, and then the tables, while the
 * server writes, applies and uses files again between any two of these steps. What it gets is the store at one moment,
 * with all that was acknowledged when it began.
 */

type Contents = ReadonlyMap<string, string>;

/** What another process can read at one moment. */
interface Moment {
  readonly files: readonly Buffer[];
  readonly state: string;
  readonly items: Contents;
  /** Number of writes that were acknowledged. */
  readonly acknowledged: number;
}

const seeds = 60;
const reads = 40; // of each seed

test('a reader sees the store at one moment, whatever happens between its steps', async () => {
  const counts = { read: 0, again: 0 };
  for (let seed = 0; seed < seeds; seed += 1) {
    const random = createRandom(seed);
    const { moments, history } = await recordServer(random);
    for (let n = 0; n < reads; n += 1) {
      const at = newSteps(random, moments);
      const seen = readStore(at);
      if (seen === undefined) counts.again += 1;
      else expectMoment(seen, { at, history, seed });
      if (seen !== undefined) counts.read += 1;
    }
  }
  expect(counts.read).toBeGreaterThan(500);
  expect(counts.again).toBeGreaterThan(100);
});

/** Returns the moments of five steps, each soon after the one before. */
function newSteps(random: Random, moments: readonly Moment[]): readonly Moment[] {
  let step = random.integer(0, moments.length - 1);
  return Array.from({ length: 5 }, () => {
    step = Math.min(step + random.integer(0, 6), moments.length - 1);
    return moments[step] as Moment;
  });
}

/** Runs a server; returns what others could read at each of its steps, and its contents after each write. */
async function recordServer(random: Random) {
  const chance = () => random.integer(0, 999_999) / 1_000_000;
  const [disk, stored] = [createDisk(chance), createTables(chance).open()];
  const log = openLog('', disk, await recoverLog(stored, { folder: '', disk }));
  const lines = () => undefined;
  const limits = { delayMs: Number.POSITIVE_INFINITY, bytes: 12_000, mostBytes: 40_000 };
  const pending = openPending({ stored, log, limits, trouble: watchStorage('/', lines), lines });
  const moments: Moment[] = [];
  const history: Contents[] = [new Map()];
  const record = () =>
    moments.push({
      files: logFiles.map((name) => disk.copyOf(name)),
      state: stored.counters.get(logStateKey) ?? '',
      items: itemsOf(stored),
      acknowledged: history.length - 1,
    });

  for (let writes = 30; writes > 0; writes -= 1) {
    const next = new Map(history.at(-1));
    const count = random.chance(0.1) ? 100 : random.integer(1, 3);
    const operations = Array.from({ length: count }, () => {
      const [key, value] = [random.word(1), random.word(4)];
      next.set(key, value);
      return { table: 'items' as const, key, value };
    });
    let isWriting = true;
    const writing = pending.write(operations, { jobs: 1, blocks: random.chance(0.3) }).then(() => {
      history.push(next);
      isWriting = false;
    });
    for (let turns = 0; isWriting && turns < 100; turns += 1) {
      record();
      await Promise.resolve();
    }
    await writing; // it may wait for a timer
    record();
  }
  return { moments, history };
}

function itemsOf({ items }: StoredTables): Contents {
  return new Map([...items.getRange()].map(({ key, value }) => [key, value]));
}

/** Reads as another process does; undefined: it has to read again. */
function readStore([first, one, two, again, tables]: readonly Moment[]): Contents | undefined {
  if (!(first && one && two && again && tables) || first.state !== again.state) return undefined;
  const files = [one.files[0] as Buffer, two.files[1] as Buffer];
  try {
    const { applied } = parseState(tables.state);
    const records = recordsAfter(files, parseState(first.state));
    const contents = new Map(tables.items);
    for (const record of records.filter(({ number }) => number > applied)) {
      for (const { key, value = '' } of operationsOf(record)) contents.set(key, value);
    }
    return contents;
  } catch (error) {
    if (error instanceof DamagedLog) return undefined; // a file was used again between the steps
    throw error;
  }
}

interface Expected {
  readonly at: readonly Moment[];
  readonly history: readonly Contents[];
  readonly seed: number;
}

function expectMoment(seen: Contents, { at, history, seed }: Expected): void {
  const [first, last] = [at[0]?.acknowledged ?? 0, at.at(-1)?.acknowledged ?? 0];
  const possible = history.slice(first, last + 2).map(textOf); // the last one may be stored, and not acknowledged yet
  expect(possible, `seed ${seed}`).toContain(textOf(seen));
}

function textOf(contents: Contents): string {
  return JSON.stringify([...contents].sort());
}
