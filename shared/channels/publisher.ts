import { newJob } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import { retryOnConflict } from '../jobs/write-conflict.ts';
import type { MessageDraft as Draft, Messages, Platform } from '../ports/ports.ts';
import { ConditionFailed, type Put, type Write } from '../store/store.ts';
import { createItem, createOrUpdate } from '../store/writes.ts';
import { instanceCounter } from '../table/counters.ts';
import { messageEntity, messageRoomEntity, roomHeadEntity } from '../table/entities/channels.ts';
import { encodeText } from '../table/index-keys.ts';
import type { MessageData } from '../table/records/channels.ts';
import { neverRejects } from '../values/promises/in-background.ts';
import { timestamp } from '../values/timestamp.ts';
import { roomId, roomKey, roomLimits } from './room-reference.ts';
import { addToLog, messageLifeMs, type RoomReference } from './rules/room-log.ts';
import { trimRoom } from './trim-room.ts';

type PublisherServices = Pick<Platform, 'store' | 'clock' | 'ids'>;

interface Waiting {
  readonly draft: Draft;
  readonly resolve: (message: MessageData | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Messages of one transaction: with three items each, it stays below a hundred, and below 4 MB of 66 KB each. */
const maxTogether = 30;

/** The end of a room outlives its messages, so that a reader whose messages have expired learns of it. */
const endLifeMs = 30 * messageLifeMs;

/**
 * Creates the function that publishes messages. Each room has one writer at a time in this process, which publishes
 * whatever waits in one transaction; between processes the end of the room decides who is first.
 *
 * @param onPublished called after each transaction
 */
export function createPublisher(
  services: PublisherServices,
  onPublished: (reference: RoomReference) => void,
): Messages['publish'] {
  const rooms = new Map<string, Waiting[]>();

  async function publishAll(reference: RoomReference, waiting: Waiting[]): Promise<void> {
    while (waiting.length > 0) {
      const error = await publishSome(reference, waiting.splice(0, maxTogether));
      if (error === undefined) onPublished(reference);
      else rejectEvents(waiting, error);
    }
    rooms.delete(roomId(reference));
  }

  /** Returns the error of a group that could not be published. */
  async function publishSome(
    reference: RoomReference,
    group: readonly Waiting[],
  ): Promise<unknown> {
    try {
      const published = await publishGroup(
        services,
        reference,
        group.map(({ draft }) => draft),
      );
      for (const [at, { resolve }] of group.entries()) resolve(published[at]);
      return undefined;
    } catch (error) {
      for (const { reject } of group) reject(error);
      return error;
    }
  }

  return (reference, draft) =>
    new Promise((resolve, reject) => {
      const own = { draft, resolve, reject };
      const waiting = rooms.get(roomId(reference));
      if (waiting !== undefined) {
        waiting.push(own);
        return;
      }
      const first = [own];
      rooms.set(roomId(reference), first);
      neverRejects(publishAll(reference, first)); // errors are for those who wait
    });
}

/** Rejects waiting messages with writes of their own after an earlier one: events, which come again in their order. */
function rejectEvents(waiting: Waiting[], error: unknown): void {
  const others = waiting.filter(({ draft }) => draft.writes === undefined);
  const events = waiting.filter((each) => !others.includes(each));
  waiting.splice(0, waiting.length, ...others);
  for (const { reject } of events) reject(error);
}

/**
 * Publishes messages of a room in one transaction.
 *
 * @returns one for each draft; undefined where it was published before
 * @throws ApiError 429 after many write conflicts
 */
async function publishGroup(
  services: PublisherServices,
  reference: RoomReference,
  drafts: readonly Draft[],
): Promise<readonly (MessageData | undefined)[]> {
  const obsolete = new Set<Draft>();
  return retryOnConflict(async () => {
    const wanted = drafts.filter((draft) => !obsolete.has(draft));
    const messages =
      wanted.length === 0 ? [] : await tryToPublish(services, reference, wanted, obsolete);
    const byDraft = new Map(wanted.map((draft, at) => [draft, messages[at]]));
    return drafts.map((draft) => byDraft.get(draft));
  });
}

/**
 * Tries once.
 *
 * @param obsolete gets a draft that was published before
 * @throws ConditionFailed on a write conflict
 */
async function tryToPublish(
  services: PublisherServices,
  reference: RoomReference,
  drafts: readonly Draft[],
  obsolete: Set<Draft>,
): Promise<readonly MessageData[]> {
  const { store, clock } = services;
  const [head, first] = await Promise.all([
    roomHeadEntity.read(store, ...roomKey(reference)),
    store.next(instanceCounter(reference.instance, 'message'), drafts.length),
  ]);
  if (head !== undefined && first <= head.data.last) {
    throw new ConditionFailed(0, head); // another process has published later ids in the meantime
  }
  const micros = clock.micros();
  const atMs = Math.floor(micros / 1000);
  const ids = drafts.map((_, at) => first + at);
  const added = addToLog(head?.data, { ids, atMs }, roomLimits(reference));
  const created_at = timestamp(micros);
  const messages = added.positions.map((at, index): MessageData => {
    const { writes: _, ...draft } = drafts[index] as Draft; // one for each
    return { ...at, created_at, ...draft };
  });
  const key = roomHeadEntity.key(...roomKey(reference));
  const put = createOrUpdate(roomHeadEntity, { key, current: head }, added.end);
  const end = { ...put, expiresAt: secondsAfter(atMs, endLifeMs) };
  const own = drafts.flatMap((draft) => (draft.writes ?? []).map((write) => ({ draft, write })));
  const writes = [
    ...own.map(({ write }) => write),
    end,
    ...messages.flatMap((message) => messageWrites(reference, message, atMs)),
    ...(added.isTrimmed ? [trimJob(services, reference, added.end.trimmed, atMs)] : []),
  ];
  try {
    await maintain(services, writes);
  } catch (error) {
    if (error instanceof ConditionFailed) await markPublished(services, own, obsolete);
    throw error;
  }
  return messages;
}

/** Adds the drafts to `obsolete` whose own items are gone: their messages were published before. */
async function markPublished(
  { store }: PublisherServices,
  own: readonly { readonly draft: Draft; readonly write: Write }[],
  obsolete: Set<Draft>,
): Promise<void> {
  if (own.length === 0) return;
  const found = await store.get(own.map(({ write }) => write.key));
  for (const [at, { draft }] of own.entries()) if (found[at] === undefined) obsolete.add(draft);
}

function messageWrites(
  reference: RoomReference,
  message: MessageData,
  atMs: number,
): readonly Put[] {
  const expiresAt = secondsAfter(atMs, messageLifeMs);
  const { instance, channel, room } = reference;
  const key = messageEntity.key(...roomKey(reference), message.id);
  const put = { ...createItem(messageEntity, key, message), expiresAt };
  if (room === encodeText('')) return [put];
  const pointer = messageRoomEntity.key(instance, channel, message.id);
  return [put, { ...createItem(messageRoomEntity, pointer, { room }), expiresAt }];
}

function trimJob(
  services: PublisherServices,
  reference: RoomReference,
  upTo: number,
  atMs: number,
): Put {
  const { instance, channel, room } = reference;
  const due = atMs + roomLimits(reference).trimmedMs;
  return newJob(services, trimRoom, { instance, channel, room, upTo }, due);
}

function secondsAfter(atMs: number, ms: number): number {
  return Math.ceil((atMs + ms) / 1000);
}
