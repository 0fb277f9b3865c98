import type { RequestRecord } from '../../../ports/request-log.ts';
import { bufferedRequestBytes } from '../../../values/bounds.ts';
import { maxLineBytes, writeRequestLine } from './request-line.ts';

/** What an instance has in memory. */
interface Tally {
  readonly instance: number;
  bytes: number;
}

/** Lines of one instance, one after the other in memory. */
interface Run {
  readonly tally: Tally;
  readonly start: number;
  end: number;
  lines: number;
}

/** Lines that were taken from memory. */
export interface TakenLines {
  readonly instance: number;
  readonly bytes: Uint8Array;
  readonly lines: number;
}

/** Lines in memory, within bounds. */
export interface LineBuffer {
  /**
   * Adds the line of a record, or counts it as dropped where it finds no room.
   *
   * @returns whether it is time to write the lines
   */
  add(record: RequestRecord): boolean;
  /** Returns all lines by instance, and starts with none. They are valid until the next call. */
  take(): readonly TakenLines[];
  /** Counts lines that could not be written. */
  drop(count: number): void;
  /** Number of dropped lines since the start. */
  dropped(): number;
}

/** Records are written together; so many are lost if the process is killed, with those of a second. */
const batchSize = 64;

/**
 * Creates the buffer of a process: two areas of memory in turn, which take lines of all instances as they come. Strings
 * or buffers of their own would live for a second, and make the collector work.
 */
export function createLineBuffer(): LineBuffer {
  let [area, spare] = [Buffer.alloc(bufferedRequestBytes), Buffer.alloc(bufferedRequestBytes)];
  let runs: Run[] = [];
  let batch: RequestRecord[] = [];
  let tallies = new Map<number, Tally>();
  let last: Run | undefined;
  let end = 0;
  let dropped = 0;

  function openRun(instance: number): Run {
    const tally = tallies.get(instance) ?? { instance, bytes: 0 };
    tallies.set(instance, tally);
    const run = { tally, start: end, end, lines: 0 };
    runs.push(run);
    return run;
  }

  function write(record: RequestRecord): void {
    if (last?.tally.instance !== record.instance) last = openRun(record.instance);
    const { tally } = last;
    if (end + maxLineBytes > bufferedRequestBytes || tally.bytes > bufferedRequestBytes / 2) {
      dropped += 1;
      return;
    }
    const start = end;
    end = writeRequestLine(area, start, record);
    tally.bytes += end - start;
    last.end = end;
    last.lines += 1;
  }

  function writeBatch(): void {
    for (const record of batch) write(record);
    batch = [];
  }

  return {
    add: (record) => {
      batch.push(record);
      if (batch.length < batchSize) return false;
      writeBatch();
      return end > bufferedRequestBytes / 4;
    },
    take: () => {
      writeBatch();
      const taken = group(runs, area);
      [area, spare] = [spare, area];
      runs = [];
      tallies = new Map();
      last = undefined;
      end = 0;
      return taken;
    },
    drop: (count) => {
      dropped += count;
    },
    dropped: () => dropped,
  };
}

function group(runs: readonly Run[], area: Buffer): readonly TakenLines[] {
  const all = new Map<number, { instance: number; parts: Uint8Array[]; lines: number }>();
  for (const { tally, start, end, lines } of runs) {
    const { instance } = tally;
    if (lines === 0) continue;
    const one = all.get(instance) ?? { instance, parts: [], lines: 0 };
    one.parts.push(area.subarray(start, end));
    one.lines += lines;
    all.set(instance, one);
  }
  return [...all.values()].map(({ instance, parts, lines }) => {
    const [first] = parts;
    const bytes = first !== undefined && parts.length === 1 ? first : Buffer.concat(parts);
    return { instance, bytes, lines };
  });
}
