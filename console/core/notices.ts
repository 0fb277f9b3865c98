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

/** Ids of the dialogs that are open, the topmost last: it shows the notices. */
export const openDialogs = signal<readonly string[]>([]);

/**
 * Shows that something was done; with `undo`, for longer. It replaces problems, and the last one unless that offers
 * *Undo*.
 */
export function notify(text: string, undo?: () => Promise<void>): number {
  dismissProblems();
  const id = add({ kind: 'done', text, ...(undo && { undo }) });
  setTimeout(() => dismiss(id), undo === undefined ? shownMs.done : shownMs.undo);
  return id;
}

/** Shows why something failed, until it is closed, another screen is opened, or a later action ends. */
export function notifyProblem(error: unknown): void {
  add({ kind: 'problem', text: toApiProblem(error).message });
}

export function dismiss(id: number): void {
  notices.value = notices.peek().filter((notice) => notice.id !== id);
}

/** Dismisses the problems up to the notice `last`. */
export function dismissProblems(last = lastId): void {
  const isKept = ({ kind, id }: Notice) => kind !== 'problem' || id > last;
  if (!notices.peek().every(isKept)) notices.value = notices.peek().filter(isKept);
}

/** Runs what a control does, and shows an error as a notice; a success dismisses the errors before it. */
export function attempt(run: () => Promise<unknown>): void {
  const last = lastId;
  run().then(() => dismissProblems(last), notifyProblem);
}

function add(notice: Omit<Notice, 'id'>): number {
  lastId += 1;
  const others = notices.peek().filter(({ kind, undo }) => kind !== notice.kind || undo);
  notices.value = [...others, { ...notice, id: lastId }];
  return lastId;
}
