import type { Key } from '../../../store/store.ts';
import type { Take } from './counters.ts';

/** A process that asks one counter more often than this in a second takes numbers in advance. */
const busyAsks = 50;
const busyMs = 1000;

/** What was taken in advance is dropped after this time, so that ids of several processes stay nearly in order. */
const blockLifeMs = 200;

/** Numbers taken in advance at the most. */
const maxAhead = 1000;

/** Counters of which it is known how often they are asked. */
const maxCounters = 100;

interface Counter {
  /** When it was asked last, oldest first, in milliseconds; `busyAsks` at the most. */
  readonly asks: number[];
  /** The highest number that it gave. */
  highest: number;
  block: Block | undefined;
  /** A block that is being taken. */
  taking: Promise<void> | undefined;
}

interface Block {
  next: number;
  readonly end: number;
  readonly takenMs: number;
}

/**
 * Spares a counter that many ask at once: DynamoDB changes one item a thousand times a second at the most. Where
 * numbers are seldom asked for, each is taken by itself and none is lost.
 *
 * @param take takes numbers from the table
 * @param nowMs epoch milliseconds; not the time that the process ran, which may stand still while it is frozen
 * @returns takes numbers; who asks again after an answer gets a higher one
 */
export function takeInBlocks(take: Take, nowMs: () => number): Take {
  const counters = new Map<string, Counter>();

  async function takeBlock(counter: Counter, key: Key, size: number): Promise<void> {
    try {
      const next = await take(key, size);
      counter.block = { next, end: next + size, takenMs: nowMs() };
    } finally {
      counter.taking = undefined;
    }
  }

  return async (key, count) => {
    const counter = counterAt(counters, `${key.pk}\u0000${key.sk}`);
    const ahead = numbersAhead(counter.asks, nowMs());
    if (ahead === 0) {
      const first = await take(key, count);
      counter.highest = Math.max(counter.highest, first + count - 1);
      return first;
    }
    for (;;) {
      const first = takeFromBlock(counter, count, nowMs());
      if (first !== undefined) return first;
      counter.taking ??= takeBlock(counter, key, count + ahead);
      await counter.taking;
    }
  };
}

function counterAt(counters: Map<string, Counter>, name: string): Counter {
  const counter = counters.get(name) ?? {
    asks: [],
    highest: 0,
    block: undefined,
    taking: undefined,
  };
  counters.delete(name); // comes back as the youngest
  counters.set(name, counter);
  if (counters.size > maxCounters) {
    const [oldest] = counters.keys();
    if (oldest !== undefined) counters.delete(oldest);
  }
  return counter;
}

/** What will be asked for while a block lives, by how often it was asked of late; 0 when that is not often. */
function numbersAhead(asks: number[], now: number): number {
  asks.push(now);
  if (asks.length <= busyAsks) return 0;
  const durationMs = Math.max(1, now - (asks.shift() ?? now));
  return durationMs > busyMs
    ? 0
    : Math.min(maxAhead, Math.ceil((busyAsks * blockLifeMs) / durationMs));
}

/** Takes from a block that is fresh, has enough, and is not behind what was given since it was taken. */
function takeFromBlock(counter: Counter, count: number, now: number): number | undefined {
  const { block, highest } = counter;
  if (block === undefined || block.next <= highest || block.next + count > block.end)
    return undefined;
  const ageMs = now - block.takenMs;
  if (ageMs < 0 || ageMs > blockLifeMs) return undefined; // clocks may be set back
  const first = block.next;
  block.next += count;
  counter.highest = block.next - 1;
  return first;
}
