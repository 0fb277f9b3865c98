import type { TableOperation } from '../tables.ts';
import { createLayer, type Layer } from './layer.ts';

/** Operations that are applied together; they are in one file of the log. */
export interface Part {
  readonly layer: Layer;
  /** Bytes of their records. */
  readonly bytes: number;
  readonly operations: number;
  /** Bytes of the disk that they may take in the tables. */
  readonly reservedBytes: number;
  /** State of the tables with them, as a text; undefined without a log, and while the part takes operations. */
  readonly state: string | undefined;
}

/** What is pending: the part that takes new operations, and the one that is applied. */
export interface Parts {
  active(): Part;
  /** Undefined: none. */
  applying(): Part | undefined;
  /** Returns the layers of both, the newest first. */
  layers(): readonly Layer[];
  add(operations: readonly TableOperation[], bytes: number): void;
  /** Makes the active part the one that is applied; there must be none. Begins another. */
  take(state: string | undefined): void;
  /** Forgets the part that was applied. */
  drop(): void;
  /** Returns how many were applied. */
  applied(): number;
}

export function openParts(): Parts {
  let active = emptyPart();
  let applying: Part | undefined;
  let layers = [active.layer];
  let applied = 0;
  return {
    active: () => active,
    applying: () => applying,
    layers: () => layers,
    add: (operations, bytes) => {
      active.layer.add(operations);
      active.bytes += bytes;
      active.operations += operations.length;
      active.reservedBytes += reservedFor(operations);
    },
    take: (state) => {
      applying = { ...active, state };
      active = emptyPart();
      layers = [active.layer, applying.layer];
    },
    drop: () => {
      applied += 1;
      applying = undefined;
      layers = [active.layer];
    },
    applied: () => applied,
  };
}

function emptyPart() {
  return { layer: createLayer(), bytes: 0, operations: 0, reservedBytes: 0, state: undefined };
}

const bytesPerOperation = 512; // passing one to LMDB takes a microsecond of the event loop

/** Returns the bytes of a part, or more when it has many small operations. */
export function loadOf({ bytes, operations }: Part): number {
  return Math.max(bytes, operations * bytesPerOperation);
}

const pageBytes = 4096;

/** Returns the characters of operations; most take one byte. */
export function lengthOf(operations: readonly TableOperation[]): number {
  return operations.reduce((sum, { key, value = '' }) => sum + key.length + value.length, 0);
}

/** Estimates the bytes of the disk that operations take in the tables: a small item writes a page too. */
export function reservedFor(operations: readonly TableOperation[]): number {
  return lengthOf(operations) + operations.length * pageBytes;
}
