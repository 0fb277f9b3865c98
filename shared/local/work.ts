import { causeOf } from '../services/cause.ts';
import { freeClaims, runDue, type WorkContext, type WorkKind } from '../services/work.ts';
import type { Timers } from './timers.ts';

/** What is due is looked for at least so often, whatever the clock does meanwhile. */
const longestPauseMs = 60_000;
const troubleMs = 1000;

/** Runs the work of this machine. */
export interface WorkLoop {
  /** Says that there is new work, and when it is due (epoch milliseconds). */
  nudgeAt(due: number): void;
  /** Resolves when nothing is due. */
  idle(): Promise<void>;
  /** Ends after the steps that are under way; the rest is there at the next start. */
  stop(): Promise<void>;
}

/** What a loop works with. */
export interface WorkLoopOptions {
  readonly kinds: readonly WorkKind[];
  readonly context: WorkContext;
  readonly timers: Timers;
}

/** Starts the loop: with what an earlier process has left, then whenever something is due. */
export function startWork({ kinds, context, timers }: WorkLoopOptions): WorkLoop {
  let isStopped = false;
  let isNudged = true;
  let isFresh = true;
  let running: Promise<void> | undefined;

  async function round(): Promise<number> {
    if (isFresh) await freeClaims(context); // the folder was another process's: it is dead
    isFresh = false;
    const next = await runDue({ kinds, context, isEnding: () => isStopped });
    return next === undefined ? longestPauseMs : next - context.clock.micros() / 1000;
  }

  async function run(): Promise<void> {
    let pauseMs = 0;
    while (isNudged && !isStopped) {
      isNudged = false;
      pauseMs = await round();
    }
    if (!isStopped) timers.soon('work', Math.min(Math.max(pauseMs, 1), longestPauseMs), nudge);
  }

  function nudge(): void {
    if (isStopped) return;
    isNudged = true;
    running ??= run()
      .catch((error: unknown) => {
        const cause = causeOf(error);
        context.log({ level: 'error', message: 'work could not be run', cause });
        if (!isStopped) timers.soon('work', troubleMs, nudge);
      })
      .finally(() => {
        running = undefined;
        if (isNudged) nudge(); // while the last round was ending
      });
  }

  nudge();
  return {
    nudgeAt: (due) => {
      const pauseMs = due - context.clock.micros() / 1000;
      if (pauseMs <= 0) nudge();
      else if (!isStopped) timers.soon('work', Math.min(pauseMs, longestPauseMs), nudge);
    },
    idle: async () => {
      while (running !== undefined) await running;
    },
    stop: async () => {
      isStopped = true;
      await running;
    },
  };
}
