import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';

/*
 * LMDB maps its file into memory, and a file that is foreign or truncated kills the process. So the file is checked
 * first. It begins with two pages that describe it; the one with the greater transaction number is valid.
 */

const magic = 0xbeefc0de;

/** Last pages that a commit took and gave back: they are free, and were never written. */
const mostUnwritten = 4;

/** Offsets in a describing page. */
const magicAt = 24;
const pageSizeAt = 48;
const lastPageAt = 144;
const transactionAt = 152;

/** Bytes of a describing page that are checked. */
const headBytes = 160;

/**
 * Checks whether LMDB can open a file. An absent or empty one is valid.
 *
 * @throws Error when it is no LMDB file, or is truncated
 */
export function checkDataFile(path: string): void {
  if (!existsSync(path)) return;
  const file = openSync(path, 'r');
  try {
    const size = fstatSync(file).size;
    if (size === 0) return;
    const { bytes, pageSize } = describedSize(file);
    if (size < bytes - mostUnwritten * pageSize) {
      throw new Error(`${path} has ${size} bytes of ${bytes}`);
    }
  } finally {
    closeSync(file);
  }
}

/** Zeros behind the last page: more than one commit takes, so that its unwritten pages are among them. */
const marginBytes = 4_194_304;

/** A file of LMDB that is longer than its pages. */
export interface DataFile {
  /** Makes the file longer again. No commit may be in progress. */
  extend(): void;
  close(): void;
}

/**
 * Keeps a file of LMDB longer than its pages. LMDB never writes pages that a commit takes and gives back, so after a
 * crash the file could end before them, and look truncated.
 */
export function openDataFile(path: string): DataFile {
  const file = openSync(path, 'r+');
  return {
    extend: () => {
      const { bytes } = describedSize(file);
      if (fstatSync(file).size < bytes + marginBytes / 2) ftruncateSync(file, bytes + marginBytes);
    },
    close: () => closeSync(file),
  };
}

function describedSize(file: number): { readonly bytes: number; readonly pageSize: number } {
  const first = readHead(file, 0);
  const pageSize = first.readUInt32LE(pageSizeAt);
  const second = readHead(file, pageSize);
  const newest =
    first.readBigUInt64LE(transactionAt) > second.readBigUInt64LE(transactionAt) ? first : second;
  return { bytes: (Number(newest.readBigUInt64LE(lastPageAt)) + 1) * pageSize, pageSize };
}

function readHead(file: number, position: number): Buffer {
  const head = Buffer.alloc(headBytes);
  const bytes = readSync(file, head, 0, headBytes, position);
  if (bytes < headBytes || head.readUInt32LE(magicAt) !== magic) {
    throw new Error('this is no file of the store');
  }
  return head;
}
