import { expect, test } from 'vitest';
import { openLog } from '../../../shared/platforms/local/store/log/log.ts';
import {
  openPending,
  type Pending,
} from '../../../shared/platforms/local/store/pending/pending.ts';
import { recoverLog } from '../../../shared/platforms/local/store/pending/recover.ts';
import { watchStorage } from '../../../shared/platforms/local/store/storage-trouble.ts';
import type { Range, TableOperation } from '../../../shared/platforms/local/store/tables.ts';
import { createRandom, type Random } from '../../city/random.ts';
import { createTables, entriesIn, type MemoryTables } from './memory-tables.ts';
import { createDisk, type SimulatedDisk } from './simulated-disk.ts';

/*
 * The log and what is pending against a plain map: writes, reads, scans, applications, failing disks, ends of the
 * process and of the power at any point. The disk and the tables are simulated, so that a thousand cuts take seconds.
 * More by hand: `TEST_CUTS=3000 npx vitest run test/store/log`.
 */

const seeds = Number(process.env.TEST_CUTS ?? 120);
const groups = 20;

type Model = ReadonlyMap<string, string>;

const names = ['a', 'ab', 'b', 'c', 'é', 'z', '\uffff', '😀', '\u0001'].flatMap((name) => [
  name,
  `P\u0000${name}`,
]);

test.each(Array.from({ length: groups }, (_, group) => group))(
  'acknowledged operations are there after every cut, and no others: group %i',
  async (group) => {
    for (let seed = group; seed < seeds; seed += groups) {
      await runLives(createRandom(seed)).catch((error: unknown) => {
        throw new Error(`seed ${seed}`, { cause: error });
      });
    }
  },
  600_000,
);

interface Machine {
  readonly random: Random;
  readonly disk: SimulatedDisk;
  readonly memory: MemoryTables;
}

async function runLives(random: Random): Promise<void> {
  const chance = () => random.integer(0, 999_999) / 1_000_000;
  const machine: Machine = { random, disk: createDisk(chance), memory: createTables(chance) };
  let possible: readonly Model[] = [new Map()];
  for (let lives = random.integer(2, 5); lives > 0; lives -= 1) {
    const pending = await open(machine);
    const model = contentsOf(pending);
    expect(possible.map(textOf)).toContain(textOf(model));
    possible = await live(machine, pending, model);
  }
  const pending = await open(machine);
  expect(possible.map(textOf)).toContain(textOf(contentsOf(pending)));
}

async function open({ disk, memory }: Machine): Promise<Pending> {
  const stored = memory.open();
  const log = openLog('', disk, await recoverLog(stored, { folder: '', disk }));
  const lines = () => undefined;
  const trouble = watchStorage('/', lines);
  const limits = { delayMs: 1, bytes: 12_000, mostBytes: 40_000 };
  return openPending({ stored, log, limits, trouble, lines });
}

function contentsOf({ tables }: Pending): Model {
  return new Map([...tables.items.getRange()].map(({ key, value }) => [key, value]));
}

function textOf(model: Model): string {
  return JSON.stringify([...model].sort());
}

/** Lives until a cut or a proper end; returns what may be there afterwards. */
async function live(machine: Machine, pending: Pending, start: Model): Promise<readonly Model[]> {
  const { random } = machine;
  let model = start;
  let isFailing = false;
  for (let steps = random.integer(0, 25); steps > 0; steps -= 1) {
    const hasFailed = isFailing; // an application that began then may still fail
    isFailing = changeFailures(machine, isFailing);
    const operations = newOperations(random);
    const next = applied(model, operations);
    const writing = watched(
      pending.write(operations, { jobs: random.integer(1, 25), blocks: random.chance(0.5) }),
    );
    if (random.chance(0.05)) {
      await turns(random.integer(0, 12));
      end(machine);
      return writing.isStored() ? [next] : [model, next];
    }
    await writing.ended;
    expect(writing.isStored() || isFailing || hasFailed).toBe(true);
    if (writing.isStored()) model = next;
    compare(pending, model, random);
  }
  if (random.chance(0.5)) await pending.close();
  end(machine);
  return [model];
}

async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await Promise.resolve();
}

/** Ends the process and the power. */
function end({ disk, memory }: Machine): void {
  disk.cutPower();
  memory.crash();
}

function watched(writing: Promise<void>) {
  let isStored = false;
  const stored = () => {
    isStored = true;
  };
  return { ended: writing.then(stored, () => undefined), isStored: () => isStored };
}

/** Lets the disk or the tables fail from now on, or no more; returns whether they may fail. */
function changeFailures(machine: Machine, isFailing: boolean): boolean {
  const { random, disk, memory } = machine;
  if (random.chance(0.1)) {
    failSomething(machine);
    return true;
  }
  if (random.chance(0.5)) return isFailing;
  disk.fail({});
  memory.fail(undefined);
  return false;
}

function failSomething({ random, disk, memory }: Machine): void {
  const error = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  if (random.chance(0.3)) disk.fail({ write: error });
  else if (random.chance(0.4)) disk.fail({ flush: error });
  else memory.fail(error);
}

function newOperations(random: Random): readonly TableOperation[] {
  const count = random.chance(0.1) ? 120 : random.integer(1, 4);
  return Array.from({ length: count }, (_, at): TableOperation => {
    const key = count > 4 ? (names[at] ?? `c${at}`) : random.pick(names);
    if (random.chance(0.25)) return { table: 'items', key };
    const length = random.chance(0.1) ? random.integer(4000, 9000) : random.integer(0, 60);
    return { table: 'items', key, value: `é😀${random.integer(0, 99)}`.repeat(length) };
  });
}

function applied(model: Model, operations: readonly TableOperation[]): Model {
  const next = new Map(model);
  for (const { key, value } of operations) {
    if (value === undefined) next.delete(key);
    else next.set(key, value);
  }
  return next;
}

function compare({ tables: { items } }: Pending, model: Model, random: Random): void {
  const key = random.pick(names);
  expect(items.get(key)).toBe(model.get(key));
  const bound = () => (random.chance(0.7) ? random.pick(names) : undefined);
  const [start, end] = [bound(), bound()];
  const range: Range = {
    ...(start !== undefined && { start }),
    ...(end !== undefined && { end }),
    exclusiveStart: random.chance(0.5),
    inclusiveEnd: random.chance(0.5),
    reverse: random.chance(0.5),
    ...(random.chance(0.5) && { limit: random.integer(0, 9) }),
  };
  const expected = entriesIn(model, range);
  expect([...items.getRange(range)]).toEqual(expected);
  expect([...items.getKeys(range)]).toEqual(expected.map(({ key: each }) => each));
}
