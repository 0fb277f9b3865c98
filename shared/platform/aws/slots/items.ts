import { maintain } from '../../../jobs/maintain.ts';
import { type Entrant, instanceLimits } from '../../../scripts/slots.ts';
import { runSlotEntity, runWaiterEntity } from '../../../store/entities.ts';
import { ConditionFailed, type Key, type Write } from '../../../store/store.ts';
import { createItem, deleteItem, putItem } from '../../../store/writes.ts';
import { faultOf } from '../../../values/caught.ts';
import type { Platform } from '../../ports.ts';
import { OutcomeUnknown } from '../store/write.ts';

/** The services of the platform that slot items need. */
export type SlotServices = Pick<Platform, 'store' | 'clock' | 'ids' | 'log'>;

/** A process is dead this long after a run's limit: includes a cold start and the network. */
const deadMs = 20_000;
/** A dead waiter's queue entry expires after this time. */
const waiterMs = 10_000;

/** The slots of an instance. */
export const slotNumbers: readonly number[] = Array.from(
  { length: instanceLimits.running },
  (_, number) => number,
);

/**
 * Takes a slot, until it is released or its process must be dead.
 *
 * @returns the function that releases it; undefined: it is taken
 */
export async function takeSlot(
  services: SlotServices,
  { instance, timeoutMs }: Entrant,
  number: number,
): Promise<(() => Promise<void>) | undefined> {
  const key = runSlotEntity.key(instance, number);
  const expiresAt = secondAfter(services, timeoutMs + deadMs);
  try {
    const version = await maintain(services, [
      { ...createItem(runSlotEntity, key, {}), expiresAt },
    ]);
    return () => deleteEarly(services, deleteItem({ key, version }));
  } catch (error) {
    // an outcome is unknown only where another process has the slot now
    if (error instanceof ConditionFailed || error instanceof OutcomeUnknown) return undefined;
    throw error;
  }
}

/** Deletes an item that expires anyway, and may have done so. Never rejects. */
export async function deleteEarly(services: SlotServices, write: Write): Promise<void> {
  try {
    await maintain(services, [write]);
  } catch (error) {
    if (error instanceof ConditionFailed) return;
    services.log({ level: 'error', message: 'a slot could not be released', ...faultOf(error) });
  }
}

/** The slots and waiters of an instance. */
export interface Seen {
  /** Free slots. */
  readonly free: readonly number[];
  /** Sort keys of the waiters, in queue order. */
  readonly waiters: readonly string[];
}

/** Reads all slots of an instance, and the first `most` waiters. */
export async function look({ store }: SlotServices, instance: number, most: number): Promise<Seen> {
  const pk = runSlotEntity.partition(instance);
  const { items } = await store.query({ pk, limit: slotNumbers.length + most });
  const keys = items.map(({ key }) => key.sk);
  const isFree = (number: number) => !keys.includes(runSlotEntity.key(instance, number).sk);
  return {
    free: slotNumbers.filter(isFree),
    waiters: items
      .filter(runWaiterEntity.matches)
      .map(({ key }) => key.sk)
      .slice(0, most),
  };
}

/** Returns the position of a run that joins the queue now. */
export function waiterKey(services: SlotServices, { instance, isAwaited }: Entrant): Key {
  const waiter = { isAwaited, sinceMs: nowMs(services), id: services.ids.random() };
  return runWaiterEntity.key(instance, waiter);
}

/** Keeps a queue entry alive for the next ten seconds. */
export async function renewEntry(services: SlotServices, key: Key): Promise<void> {
  const expiresAt = secondAfter(services, waiterMs);
  await maintain(services, [{ ...putItem(runWaiterEntity, key, {}), expiresAt }]);
}

function secondAfter(services: SlotServices, ms: number): number {
  return Math.ceil((nowMs(services) + ms) / 1000);
}

function nowMs({ clock }: SlotServices): number {
  return clock.micros() / 1000;
}
