import { maintain } from '../../../jobs/maintain.ts';
import { type Entrant, instanceLimits } from '../../../scripts/slots.ts';
import { runPlaceEntity, runPlacePrefix, runWaiterEntity } from '../../../store/entities.ts';
import { ConditionFailed, type Key, type Write } from '../../../store/store.ts';
import { insert, remove, store } from '../../../store/writes.ts';
import { causeOf } from '../../../values/caught.ts';
import type { Platform } from '../../ports.ts';
import { OutcomeUnknown } from '../store/write.ts';

/** What the items of places need of the platform. */
export type PlaceServices = Pick<Platform, 'store' | 'clock' | 'ids' | 'log'>;

/** So long after a run's limit its process is dead: a cold start and the way are in it. */
const deadMs = 20_000;
/** Who has died in the line is forgotten after so long. */
const waiterMs = 10_000;

/** The places of an instance. */
export const placeNumbers: readonly number[] = Array.from(
  { length: instanceLimits.running },
  (_, number) => number,
);

/**
 * Takes a place, until it is given back or its process must be dead.
 *
 * @returns what gives it back; undefined: it is taken
 */
export async function takePlace(
  services: PlaceServices,
  { instance, timeoutMs }: Entrant,
  number: number,
): Promise<(() => Promise<void>) | undefined> {
  const key = runPlaceEntity.key(instance, number);
  const expiresAt = secondAfter(services, timeoutMs + deadMs);
  try {
    const version = await maintain(services, [{ ...insert(runPlaceEntity, key, {}), expiresAt }]);
    return () => giveBack(services, remove({ key, version }));
  } catch (error) {
    // an outcome is unknown only where somebody else is there now
    if (error instanceof ConditionFailed || error instanceof OutcomeUnknown) return undefined;
    throw error;
  }
}

/** Removes what expires anyhow, and may have done so. Never rejects. */
export async function giveBack(services: PlaceServices, write: Write): Promise<void> {
  try {
    await maintain(services, [write]);
  } catch (error) {
    if (error instanceof ConditionFailed) return;
    const cause = causeOf(error);
    services.log({ level: 'error', message: 'a slot could not be released', cause });
  }
}

/** What goes on in an instance. */
export interface Seen {
  /** Places that are free. */
  readonly free: readonly number[];
  /** Sort keys of those who wait, the first first. */
  readonly waiters: readonly string[];
}

/** Looks at all places of an instance, and at the first `most` of those who wait. */
export async function look(
  { store }: PlaceServices,
  instance: number,
  most: number,
): Promise<Seen> {
  const { pk } = runPlaceEntity.key(instance, 0);
  const { positions } = await store.query({ pk, limit: placeNumbers.length + most });
  const isFree = (number: number) => !positions.includes(runPlaceEntity.key(instance, number).sk);
  return {
    free: placeNumbers.filter(isFree),
    waiters: positions.filter((sk) => !sk.startsWith(runPlacePrefix)).slice(0, most),
  };
}

/** Where a run that begins to wait now stands in the line. */
export function waiterKey(services: PlaceServices, { instance, isAwaited }: Entrant): Key {
  const waiter = { isAwaited, sinceMs: nowMs(services), id: services.ids.random() };
  return runWaiterEntity.key(instance, waiter);
}

/** Says for the next ten seconds that somebody waits. */
export async function standInLine(services: PlaceServices, key: Key): Promise<void> {
  const expiresAt = secondAfter(services, waiterMs);
  await maintain(services, [{ ...store(runWaiterEntity, key, {}), expiresAt }]);
}

function secondAfter(services: PlaceServices, ms: number): number {
  return Math.ceil((nowMs(services) + ms) / 1000);
}

function nowMs({ clock }: PlaceServices): number {
  return clock.micros() / 1000;
}
