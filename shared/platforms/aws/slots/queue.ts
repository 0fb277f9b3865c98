import { type Entrant, instanceLimits, type ReleaseSlot } from '../../../scripts/slots.ts';
import type { Key } from '../../../store/store.ts';
import { deleteIfExists } from '../../../store/writes.ts';
import { mostOf } from '../../../values/back-off.ts';
import type { Timer } from '../jobs/timer.ts';
import {
  deleteEarly,
  look,
  renewEntry,
  type SlotServices,
  type SlotState,
  waiterKey,
} from './items.ts';

export interface QueueServices extends SlotServices {
  readonly timer: Timer;
  /** Runs of an instance that may wait. */
  readonly mostWaiting: number;
}

/** Takes one of these slots; undefined: none is free, or other processes were faster. */
export type TakeFreeSlot = (
  run: Entrant,
  numbers: readonly number[],
) => Promise<ReleaseSlot | undefined>;

/** This many waiters at the front of the queue check often, and take slots that earlier ones leave unused. */
const front = 2 * instanceLimits.running;
const pauseMs = { inFront: 100, behind: 500 };
/** A free slot is reserved this long for its next waiters: they have checked by then, or are dead. */
const patienceMs = 1.5 * pauseMs.inFront;

/**
 * Waits in the queue of an instance until it is a run's turn, or it has waited too long.
 *
 * @returns `full` at once when too many are before it: runs that arrive together count each other
 */
export async function waitForTurn(
  services: QueueServices,
  run: Entrant,
  take: TakeFreeSlot,
): Promise<ReleaseSlot | 'late' | 'full'> {
  const { timer, mostWaiting } = services;
  const own = waiterKey(services, run);
  const renew = createRenewal(services, own);
  const findTurn = createTurns(own, timer);
  const latestMs = timer.now() + run.waitMs;
  let pause = pauseMs.inFront;
  try {
    await renew();
    const { awaited } = await look(services, run.instance, mostWaiting);
    if (!awaited.slice(0, mostWaiting).includes(own.sk)) return 'full';
    for (;;) {
      const delayMs = mostOf(pause);
      if (timer.now() + delayMs > latestMs) return 'late';
      await renew();
      await timer.sleep(delayMs);
      const turn = findTurn(await look(services, run.instance, mostWaiting));
      const release = await take(run, turn.numbers);
      if (release !== undefined) return release;
      pause = turn.isInFront ? pauseMs.inFront : pauseMs.behind;
    }
  } finally {
    await deleteEarly(services, deleteIfExists(own));
  }
}

const renewMs = 4000; // of ten seconds

/** Returns a function that keeps the waiter's queue entry alive while it is called. */
function createRenewal(services: QueueServices, own: Key): () => Promise<void> {
  let renewedMs = Number.NEGATIVE_INFINITY;
  return async () => {
    const nowMs = services.timer.now();
    if (nowMs - renewedMs < renewMs) return;
    renewedMs = nowMs;
    await renewEntry(services, own);
  };
}

interface Turn {
  readonly isInFront: boolean;
  /** Slots that it may take, if any. */
  readonly numbers: readonly number[];
}

/** Returns a function that decides, at each check, which slots a waiter may take. */
function createTurns({ sk }: Key, timer: Timer): (seen: SlotState) => Turn {
  let freeSinceMs: number | undefined;
  return ({ free, awaited }) => {
    const before = awaited.indexOf(sk);
    const isInFront = before >= 0 && before < front;
    freeSinceMs = isInFront && free.length > 0 ? (freeSinceMs ?? timer.now()) : undefined;
    if (freeSinceMs === undefined) return { isInFront, numbers: [] };
    const isUnused = timer.now() - freeSinceMs > patienceMs;
    return { isInFront, numbers: isUnused ? free : free.slice(before, before + 1) };
  };
}
