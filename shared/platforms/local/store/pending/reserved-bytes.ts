import type { TableOperation } from '../tables.ts';

const pageBytes = 4096;

/** Returns the characters of operations; most take one byte. */
export function lengthOf(operations: readonly TableOperation[]): number {
  return operations.reduce((sum, { key, value = '' }) => sum + key.length + value.length, 0);
}

/** Estimates the bytes of the disk that operations take in the tables: a small item writes a page too. */
export function reservedFor(operations: readonly TableOperation[]): number {
  return lengthOf(operations) + operations.length * pageBytes;
}
