import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { openStore } from '../../shared/platforms/local/store/store.ts';
import { type IndexName, indexNames, type Store, type Stored } from '../../shared/store/store.ts';

const writer = fileURLToPath(new URL('./crash-writer.ts', import.meta.url));

/** The writer's line for an acknowledged transaction. */
export interface Acknowledged {
  readonly number: number;
  readonly sk: string;
  readonly version: string;
  readonly deleted?: true;
}

interface PairData {
  readonly number: number;
  readonly step: number;
  readonly indexes: Partial<Record<IndexName, string>>;
}

/** How a writer ends. */
export interface WriterEnd {
  readonly round: number;
  /** Time after its first acknowledgement. */
  readonly delayMs: number;
  /** Is called before it is killed. */
  readonly before?: () => void;
}

/** Opens the store that a writer left, and demands all that it has acknowledged, in whole transactions. */
export async function expectStore(path: string, acknowledged: readonly Acknowledged[]) {
  const store = await openStore({ path, now: Date.now });
  const left = await readAll(store, 'LEFT');
  const right = await readAll(store, 'RIGHT');
  const indexed = await Promise.all(indexNames.map((name) => readIndex(store, name)));
  const next = await store.next({ pk: 'CRASH#SEQUENCE', sk: 'number' });
  await store.close();

  expectAcknowledged(acknowledged, left);
  expect(right.map(withoutPartition)).toEqual(left.map(withoutPartition));
  expect(indexed.flat().sort()).toEqual(left.flatMap(indexEntries).sort());
  const greatest = acknowledged.reduce((most, { number }) => Math.max(most, number), 0);
  expect(next).toBeGreaterThan(greatest);
}

/** Lets the writer work for `delayMs` after its first acknowledgement, kills it, and returns what it printed. */
export async function writeUntilKilled(
  path: string,
  { round, delayMs, before = () => undefined }: WriterEnd,
): Promise<Acknowledged[]> {
  const child = spawn(process.execPath, ['--import', 'tsx', writer, path, String(round)], {
    stdio: ['ignore', 'pipe', 'ignore'], // its last errors are those of a disk that is gone
  });
  const lines: Acknowledged[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => {
    const kill = () => {
      before();
      child.kill('SIGKILL');
    };
    if (lines.length === 0) setTimeout(kill, delayMs);
    if (line.endsWith('}')) lines.push(JSON.parse(line)); // the last line may be cut off
  });
  await once(reader, 'close');
  return lines;
}

/** Checks that each pair is at least as new as its last acknowledgement. */
function expectAcknowledged(acknowledged: readonly Acknowledged[], items: readonly Stored[]): void {
  const found = new Map(items.map((item) => [item.key.sk, item]));
  const last = new Map(acknowledged.map((line) => [line.sk, line]));
  const lost = [...last.values()].filter((line) => {
    const item = found.get(line.sk);
    if (line.deleted) return item !== undefined;
    if (item === undefined) return line.number % 5 !== 0; // its deletion may have come before the kill
    return item.version !== line.version && dataOf(item).step < 2;
  });
  expect(lost).toEqual([]);
}

async function readAll(store: Store, pk: string): Promise<Stored[]> {
  const items: Stored[] = [];
  for (;;) {
    const last = items.at(-1)?.key.sk;
    const lower = last === undefined ? {} : { lower: { key: last, inclusive: false } };
    const page = await store.query({ pk, limit: 1000, ...lower });
    items.push(...page.items);
    if (!page.more) return items;
  }
}

async function readIndex(store: Store, index: IndexName): Promise<string[]> {
  const found: string[] = [];
  let last: string | undefined;
  for (;;) {
    const lower = last === undefined ? {} : { lower: { key: last, inclusive: false } };
    const page = await store.query({ pk: 'LEFT', index, limit: 1000, ...lower });
    found.push(...page.items.map(({ key }, n) => `${index} ${page.positions[n]} ${key.sk}`));
    if (!page.more) return found;
    last = page.positions.at(-1);
  }
}

function indexEntries(item: Stored): string[] {
  return Object.entries(dataOf(item).indexes).map(([name, key]) => `${name} ${key} ${item.key.sk}`);
}

function withoutPartition({ key, version, data }: Stored): unknown {
  return { sk: key.sk, version, data };
}

function dataOf(item: Stored): PairData {
  return item.data as PairData; // written by the crash writer
}
