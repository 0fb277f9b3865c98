import { setTimeout } from 'node:timers/promises';
import type { LogDisk, LogFile } from '../../../shared/platforms/local/store/log/disk.ts';

const sectorBytes = 512;
const headBytes = 4096; // before the part of a file that is often empty
const zeros = Buffer.alloc(4_194_304);

/** A disk in memory that may lose power. */
export interface SimulatedDisk extends LogDisk {
  /** Loses what was not flushed: each of its sectors is written, or not, or in part. */
  cutPower(): void;
  /** Returns a file as other programs read it now, without the zeros at its end. */
  copyOf(path: string): Buffer;
  /** Sets the errors of the next writes and flushes. */
  fail(failing: Failing): void;
}

interface Failing {
  readonly write?: Error;
  readonly flush?: Error;
}

interface Contents {
  /** Of the file; the bytes that follow those below are zeros. */
  length: number;
  /** After the last flush. */
  stable: Buffer;
  /** As programs read them. */
  current: Buffer;
  /** Beginnings of sectors that were written since. */
  dirty: Set<number>;
}

/** What a process that has ended waits for. */
export const never = new Promise<never>(() => undefined);

/**
 * Creates an empty disk.
 *
 * @param random returns numbers from 0 to 1
 */
export function createDisk(random: () => number): SimulatedDisk {
  const files = new Map<string, Contents>();
  let failing: Failing = {};
  let lives = 0;

  function flush(file: Contents): void {
    if (failing.flush !== undefined) throw failing.flush;
    file.stable = grown(file.stable, file.current.length);
    for (const at of file.dirty) file.current.copy(file.stable, at, at, at + sectorBytes);
    file.dirty.clear();
  }

  const create = async (path: string, contents: Buffer) => {
    const isEmpty = contents.subarray(headBytes).equals(zeros.subarray(headBytes, contents.length));
    const kept = isEmpty ? contents.subarray(0, headBytes) : contents;
    const [stable, current] = [Buffer.from(kept), Buffer.from(kept)];
    files.set(path, { length: contents.length, stable, current, dirty: new Set() });
  };

  return {
    create,
    read: (path) => {
      const file = files.get(path);
      return file && grown(Buffer.from(file.current), file.length);
    },
    open: (path): LogFile => {
      const file = files.get(path);
      if (file === undefined) throw new Error(`no file ${path}`);
      const life = lives;
      return {
        write: (bytes, position) => {
          if (life !== lives) throw new Error('the process has ended');
          // a full disk takes a part of a write
          const length = failing.write === undefined ? bytes.length : bytes.length * random();
          write(file, bytes.subarray(0, length), position);
          if (failing.write !== undefined) throw failing.write;
        },
        flush: async () => {
          for (let turns = Math.floor(random() * 4); turns > 0; turns -= 1) await Promise.resolve();
          if (random() < 0.02) await setTimeout(2); // timers of the store expire
          if (life !== lives) await never;
          flush(file);
        },
        flushSync: () => {
          if (life === lives) flush(file);
        },
        close: () => undefined,
      };
    },
    copyOf: (path) => Buffer.from(files.get(path)?.current ?? ''),
    cutPower: () => {
      failing = {};
      lives += 1;
      for (const file of files.values()) loseDirty(file, random);
    },
    fail: (next) => {
      failing = next;
    },
  };
}

function write(file: Contents, bytes: Buffer, position: number): void {
  const end = position + bytes.length;
  file.current = grown(file.current, end);
  file.length = Math.max(file.length, end);
  bytes.copy(file.current, position);
  for (let at = position - (position % sectorBytes); at < end; at += sectorBytes)
    file.dirty.add(at);
}

function grown(bytes: Buffer, length: number): Buffer {
  if (bytes.length >= length) return bytes;
  return Buffer.concat([bytes, Buffer.alloc(length - bytes.length)]);
}

/** Leaves some of what was not flushed, in no order. */
function loseDirty(file: Contents, random: () => number): void {
  if (random() < 0.5) file.stable = grown(file.stable, file.current.length);
  const share = random() * 1.4 - 0.2; // all and nothing happen as well
  for (const at of file.dirty) {
    if (random() > share || at >= file.stable.length) continue;
    const isTorn = random() < 0.1;
    file.current.copy(
      file.stable,
      at,
      at,
      at + Math.floor(isTorn ? random() * sectorBytes : sectorBytes),
    );
  }
  file.current = Buffer.from(file.stable);
  file.dirty.clear();
}
