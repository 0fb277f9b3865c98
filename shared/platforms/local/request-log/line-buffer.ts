import { bufferedRequestBytes } from '../../../values/bounds.ts';

/** Lines of one instance, one after the other in memory. */
interface Run {
  readonly instance: number;
  readonly start: number;
  end: number;
  lines: number;
}

/** Lines that were taken from memory. */
export interface TakenLines {
  readonly instance: number;
  readonly parts: readonly Uint8Array[];
  readonly lines: number;
}

/** Lines in memory, within bounds. */
export interface LineBuffer {
  /**
   * Adds a line, or counts it as dropped where it finds no room.
   *
   * @returns whether it is time to write the lines
   */
  add(instance: number, line: string): boolean;
  /** Returns all lines by instance, and starts with none. They are valid until the next call. */
  take(): readonly TakenLines[];
  /** Counts lines that could not be written. */
  drop(count: number): void;
  /** Number of dropped lines since the start. */
  dropped(): number;
}

const pendingLength = 4096;

/**
 * Creates the buffer of a process: two areas of memory in turn, which take lines of all instances as they come. Strings
 * or buffers of their own would live for a second, and cost the collector more than the request: 4 us in place of 1.
 */
export function createLineBuffer(): LineBuffer {
  let [area, spare] = [Buffer.alloc(bufferedRequestBytes), Buffer.alloc(bufferedRequestBytes)];
  let runs: Run[] = [];
  let bytesOf = new Map<number, number>();
  let pending = '';
  let end = 0;
  let dropped = 0;

  function spill(): void {
    area.write(pending, end - pending.length, 'latin1');
    pending = '';
  }

  /** Checks whether an instance has used its share of the memory. */
  function isBeyondShare(instance: number, size: number): boolean {
    const bytes = (bytesOf.get(instance) ?? 0) + size;
    bytesOf.set(instance, bytes);
    return bytes > bufferedRequestBytes / 2;
  }

  return {
    add: (instance, line) => {
      const size = line.length;
      if (end + size > bufferedRequestBytes || isBeyondShare(instance, size)) {
        dropped += 1;
        return true;
      }
      const last = runs.at(-1);
      if (last?.instance === instance) {
        last.end += size;
        last.lines += 1;
      } else runs.push({ instance, start: end, end: end + size, lines: 1 });
      end += size;
      pending += line;
      if (pending.length > pendingLength) spill();
      return end > bufferedRequestBytes / 4;
    },
    take: () => {
      spill();
      const taken = group(runs, area);
      [area, spare] = [spare, area];
      runs = [];
      bytesOf = new Map();
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
  for (const { instance, start, end, lines } of runs) {
    const one = all.get(instance) ?? { instance, parts: [], lines: 0 };
    one.parts.push(area.subarray(start, end));
    one.lines += lines;
    all.set(instance, one);
  }
  return [...all.values()];
}
