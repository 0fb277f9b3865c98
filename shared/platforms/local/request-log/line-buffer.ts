import { bufferedRequestBytes, bufferedRequestBytesPerInstance } from '../../../values/bounds.ts';

/** Lines of an instance in memory. */
export interface BufferedLines {
  /** Takes `used` bytes of lines, and has room for more. */
  bytes: Buffer;
  used: number;
  count: number;
}

/** Lines in memory, by instance, within bounds. */
export interface LineBuffer {
  /**
   * Adds a line, or counts it as dropped where it finds no room.
   *
   * @returns whether it is time to write the lines
   */
  add(instance: number, line: string): boolean;
  /** Returns all lines, and starts with none. */
  take(): ReadonlyMap<number, BufferedLines>;
  /** Counts lines that could not be written. */
  drop(count: number): void;
  /** Number of dropped lines since the start. */
  dropped(): number;
}

const firstBytes = 4096; // longer than any line
const empty: BufferedLines = { bytes: Buffer.alloc(0), used: 0, count: 0 };

/**
 * Creates the buffer of a process. Lines are copied to bytes at once: strings that live for a second cost the collector
 * several times what they cost the request.
 */
export function createLineBuffer(): LineBuffer {
  let all = new Map<number, BufferedLines>();
  let room = 0;
  let dropped = 0;

  /** Makes room for a line; undefined: there is none. */
  function grow(
    instance: number,
    { bytes, used, count }: BufferedLines,
  ): BufferedLines | undefined {
    const more = Math.max(bytes.length, firstBytes);
    const isFull = bytes.length + more > bufferedRequestBytesPerInstance;
    if (isFull || room + more > bufferedRequestBytes) return undefined;
    room += more;
    const grown = { bytes: Buffer.allocUnsafeSlow(bytes.length + more), used, count };
    bytes.copy(grown.bytes, 0, 0, used);
    all.set(instance, grown);
    return grown;
  }

  return {
    add: (instance, line) => {
      let lines: BufferedLines | undefined = all.get(instance) ?? empty;
      if (lines.used + line.length > lines.bytes.length) lines = grow(instance, lines);
      if (lines === undefined) {
        dropped += 1;
        return true;
      }
      lines.used += lines.bytes.write(line, lines.used, 'latin1');
      lines.count += 1;
      return lines.used > bufferedRequestBytesPerInstance / 4;
    },
    take: () => {
      const taken = all;
      all = new Map();
      room = 0;
      return taken;
    },
    drop: (count) => {
      dropped += count;
    },
    dropped: () => dropped,
  };
}
