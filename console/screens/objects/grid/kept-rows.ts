import { lens, session } from '../../../core/session.ts';
import type { LoadedRow } from './rows.ts';

/** Rows that were loaded, for when the user comes back to them. */
interface KeptRows {
  /** Tells lists apart. */
  readonly list: string;
  readonly all: readonly LoadedRow[];
  readonly next: string | null;
  /** Pixels that were scrolled. */
  readonly offset: number;
}

const maxLists = 5;
const maxRows = 10_000;
const kept = new Map<number, KeptRows>();
session.subscribe(() => kept.clear());
lens.subscribe(() => kept.clear());

/** Keeps rows for an entry of the history, in the memory of the tab. */
export function keepRows(entry: number, rows: KeptRows): void {
  kept.delete(entry);
  if (rows.all.length === 0 || rows.all.length > maxRows) return;
  kept.set(entry, rows);
  for (const oldest of [...kept.keys()].slice(0, -maxLists)) kept.delete(oldest);
}

/** Returns the rows of a list that were kept for an entry of the history. */
export function keptRows(entry: number, list: string): KeptRows | undefined {
  const rows = kept.get(entry);
  return rows?.list === list ? rows : undefined;
}
