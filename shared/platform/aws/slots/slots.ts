import { type Entrant, instanceLimits, type Release, type Slots } from '../../../scripts/slots.ts';
import { look, slotNumbers, takeSlot } from './items.ts';
import { type QueueServices, waitForTurn } from './queue.ts';

/** Slots that several processes share. */
export interface SharedSlots extends Slots {
  /** Resolves when all slots that this process is releasing are released. Never rejects. */
  settled(): Promise<void>;
}

/**
 * Opens the slots of all processes: items of the table, one a slot, which exist while it is taken. A run without
 * competition writes one and deletes it. There are no notifications: waiters poll for a slot.
 *
 * Differences between clocks of processes change when a slot is taken over, and the order of the queue.
 */
export function openSlots(services: QueueServices): SharedSlots {
  /** Instances that had a queue at this process's last check: a new run checks before it takes a slot. */
  const crowded = new Set<number>();
  const releasing = new Set<Promise<void>>();

  async function take(run: Entrant, numbers: readonly number[]): Promise<Release | undefined> {
    const number = numbers[Math.floor(Math.random() * numbers.length)];
    const release = number === undefined ? undefined : await takeSlot(services, run, number);
    if (release === undefined) return undefined;
    return () => {
      const released = release().finally(() => releasing.delete(released));
      releasing.add(released);
    };
  }

  return {
    enter: async (run) => {
      const { instance } = run;
      const first = crowded.has(instance) ? undefined : await take(run, slotNumbers);
      if (first !== undefined) return first;
      const { free, waiters } = await look(services, instance, instanceLimits.waiting);
      if (waiters.length === 0) {
        crowded.delete(instance);
        const release = await take(run, free);
        if (release !== undefined) return release;
      }
      if (waiters.length >= instanceLimits.waiting) return 'full';
      crowded.add(instance);
      return waitForTurn(services, run, take);
    },
    settled: async () => {
      await Promise.all(releasing);
    },
  };
}
