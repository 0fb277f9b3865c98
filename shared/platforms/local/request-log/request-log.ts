import type { Clock, Log } from '../../../ports/ports.ts';
import {
  isInRange,
  oldestMicros,
  type RequestLog,
  type RequestRange,
  type RequestRecord,
  type RequestsRead,
} from '../../../ports/request-log.ts';
import { requestLogFiles } from '../../../values/bounds.ts';
import { faultOf } from '../../../values/caught.ts';
import { neverRejects } from '../../../values/promises/in-background.ts';
import { createLineBuffer } from './line-buffer.ts';
import { parseRequestLine } from './request-line.ts';
import { openSegments, type SegmentLimits, type Segments } from './segments.ts';

/** Options of the request log of one machine. */
export interface RequestLogOptions {
  /** Folder of its files, created with the first of them. */
  readonly folder: string;
  /** True when absent. */
  readonly logsRequests?: boolean | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** For tests. */
  readonly limits?: SegmentLimits;
}

/** The request log of one machine. */
export interface LocalRequestLog extends RequestLog {
  /** Returns a log that takes the records of requests out of the lines of `log`. */
  taking(log: Log): Log;
  /** Writes the lines in memory, and ends. */
  close(): Promise<void>;
}

const flushMs = 1000; // a process that is killed loses lines of at most this time
const sweepMs = 60_000;
/** Lines wait in memory before their file begins. */
const longestWaitMicros = 60_000_000;

/**
 * Opens the request log of one machine. Lines are collected in memory and appended to files in the background, which
 * are never flushed to the disk. Those that find no room, in memory or on a full disk, are dropped and counted.
 */
export async function openRequestLog(options: RequestLogOptions): Promise<LocalRequestLog> {
  const { folder, logsRequests = true, clock, limits = requestLogFiles } = options;
  const segments = await openSegments(folder, limits);
  const writer = openWriter(segments, options);
  return {
    offReason: logsRequests ? undefined : 'The request log of this server is switched off.',
    taking: (log) => {
      if (!logsRequests) return log;
      return (entry, record) => {
        log(entry);
        if (record !== undefined) writer.add(record);
      };
    },
    read: async (instance, range, turns) => {
      await writer.flush();
      const sinceMicros = Math.max(range.sinceMicros, oldestMicros(clock.micros()));
      return readRange(segments, instance, { ...range, sinceMicros }, turns);
    },
    close: () => writer.close(),
  };
}

/** Opens the writer of lines. Its functions never throw, and its promises never reject. */
function openWriter(segments: Segments, { clock, log }: RequestLogOptions) {
  const buffer = createLineBuffer();
  let writing: Promise<void> = Promise.resolve();
  let isWriting = false;
  let timer: NodeJS.Timeout | undefined;
  let reported = 0;
  const sweeping = setInterval(flushInBackground, sweepMs).unref();

  async function writeAll(): Promise<void> {
    isWriting = true;
    let fault: unknown;
    for (const { instance, bytes, lines } of buffer.take()) {
      try {
        await segments.append(instance, bytes, clock.micros());
      } catch (error) {
        buffer.drop(lines);
        fault = error;
      }
    }
    await segments.sweep(clock.micros()).catch((error: unknown) => {
      fault = error;
    });
    report(fault);
    isWriting = false;
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(writeAll);
    return writing;
  }

  function flushInBackground(): void {
    neverRejects(flush());
  }

  /** Logs the first drop, and then one in each thousand: a full disk must not fill the log. */
  function report(fault: unknown): void {
    const dropped = buffer.dropped();
    if (fault === undefined && dropped === reported) return;
    if (reported > 0 && dropped < reported + 1000) return;
    reported = Math.max(dropped, 1);
    const origin = fault === undefined ? undefined : faultOf(fault);
    log({ level: 'error', message: 'lines of the request log were dropped', dropped, ...origin });
  }

  return {
    add: (record: RequestRecord) => {
      const isFull = buffer.add(record);
      if (isFull && !isWriting) flushInBackground();
      else timer ??= setTimeout(flushInBackground, flushMs).unref();
    },
    flush,
    close: () => {
      clearInterval(sweeping);
      return flush();
    },
  };
}

/** Reads the files of an instance, from the end of the range that is read first. */
async function readRange(
  segments: Segments,
  instance: number,
  range: RequestRange,
  turns: Parameters<RequestLog['read']>[2],
): Promise<RequestsRead> {
  const records: RequestRecord[] = [];
  for await (const record of recordsOf(segments, instance, range)) {
    if (isInRange(record, range)) records.push(record);
    if (records.length >= range.limit) break;
    if (turns.isDue()) await turns.pause();
    if (turns.isSpent()) return { records, stoppedMicros: record.atMicros };
  }
  return { records, stoppedMicros: undefined };
}

/** Reads the records of an instance in the order of a range. */
async function* recordsOf(
  segments: Segments,
  instance: number,
  { descending, untilMicros }: RequestRange,
): AsyncGenerator<RequestRecord> {
  const inOrder = <Item>(items: readonly Item[]) => (descending ? items.toReversed() : items);
  for (const segment of inOrder(segments.of(instance))) {
    if (segment.startMicros - longestWaitMicros > untilMicros) continue;
    for (const line of inOrder((await segments.read(segment)).split('\n'))) {
      const record = parseRequestLine(line, instance);
      if (record !== undefined) yield record;
    }
  }
}
