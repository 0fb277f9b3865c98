import { bufferedRequestBytes, bufferedRequestBytesPerInstance } from '../../../values/bounds.ts';

/** Lines that wait to be written. */
interface Waiting {
  readonly lines: string[];
  bytes: number;
}

/** Lines in memory, by instance, within bounds. */
export interface LineBuffer {
  /** Adds a line, or counts it as dropped where it finds no room. */
  add(instance: number, line: string): void;
  /** Returns all lines, and starts with none. */
  take(): ReadonlyMap<number, Pick<Waiting, 'lines'>>;
  /** Counts lines that could not be written. */
  drop(count: number): void;
  /** Number of dropped lines since the start. */
  dropped(): number;
}

/** Creates the buffer of a process. */
export function createLineBuffer(): LineBuffer {
  let all = new Map<number, Waiting>();
  let bytes = 0;
  let dropped = 0;
  return {
    add: (instance, line) => {
      let waiting = all.get(instance);
      if (waiting === undefined) {
        waiting = { lines: [], bytes: 0 };
        all.set(instance, waiting);
      }
      const size = line.length;
      const isFull = bytes + size > bufferedRequestBytes;
      if (isFull || waiting.bytes + size > bufferedRequestBytesPerInstance) {
        dropped += 1;
        return;
      }
      bytes += size;
      waiting.bytes += size;
      waiting.lines.push(line);
    },
    take: () => {
      const taken = all;
      all = new Map();
      bytes = 0;
      return taken;
    },
    drop: (count) => {
      dropped += count;
    },
    dropped: () => dropped,
  };
}
