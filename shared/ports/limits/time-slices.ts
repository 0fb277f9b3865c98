import { setImmediate } from 'node:timers/promises';
import type { Turns } from '../../store/store.ts';

/** Longest time that one piece of work delays others, in milliseconds. */
export const sliceMs = 4;

const itemsPerCheck = 8; // after each, a list of 100 took 7 % more CPU at 32 connections; now 2 %

/** Returns what `map` returns for each item; between some items it yields to all events that have arrived. */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Result,
): Promise<readonly Result[]> {
  const turns = openTurns();
  const results: Result[] = [];
  for (const item of items) {
    results.push(map(item));
    if (results.length % itemsPerCheck === 0 && turns.isDue()) await turns.pause();
  }
  return results;
}

/** Creates turns for work that is limited otherwise: it yields to all events that have arrived. */
export function openTurns(): Turns {
  let since = performance.now();
  return {
    isDue: () => performance.now() - since > sliceMs,
    pause: async () => {
      await setImmediate();
      since = performance.now();
    },
  };
}
