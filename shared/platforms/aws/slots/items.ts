import { maintain } from '../../../jobs/maintain.ts';
import type { Platform } from '../../../ports/ports.ts';
import { type Entrant, instanceLimits } from '../../../scripts/slots.ts';
import {
  ConditionFailed,
  type Key,
  type Put,
  type Stored,
  type Write,
} from '../../../store/store.ts';
import { createItem, deleteItem, putItem } from '../../../store/writes.ts';
import { runSlotEntity, runWaiterEntity } from '../../../table/entities/runs.ts';
import type { RunWaiterData } from '../../../table/records/functions.ts';
import { faultOf } from '../../../values/caught.ts';
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

/** A taken slot: plain data, which can be passed to the process that uses it. */
export type HeldSlot = {
  readonly number: number;
  readonly version: string;
  /** Sort key of the entry with which its run has waited; absent: it has none. */
  readonly waiter?: string;
};

/** Instance and time for which a slot is taken. */
export interface SlotUse {
  readonly instance: number;
  /** Milliseconds until it is free again, unless it is renewed or released. */
  readonly forMs: number;
  readonly waiter?: string;
}

/** Returns the use of a slot by a run: until the run is released, or its process must be dead. */
export function useOf({ instance, timeoutMs }: Pick<Entrant, 'instance' | 'timeoutMs'>): SlotUse {
  return { instance, forMs: timeoutMs + deadMs };
}

/** Takes a slot. @returns undefined: it is taken */
export async function takeRunSlot(
  services: SlotServices,
  { instance, forMs, waiter }: SlotUse,
  number: number,
): Promise<HeldSlot | undefined> {
  const key = runSlotEntity.key(instance, number);
  const data = waiter === undefined ? {} : { waiter };
  const version = await createSlot(services, createItem(runSlotEntity, key, data), forMs);
  return version === undefined ? undefined : { number, version, ...data };
}

/** Creates the item of a slot that expires in `forMs`. @returns its version; undefined: another process has the slot */
export async function createSlot(
  services: SlotServices,
  create: Put,
  forMs: number,
): Promise<string | undefined> {
  try {
    return await maintain(services, [{ ...create, expiresAt: secondAfter(services, forMs) }]);
  } catch (error) {
    // an outcome is unknown only where another process has the slot now
    if (error instanceof ConditionFailed || error instanceof OutcomeUnknown) return undefined;
    throw error;
  }
}

/** Keeps a slot for longer; one that was lost stays lost. */
export async function renewSlot(
  services: SlotServices,
  { instance, forMs }: SlotUse,
  slot: HeldSlot,
): Promise<HeldSlot> {
  const { number, version, waiter } = slot;
  const key = runSlotEntity.key(instance, number);
  const put = putItem(runSlotEntity, key, waiter === undefined ? {} : { waiter });
  const expiresAt = secondAfter(services, forMs);
  const condition = { kind: 'version', version } as const;
  try {
    return { ...slot, version: await maintain(services, [{ ...put, expiresAt, condition }]) };
  } catch (error) {
    if (error instanceof ConditionFailed || error instanceof OutcomeUnknown) return slot;
    throw error;
  }
}

/** Releases a slot, and deletes the entry with which its run has waited. Never rejects. */
export async function releaseSlot(
  services: SlotServices,
  instance: number,
  { number, version, waiter }: HeldSlot,
): Promise<void> {
  const { key } = runSlotEntity;
  await Promise.all([
    deleteEarly(services, deleteItem({ key: key(instance, number), version })),
    waiter === undefined ? undefined : deleteEarly(services, deleteWaiter(instance, waiter)),
  ]);
}

function deleteWaiter(instance: number, sk: string): Write {
  const key = { pk: runWaiterEntity.partition(instance), sk };
  return { action: 'delete', key, condition: { kind: 'none' } };
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
export interface SlotState {
  /** Free slots. */
  readonly free: readonly number[];
  /** Sort keys of the runs with which a process waits, in queue order. */
  readonly awaited: readonly string[];
  /** Entries of the runs that no process waits with and that no slot was taken for, in queue order. */
  readonly waiters: readonly Stored<RunWaiterData>[];
}

/** Reads all slots of an instance, and the first `most` waiters. */
export async function look(
  { store }: SlotServices,
  instance: number,
  most: number,
): Promise<SlotState> {
  const pk = runSlotEntity.partition(instance);
  const { items } = await store.query({ pk, limit: slotNumbers.length + most });
  const slots = items.filter(runSlotEntity.matches);
  const taken = slots.map(({ key }) => key.sk);
  const started = new Set(slots.map(({ data }) => data.waiter));
  const waiters = items.filter(runWaiterEntity.matches);
  return {
    free: slotNumbers.filter((number) => !taken.includes(runSlotEntity.key(instance, number).sk)),
    awaited: waiters.filter(({ data }) => data.run === undefined).map(({ key }) => key.sk),
    waiters: waiters.filter(({ key, data }) => data.run !== undefined && !started.has(key.sk)),
  };
}

/** Returns the position of a run that joins the queue now, with a process. */
export function waiterKey(services: SlotServices, { instance, isAwaited }: Entrant): Key {
  const waiter = { isAwaited, sinceMs: nowMs(services), id: services.ids.random() };
  return runWaiterEntity.key(instance, waiter);
}

/** Keeps a process's queue entry alive for the next ten seconds. */
export async function renewEntry(services: SlotServices, key: Key): Promise<void> {
  const expiresAt = secondAfter(services, waiterMs);
  await maintain(services, [{ ...putItem(runWaiterEntity, key, {}), expiresAt }]);
}

/** Returns the epoch second that has begun `ms` from now. */
export function secondAfter(services: Pick<SlotServices, 'clock'>, ms: number): number {
  return Math.ceil((nowMs(services) + ms) / 1000);
}

/** Returns the current time in epoch milliseconds. */
export function nowMs({ clock }: Pick<SlotServices, 'clock'>): number {
  return clock.micros() / 1000;
}
