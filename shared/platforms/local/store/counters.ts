import { CounterEnded, type Key } from '../../../store/store.ts';
import { itemKey } from './keys.ts';
import type { TableOperation, Tables } from './tables.ts';

/**
 * Counters, kept in memory and written with the next commit: a number that an acknowledged write used is in the same
 * commit, or in an earlier one.
 */
export interface Counters {
  /**
   * Takes `count` numbers and returns the first.
   *
   * @throws CounterEnded when they would exceed `most`; none is taken then
   */
  take(counter: Key, count: number, most: number): number;
  /** Resets a counter that is no longer used; returns the operations to write, empty when it is no counter. */
  forget(key: string): readonly TableOperation[];
  /** Returns the operations that make all numbers taken so far durable. */
  save(): readonly TableOperation[];
  /** Reports that the last result of `save` is durable. */
  saved(): void;
}

export function createCounters({ counters }: Tables): Counters {
  const last = new Map<string, number>();
  const unsaved = new Set<string>();
  const underway = new Map<string, number>();

  return {
    take: (counter, count, most) => {
      if (!Number.isInteger(count) || count < 1) throw new Error(`cannot take ${count} numbers`);
      const key = itemKey(counter);
      const taken = last.get(key) ?? Number(counters.get(key) ?? '0');
      if (taken + count > most) throw new CounterEnded(counter);
      last.set(key, taken + count);
      unsaved.add(key);
      return taken + 1;
    },
    forget: (key) => {
      if (!last.delete(key) && counters.get(key) === undefined) return [];
      unsaved.delete(key);
      return [{ table: 'counters', key }];
    },
    save: () => {
      underway.clear();
      for (const key of unsaved) underway.set(key, last.get(key) ?? 0);
      return [...underway].map(([key, number]) => ({
        table: 'counters',
        key,
        value: String(number),
      }));
    },
    saved: () => {
      for (const [key, number] of underway) {
        if (last.get(key) === number) unsaved.delete(key);
      }
    },
  };
}
