/*
 * The log of a room: which messages it keeps, and in which order a reader may see them
 * (docs/reference/channels.md#guarantees).
 */

/** A room of a channel. */
export interface RoomReference {
  readonly instance: number;
  /** Number of the channel. */
  readonly channel: number;
  /** Name of the room, in lower case and encoded; that of a channel without rooms is empty. */
  readonly room: string;
}

/** How much of a room is kept. */
export interface RoomLimits {
  /** The newest messages, which are listed. */
  readonly kept: number;
  /** Every so many messages, older ones are trimmed. */
  readonly step: number;
  /** Trimmed messages can be read by id for this long, in milliseconds. */
  readonly trimmedMs: number;
}

const ofAll: RoomLimits = { kept: 1000, step: 100, trimmedMs: 3_600_000 };
const ofEventLog: RoomLimits = { kept: 100, step: 10, trimmedMs: 300_000 };

/** Lifetime of a message in milliseconds. */
export const messageLifeMs = 86_400_000;

/** Clocks of processes differ, and the table counts in seconds. */
const marginMs = 2000;

/** Returns the limits of the rooms of a channel. */
export function limitsOf({ isEventLog }: { readonly isEventLog: boolean }): RoomLimits {
  return isEventLog ? ofEventLog : ofAll;
}

/** The end of a log. Times are in epoch milliseconds. */
export interface LogEnd {
  /** Id of the newest message. */
  readonly last: number;
  /** When it was published. */
  readonly lastAtMs: number;
  /** Its number. */
  readonly count: number;
  /** Ids of the kept messages whose number is a multiple of the step, oldest first. */
  readonly marks: readonly number[];
  /** Id of the last such message that is not kept any more; 0: there is none. */
  readonly trimmed: number;
}

/** The position of a message in a log. */
export interface LogPosition {
  readonly id: number;
  /** Position in its room, from 1, without gaps. */
  readonly number: number;
  /** Id of the previous message of its room; 0: it is the first. */
  readonly previous: number;
  /** When that was published, in epoch milliseconds; 0: it is the first. */
  readonly previousAtMs: number;
}

/** Result of adding messages to a log. */
export interface Addition {
  /** One for each id, in their order. */
  readonly positions: readonly LogPosition[];
  readonly end: LogEnd;
  /** Whether messages were trimmed: those up to `end.trimmed`. */
  readonly isTrimmed: boolean;
}

const empty: LogEnd = { last: 0, lastAtMs: 0, count: 0, marks: [], trimmed: 0 };

/**
 * Adds messages to a log.
 *
 * @param end   undefined: the log is empty
 * @param ids   ascending, all above `end.last`
 * @param atMs  epoch milliseconds
 */
export function addToLog(
  end: LogEnd = empty,
  { ids, atMs }: { readonly ids: readonly number[]; readonly atMs: number },
  { kept, step }: RoomLimits,
): Addition {
  const positions: LogPosition[] = [];
  const marks = [...end.marks];
  let { last, lastAtMs, count } = end;
  for (const id of ids) {
    count += 1;
    positions.push({ id, number: count, previous: last, previousAtMs: lastAtMs });
    if (count % step === 0) marks.push(id);
    last = id;
    lastAtMs = atMs;
  }
  const dropped = marks.splice(0, Math.max(0, marks.length - kept / step));
  const trimmed = dropped.at(-1) ?? end.trimmed;
  const isTrimmed = dropped.length > 0;
  return { positions, end: { last, lastAtMs, count, marks, trimmed }, isTrimmed };
}

/** Checks whether a message is among those that are kept. */
export function isKept(
  { number }: Pick<LogPosition, 'number'>,
  end: LogEnd | undefined,
  { kept }: RoomLimits,
): boolean {
  return end === undefined || number > end.count - kept;
}

/** A part of a log as a reader may see it. */
export interface Sequence<Message> {
  /** In order, without a gap. */
  readonly messages: readonly Message[];
  /** Messages between the reader's position and the first one are gone. */
  readonly isLost: boolean;
  /** More messages exist, of which an earlier one is not visible yet: the reader has to read again. */
  readonly hasGap: boolean;
}

/** The state in which a reader reads. */
export interface ReaderState {
  /** Id of the last message that the reader has seen; 0: it begins with the oldest one. */
  readonly after: number;
  /** The end of the log, read before the messages. */
  readonly end: LogEnd | undefined;
  readonly nowMs: number;
  readonly limits: RoomLimits;
}

/**
 * Returns the messages that a reader may see. A read of a range may show only some items of a transaction, so a message
 * is returned only after its previous one, unless that is gone.
 *
 * @param found kept messages after the reader's position, in order
 */
export function inSequence<Message extends LogPosition>(
  found: readonly Message[],
  reading: ReaderState,
): Sequence<Message> {
  const { after } = reading;
  const messages: Message[] = [];
  let position = after;
  for (const message of found) {
    const isNext = message.previous <= position;
    if (!isNext && (messages.length > 0 || !isGone(message, reading))) {
      return { messages, isLost: isFirstLost(messages, reading), hasGap: true };
    }
    messages.push(message);
    position = message.id;
  }
  const hasGap = messages.length === 0 && isExpected(reading);
  return { messages, isLost: isFirstLost(messages, reading), hasGap };
}

/** Checks whether the reader has missed messages before the first one. An expired log starts again. */
function isFirstLost<Message extends LogPosition>(
  [first]: readonly Message[],
  { after }: ReaderState,
): boolean {
  if (first === undefined || after === 0) return false;
  return first.previous > after || first.previous === 0;
}

/** Checks whether the previous message of a message was trimmed or has expired. */
function isGone(
  { number, previousAtMs }: LogPosition,
  { end, nowMs, limits }: ReaderState,
): boolean {
  const hasExpired = previousAtMs + messageLifeMs - marginMs <= nowMs;
  return hasExpired || !isKept({ number: number - 1 }, end, limits);
}

/** Checks whether a message after the reader's position must exist. */
function isExpected({ end, after, nowMs }: ReaderState): boolean {
  return end !== undefined && end.last > after && end.lastAtMs + messageLifeMs - marginMs > nowMs;
}
