import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';

/*
 * LMDB maps its file into memory, and a file that is foreign or truncated kills the process. So the file is checked
 * first. It begins with two pages that describe it; the one with the greater transaction number is valid.
 */

const magic = 0xbeefc0de;

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
    const needed = describedSize(file);
    if (size < needed) throw new Error(`${path} has ${size} bytes of ${needed}`);
  } finally {
    closeSync(file);
  }
}

function describedSize(file: number): number {
  const first = readHead(file, 0);
  const pageSize = first.readUInt32LE(pageSizeAt);
  const second = readHead(file, pageSize);
  const newest =
    first.readBigUInt64LE(transactionAt) > second.readBigUInt64LE(transactionAt) ? first : second;
  return (Number(newest.readBigUInt64LE(lastPageAt)) + 1) * pageSize;
}

function readHead(file: number, position: number): Buffer {
  const head = Buffer.alloc(headBytes);
  const bytes = readSync(file, head, 0, headBytes, position);
  if (bytes < headBytes || head.readUInt32LE(magicAt) !== magic) {
    throw new Error('this is no file of the store');
  }
  return head;
}
