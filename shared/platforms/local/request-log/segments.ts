import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../../values/caught.ts';

/** Bounds of the files of a request log, in bytes and microseconds. */
export interface SegmentLimits {
  /** Of one file. */
  readonly segmentBytes: number;
  /** Time for which a file takes lines. */
  readonly segmentMicros: number;
  readonly instanceBytes: number;
  readonly totalBytes: number;
  /** Time for which lines are kept after their file took the last one. */
  readonly keptMicros: number;
}

/** A file with lines of one instance. */
export interface Segment {
  readonly path: string;
  readonly instance: number;
  /** When it took its first line, at the earliest. */
  readonly startMicros: number;
  bytes: number;
  /** Whether it takes more lines; those of an earlier process may end within a line. */
  isOpen: boolean;
}

/** The files of a request log, by instance. */
export interface Segments {
  /** Returns the files of an instance, the oldest first. */
  of(instance: number): readonly Segment[];
  /** Adds whole lines to the newest file of an instance. Throws errors of the file system. */
  append(instance: number, lines: Uint8Array, nowMicros: number): Promise<void>;
  /** Returns the text of a file; empty if it is gone. */
  read(segment: Segment): Promise<string>;
  /** Deletes what is old or beyond the bounds: the oldest file of the instance with the most bytes first. */
  sweep(nowMicros: number): Promise<void>;
}

const blockBytes = 4096; // a small file takes as much of a disk
const fileName = /^(\d{1,16})-(\d{1,17})\.log$/;

/** Opens the files in a folder, which is created with the first of them. */
export async function openSegments(folder: string, limits: SegmentLimits): Promise<Segments> {
  const all = new Map<number, Segment[]>();
  for (const segment of await findSegments(folder)) add(segment);

  function add(segment: Segment): void {
    const segments = all.get(segment.instance);
    if (segments === undefined) all.set(segment.instance, [segment]);
    else segments.push(segment);
  }

  async function remove(segments: Segment[]): Promise<void> {
    const [oldest] = segments;
    if (oldest === undefined) return;
    await rm(oldest.path, { force: true });
    segments.shift();
    if (segments.length === 0) all.delete(oldest.instance);
  }

  function openFor(instance: number, bytes: number, nowMicros: number): Segment {
    const last = all.get(instance)?.at(-1);
    if (last?.isOpen && last.bytes + bytes <= limits.segmentBytes) {
      if (nowMicros - last.startMicros < limits.segmentMicros) return last;
    }
    const path = join(folder, `${instance}-${nowMicros}.log`);
    const segment = { path, instance, startMicros: nowMicros, bytes: 0, isOpen: true };
    add(segment);
    return segment;
  }

  return {
    of: (instance) => all.get(instance) ?? [],
    append: async (instance, lines, nowMicros) => {
      const segment = openFor(instance, lines.length, nowMicros);
      segment.bytes += lines.length;
      try {
        await appendTo(folder, segment.path, lines);
      } catch (error) {
        segment.isOpen = false; // it may end within a line
        throw error;
      }
    },
    read: async ({ path }) => {
      try {
        return await readFile(path, 'utf8');
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') throw error;
        return '';
      }
    },
    sweep: async (nowMicros) => {
      const oldest = nowMicros - limits.segmentMicros - limits.keptMicros;
      for (const segments of [...all.values()]) {
        while (isBefore(segments[0], oldest) || sizeOf(segments) > limits.instanceBytes) {
          await remove(segments);
        }
      }
      let total = sizeOf([...all.values()].flat());
      while (total > limits.totalBytes) {
        const largest = [...all.values()].reduce((a, b) => (sizeOf(b) > sizeOf(a) ? b : a));
        total -= sizeOf(largest.slice(0, 1));
        await remove(largest);
      }
    },
  };
}

function isBefore(segment: Segment | undefined, micros: number): boolean {
  return segment !== undefined && segment.startMicros < micros;
}

function sizeOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { bytes }) => sum + Math.max(bytes, blockBytes), 0);
}

async function appendTo(folder: string, path: string, lines: Uint8Array): Promise<void> {
  const file = await open(path, 'a', 0o600).catch(async (error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return open(path, 'a', 0o600);
  });
  try {
    await file.writeFile(lines);
  } finally {
    await file.close();
  }
}

/** Finds the files of earlier processes, the oldest first. */
async function findSegments(folder: string): Promise<readonly Segment[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error;
    return [];
  });
  const found: Segment[] = [];
  for (const name of names) {
    const [, instance, startMicros] = fileName.exec(name) ?? [];
    if (instance === undefined) continue;
    const path = join(folder, name);
    const { size: bytes } = await stat(path);
    found.push({
      path,
      instance: Number(instance),
      startMicros: Number(startMicros),
      bytes,
      isOpen: false,
    });
  }
  return found.sort((a, b) => a.startMicros - b.startMicros);
}
