import { setTimeout as sleep } from 'node:timers/promises';
import type { Platform } from '../ports/ports.ts';
import type { Store } from '../store/store.ts';
import { messageEntity, roomHeadEntity } from '../table/entities/channels.ts';
import type { MessageData, RoomHeadData } from '../table/records/channels.ts';
import { longestDelay } from '../values/back-off.ts';
import { roomId, roomKey, roomLimits } from './room-reference.ts';
import { inSequence, isKept, type RoomReference, type Sequence } from './rules/room-log.ts';

/** The ports that readers of rooms use. */
export type RoomServices = Pick<Platform, 'store' | 'clock'>;

/** A part of a room. */
export interface RoomPart extends Sequence<MessageData> {
  /** Id of the newest message; 0: there is none. */
  readonly last: number;
}

const backOff = { firstMs: 10, maxMs: 100 };
const maxReads = 5; // a transaction becomes visible within milliseconds

/**
 * Reads the messages after a position, in order, each exactly once for a reader that follows their ids. Reads again
 * while an earlier message is not visible yet, then returns those before it.
 *
 * @param after id of the last message that the reader has seen; 0: begins with the oldest one
 */
export function readRoom(
  services: RoomServices,
  reference: RoomReference,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<RoomPart> {
  const reads = readsOf(services.store);
  const name = `${after} ${limit} ${roomId(reference)}`;
  const shared = reads.get(name);
  if (shared !== undefined) return shared;
  const read = readUntil(
    () => readOnce(services, reference, { after, limit }),
    ({ messages, hasGap }) => messages.length > 0 || !hasGap,
  ).finally(() => reads.delete(name));
  reads.set(name, read);
  return read;
}

/** Reads in progress: listeners that wake together have the same position, and share one. */
const inProgress = new WeakMap<Store, Map<string, Promise<RoomPart>>>();

function readsOf(store: Store): Map<string, Promise<RoomPart>> {
  const reads = inProgress.get(store) ?? new Map<string, Promise<RoomPart>>();
  inProgress.set(store, reads);
  return reads;
}

/** Reads again while a transaction is visible only in part; returns what it has read last. */
export async function readUntil<Part>(
  read: () => Promise<Part>,
  isComplete: (part: Part) => boolean,
): Promise<Part> {
  for (let reads = 1; ; reads += 1) {
    const part = await read();
    if (isComplete(part) || reads === maxReads) return part;
    await sleep(longestDelay(reads - 1, backOff));
  }
}

/** Returns the end of a room; undefined: it is empty. */
export async function readEnd(
  { store }: Pick<RoomServices, 'store'>,
  reference: RoomReference,
): Promise<RoomHeadData | undefined> {
  return (await roomHeadEntity.read(store, ...roomKey(reference)))?.data;
}

async function readOnce(
  { store, clock }: RoomServices,
  reference: RoomReference,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<RoomPart> {
  const end = await readEnd({ store }, reference);
  const last = end?.last ?? 0;
  if (last <= after) return { messages: [], isLost: false, hasGap: false, last };
  const limits = roomLimits(reference);
  const from = Math.max(after, end?.trimmed ?? 0);
  const found = await listKept({ store }, reference, { end, from, limit });
  const reading = { after, end, limits, nowMs: clock.micros() / 1000 };
  return { ...inSequence(found, reading), last };
}

interface Range {
  readonly end: RoomHeadData | undefined;
  readonly from: number;
  readonly limit: number;
}

/** Reads kept messages after an id. Less than a step of older ones may precede them. */
async function listKept(
  { store }: Pick<RoomServices, 'store'>,
  reference: RoomReference,
  { end, from, limit }: Range,
): Promise<readonly MessageData[]> {
  const limits = roomLimits(reference);
  const key = roomKey(reference);
  let lower = messageEntity.key(...key, from).sk;
  for (;;) {
    const bound = { key: lower, inclusive: false };
    const { items, last } = await messageEntity.list(store, key, { lower: bound, limit });
    const kept = items.map(({ data }) => data).filter((message) => isKept(message, end, limits));
    if (kept.length > 0 || last === undefined) return kept;
    lower = last;
  }
}
