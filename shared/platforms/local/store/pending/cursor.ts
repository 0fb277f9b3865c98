import type { Range } from '../tables.ts';
import { compareKeys } from './order.ts';

/** Keys with their values; null: the key is removed. */
export type Tree = import('sorted-btree').default<string, string | null>;

/** A position in the entries of a range, in its order. A class: a scan passes it for each entry of a table. */
export interface LayerCursor {
  /** Undefined: the range has ended. */
  readonly key: string | undefined;
  /** Null: the key is removed. */
  readonly value: string | null;
  next(): void;
}

/** A position in a tree. */
export class TreeCursor implements LayerCursor {
  key: string | undefined;
  value: string | null = null;
  readonly #entries: Iterator<[string, string | null]>;
  readonly #range: Range;

  constructor(tree: Tree, range: Range) {
    const { start, exclusiveStart = false, reverse = false } = range;
    this.#entries = reverse ? tree.entriesReversed(start) : tree.entries(start);
    this.#range = range;
    this.next();
    if (exclusiveStart && start !== undefined && this.key === start) this.next();
  }

  next(): void {
    const { done, value } = this.#entries.next();
    const isOver = done === true || isBeyond(this.#range, value[0]);
    this.key = isOver ? undefined : value[0];
    this.value = isOver ? null : value[1];
  }
}

/** A position in two layers; of equal keys it has the upper one. */
export class PairCursor implements LayerCursor {
  key: string | undefined;
  value: string | null = null;
  readonly #upper: LayerCursor;
  readonly #lower: LayerCursor;
  readonly #range: Range;

  constructor(upper: LayerCursor, lower: LayerCursor, range: Range) {
    this.#upper = upper;
    this.#lower = lower;
    this.#range = range;
    this.#read();
  }

  next(): void {
    const { key } = this;
    if (this.#upper.key === key) this.#upper.next();
    if (this.#lower.key === key) this.#lower.next();
    this.#read();
  }

  #read(): void {
    const { key } = this.#lower;
    const isUpper = key === undefined || isUpTo(this.#upper, key, this.#range);
    const from = isUpper ? this.#upper : this.#lower;
    this.key = from.key;
    this.value = from.value;
  }
}

/** Checks whether a cursor is at a key or before it, in the order of its range. */
export function isUpTo(cursor: LayerCursor, key: string, { reverse = false }: Range): boolean {
  if (cursor.key === undefined) return false;
  const order = compareKeys(cursor.key, key);
  return reverse ? order >= 0 : order <= 0;
}

function isBeyond({ end, inclusiveEnd = false, reverse = false }: Range, key: string): boolean {
  if (end === undefined) return false;
  const order = reverse ? compareKeys(end, key) : compareKeys(key, end);
  return order > 0 || (order === 0 && !inclusiveEnd);
}
