import { signal } from '@preact/signals';
import { toApiProblem } from './load.ts';

/** A short message at the edge of the window. */
export interface Notice {
  readonly id: number;
  readonly kind: 'done' | 'problem';
  readonly text: string;
  /** Offers to take back what was done. */
  readonly undo?: () => Promise<void>;
}

/** How long notices are shown: with *Undo*, as long as it can be pressed. */
export const shownMs = { done: 3_000, undo: 5_000 };

export const notices = signal<readonly Notice[]>([]);
let lastId = 0;

/** Shows that something was done; with `undo`, for longer. It replaces the last one, unless that offers *Undo*. */
export function notify(text: string, undo?: () => Promise<void>): number {
  const id = add({ kind: 'done', text, ...(undo && { undo }) });
  setTimeout(() => dismiss(id), undo === undefined ? shownMs.done : shownMs.undo);
  return id;
}

/** Shows why something failed, until it is closed or another problem replaces it. */
export function notifyProblem(error: unknown): void {
  add({ kind: 'problem', text: toApiProblem(error).message });
}

export function dismiss(id: number): void {
  notices.value = notices.peek().filter((notice) => notice.id !== id);
}

/** Runs what a control does, and shows an error as a notice. */
export function attempt(run: () => Promise<unknown>): void {
  run().catch(notifyProblem);
}

function add(notice: Omit<Notice, 'id'>): number {
  lastId += 1;
  const others = notices.peek().filter(({ kind, undo }) => kind !== notice.kind || undo);
  notices.value = [...others, { ...notice, id: lastId }];
  return lastId;
}
