import type { Entrant, ReleaseSlot, Slots } from '../../../scripts/slots.ts';
import {
  type HeldSlot,
  look,
  releaseSlot,
  renewSlot,
  slotNumbers,
  takeRunSlot,
  useOf,
} from './items.ts';
import { type QueueServices, waitForTurn } from './queue.ts';

/** Slots that several processes share. */
export interface SharedSlots extends Slots {
  /** Takes a slot or waits for one, as long as a process waits with the run. */
  enter(run: Entrant): Promise<ReleaseSlot | 'late' | 'full'>;
  /** Uses a slot that another process has taken for a run. */
  adopt(instance: number, slot: HeldSlot): AdoptedSlot;
  /** Resolves when all slots that this process is releasing are released. Never rejects. */
  settled(): Promise<void>;
}

/** A slot that another process has taken. */
export interface AdoptedSlot {
  /** Keeps it for the time of a run. A run whose slot was lost, because it began late, executes all the same. */
  renew(run: Pick<Entrant, 'timeoutMs'>): Promise<void>;
  /** Releases it, once. */
  readonly release: ReleaseSlot;
}

/** Ports that slots use. */
export interface SlotsOptions extends QueueServices {
  /** Called after each release of a slot of an instance. Never rejects. */
  readonly released: (instance: number) => Promise<void>;
}

/**
 * Opens the slots of all processes: items of the table, one a slot, which exist while it is taken. A run without
 * competition writes one and deletes it. There are no notifications: a process that waits polls for a slot. Runs
 * without a process wait as items: waiting-runs.ts.
 *
 * Differences between clocks of processes change when a slot is taken over, and the order of the queue.
 */
export function openSlots(services: SlotsOptions): SharedSlots {
  /** Instances that had a queue at this process's last check: a new run checks before it takes a slot. */
  const crowded = new Set<number>();
  const releasing = new Set<Promise<void>>();

  function beginRelease(instance: number, slot: HeldSlot): void {
    const released = releaseSlot(services, instance, slot)
      .then(() => services.released(instance))
      .finally(() => releasing.delete(released));
    releasing.add(released);
  }

  async function take(run: Entrant, numbers: readonly number[]): Promise<ReleaseSlot | undefined> {
    const number = numbers[Math.floor(Math.random() * numbers.length)];
    const slot = number === undefined ? undefined : await takeRunSlot(services, useOf(run), number);
    return slot && (() => beginRelease(run.instance, slot));
  }

  /** Takes a slot unless others wait. */
  async function takeFree(run: Entrant): Promise<ReleaseSlot | 'full' | undefined> {
    const { free, awaited } = await look(services, run.instance, services.mostWaiting);
    if (awaited.length >= services.mostWaiting) return 'full';
    if (awaited.length > 0) return undefined;
    crowded.delete(run.instance);
    return take(run, free);
  }

  return {
    enter: async (run) => {
      const { instance } = run;
      const first = crowded.has(instance) ? undefined : await take(run, slotNumbers);
      const release = first ?? (await takeFree(run));
      if (release !== undefined) return release;
      crowded.add(instance);
      const turn = await waitForTurn(services, run, take);
      if (turn === 'late') await services.released(instance); // a slot may have been free for it
      return turn;
    },
    adopt: (instance, slot) => {
      let held: HeldSlot | undefined = slot;
      return {
        renew: async ({ timeoutMs }) => {
          if (held) held = await renewSlot(services, useOf({ instance, timeoutMs }), held);
        },
        release: () => {
          if (held) beginRelease(instance, held);
          held = undefined;
        },
      };
    },
    settled: async () => {
      await Promise.all(releasing);
    },
  };
}
