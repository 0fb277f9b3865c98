import type { Key } from '../../../store/store.ts';
import type { TakeNumbers } from './counters.ts';

/** A process that uses one counter more often than this in a second takes numbers in advance. */
const busyAsks = 50;
const busyMs = 1000;

/** Numbers taken in advance expire after this time, so that ids of several processes stay nearly in order. */
const blockLifeMs = 200;

/** Maximum numbers taken in advance. */
const maxAhead = 1000;

/** Maximum counters whose use is tracked. */
const maxCounters = 100;

interface Counter {
  /** Times of the last uses, oldest first, in milliseconds; at most `busyAsks`. */
  readonly asks: number[];
  /** The highest number that it returned. */
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
 * Takes numbers of busy counters in blocks: DynamoDB changes one item at most a thousand times a second. Where numbers
 * are rarely needed, each is taken by itself and none is lost.
 *
 * @param take takes numbers from the table
 * @param nowMs epoch milliseconds; not the time that the process ran, which may stop while it is frozen
 * @returns takes numbers; a later call after a result returns a higher one
 */
export function takeInBlocks(take: TakeNumbers, nowMs: () => number): TakeNumbers {
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
  counters.delete(name); // is added again as the youngest
  counters.set(name, counter);
  if (counters.size > maxCounters) {
    const [oldest] = counters.keys();
    if (oldest !== undefined) counters.delete(oldest);
  }
  return counter;
}

/** Estimates the numbers needed in a block's lifetime from recent use; 0 for rare use. */
function numbersAhead(asks: number[], now: number): number {
  asks.push(now);
  if (asks.length <= busyAsks) return 0;
  const durationMs = Math.max(1, now - (asks.shift() ?? now));
  return durationMs > busyMs
    ? 0
    : Math.min(maxAhead, Math.ceil((busyAsks * blockLifeMs) / durationMs));
}

/** Takes from a block that is fresh, has enough, and is above all numbers returned since it was taken. */
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
