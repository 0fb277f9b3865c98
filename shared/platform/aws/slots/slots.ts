import { type Entrant, instanceLimits, type Leave, type Places } from '../../../scripts/slots.ts';
import { look, placeNumbers, takePlace } from './items.ts';
import { type LineServices, waitForTurn } from './queue.ts';

/** Places that several processes share. */
export interface SharedPlaces extends Places {
  /** Resolves when what this process has begun to give back is given back. Never rejects. */
  settled(): Promise<void>;
}

/**
 * Opens the places of all processes: items of the table, one a place, there while it is taken. A run without company
 * writes one and removes it. Nobody is told of anything: who waits for a place looks for one again and again.
 *
 * Clocks matter by their differences: a place is taken over sooner or later by them, and the line is out of order.
 */
export function openPlaces(services: LineServices): SharedPlaces {
  /** Instances that had a line when this process looked last: a run that comes looks before it takes a place. */
  const crowded = new Set<number>();
  const leaving = new Set<Promise<void>>();

  async function take(run: Entrant, numbers: readonly number[]): Promise<Leave | undefined> {
    const number = numbers[Math.floor(Math.random() * numbers.length)];
    const leave = number === undefined ? undefined : await takePlace(services, run, number);
    if (leave === undefined) return undefined;
    return () => {
      const left = leave().finally(() => leaving.delete(left));
      leaving.add(left);
    };
  }

  return {
    enter: async (run) => {
      const { instance } = run;
      const first = crowded.has(instance) ? undefined : await take(run, placeNumbers);
      if (first !== undefined) return first;
      const { free, waiters } = await look(services, instance, instanceLimits.waiting);
      if (waiters.length === 0) {
        crowded.delete(instance);
        const leave = await take(run, free);
        if (leave !== undefined) return leave;
      }
      if (waiters.length >= instanceLimits.waiting) return 'full';
      crowded.add(instance);
      return waitForTurn(services, run, take);
    },
    settled: async () => {
      await Promise.all(leaving);
    },
  };
}
