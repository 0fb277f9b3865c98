import { createHash } from 'node:crypto';
import { type TableOperation, tableNames } from '../tables.ts';

/*
 * A record has the operations of one commit. It begins at a page, so that writing it touches no page of another one,
 * and the rest of its last page is zeros:
 *
 *   8 bytes   id of the log: nothing else in a file begins with it
 *   6 bytes   number of the record, one above that of the record before
 *   4 bytes   length of the body
 *   14 bytes  beginning of the SHA-256 of the fields before and of the body
 *   body      UTF-8: table, length of the key and of the value for each operation, a line feed, keys and values
 */

export const pageBytes = 4096;
export const idBytes = 8;
const numberAt = idBytes;
const lengthAt = numberAt + 6;
const hashAt = lengthAt + 4;
const headBytes = 32;
const keptBytes = 1_048_576; // of the buffer that small records share
const mostBytes = 3; // of UTF-8 per UTF-16 unit
const noValue = '-';

/** A record as it lies in a file. */
export interface LogRecord {
  readonly number: number;
  /** All of its pages. */
  readonly bytes: Buffer;
}

let shared = Buffer.alloc(0);

/** Writes a record. The bytes are valid until the next call. */
export function encodeRecord(
  id: Buffer,
  number: number,
  operations: readonly TableOperation[],
): Buffer {
  const text = bodyOf(operations);
  const buffer = bufferFor(headBytes + text.length * mostBytes + pageBytes);
  const length = writeBody(buffer, text);
  id.copy(buffer);
  buffer.writeUIntLE(number, numberAt, 6);
  buffer.writeUInt32LE(length, lengthAt);
  hashOf(buffer, length).copy(buffer, hashAt);
  const end = pagesOf(length) * pageBytes;
  buffer.fill(0, headBytes + length, end);
  return buffer.subarray(0, end);
}

/** Reads the record at the beginning of some pages; undefined: there is none, or not all of it. */
export function readRecord(id: Buffer, pages: Buffer): LogRecord | undefined {
  if (pages.length < headBytes || !pages.subarray(0, idBytes).equals(id)) return undefined;
  const length = pages.readUInt32LE(lengthAt);
  const bytes = pages.subarray(0, pagesOf(length) * pageBytes);
  if (bytes.length < pagesOf(length) * pageBytes) return undefined;
  const hash = bytes.subarray(hashAt, headBytes);
  if (!hash.equals(hashOf(bytes, length))) return undefined;
  return { number: bytes.readUIntLE(numberAt, 6), bytes };
}

/** Reads the operations of a record. */
export function operationsOf({ bytes }: LogRecord): readonly TableOperation[] {
  const text = bytes.toString('utf8', headBytes, headBytes + bytes.readUInt32LE(lengthAt));
  let at = text.indexOf('\n') + 1;
  const fields = text.slice(0, at - 1).split(',');
  const next = (length: string) => {
    const start = at;
    at += Number(length);
    return text.slice(start, at);
  };
  const operations: TableOperation[] = [];
  for (let field = 0; field + 2 < fields.length; field += 3) {
    const [index, keyLength = '', valueLength = ''] = fields.slice(field, field + 3);
    const table = tableNames[Number(index)];
    if (table === undefined) throw new Error(`a record of a table ${index}`);
    const key = next(keyLength);
    operations.push(
      valueLength === noValue ? { table, key } : { table, key, value: next(valueLength) },
    );
  }
  return operations;
}

function bodyOf(operations: readonly TableOperation[]): string {
  let head = '';
  const texts: string[] = [];
  for (const { table, key, value } of operations) {
    head += `${tableNames.indexOf(table)},${key.length},${value?.length ?? noValue},`;
    texts.push(key);
    if (value !== undefined) texts.push(value);
  }
  return `${head}\n${texts.join('')}`;
}

/** Writes a text as UTF-8 behind the head of a record; returns its bytes. */
function writeBody(buffer: Buffer, text: string): number {
  const isAscii = Buffer.byteLength(text) === text.length;
  return buffer.write(text, headBytes, isAscii ? 'latin1' : 'utf8'); // latin1 is copied
}

function bufferFor(bytes: number): Buffer {
  if (bytes > keptBytes) return Buffer.allocUnsafe(bytes);
  if (shared.length < bytes) shared = Buffer.allocUnsafe(Math.min(2 * bytes, keptBytes));
  return shared;
}

function hashOf(buffer: Buffer, length: number): Buffer {
  const hash = createHash('sha256').update(buffer.subarray(0, hashAt));
  return hash
    .update(buffer.subarray(headBytes, headBytes + length))
    .digest()
    .subarray(0, headBytes - hashAt);
}

function pagesOf(length: number): number {
  return Math.ceil((headBytes + length) / pageBytes);
}
