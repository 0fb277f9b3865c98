import {
  beginDue,
  freeClaims,
  type JobContext,
  type JobType,
  type ShardWork,
} from '../../../jobs/jobs.ts';
import { jobShards } from '../../../store/entities.ts';
import { causeOf } from '../../../values/caught.ts';
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
  readonly kinds: readonly JobType[];
  readonly context: JobContext;
  readonly timers: Timers;
}

/** Starts the loop: with what an earlier process has left, then whenever something is due. */
export function startWork({ kinds, context, timers }: WorkLoopOptions): WorkLoop {
  let isStopped = false;
  const runner = { kinds, context, isEnding: () => isStopped };
  const freed = freeClaims(context).catch(logTrouble); // the folder was another process's: it is dead
  const shards = jobShards.map((shard) => {
    const work = { shard, underWay: new Set<Promise<void>>() };
    return openShard(work, async () => {
      if (isStopped) return;
      await freed;
      const due = await beginDue(runner, work).catch(logTrouble);
      if (due === 'trouble') nudgeAfter(troubleMs);
      else if (due !== undefined) nudgeAt(due);
    });
  });

  function logTrouble(error: unknown): 'trouble' {
    context.log({ level: 'error', message: 'jobs could not be run', cause: causeOf(error) });
    return 'trouble';
  }

  function nudge(): void {
    if (isStopped) return;
    for (const shard of shards) shard.nudge();
    nudgeAfter(longestPauseMs);
  }

  function nudgeAfter(ms: number): void {
    if (!isStopped) timers.soon('work', Math.min(ms, longestPauseMs), nudge);
  }

  function nudgeAt(due: number): void {
    const pauseMs = due - context.clock.micros() / 1000;
    if (pauseMs <= 0) nudge();
    else nudgeAfter(pauseMs);
  }

  async function idle(): Promise<void> {
    for (;;) {
      const underWay = shards.flatMap((shard) => shard.underWay());
      if (underWay.length === 0) return;
      await Promise.all(underWay);
    }
  }

  nudge();
  return {
    nudgeAt,
    idle,
    stop: async () => {
      isStopped = true;
      await idle();
    },
  };
}

/** Begins the work of a shard by `begin`, once at a time and once more after each nudge; no shard waits for another. */
function openShard({ underWay }: ShardWork, begin: () => Promise<void>) {
  let isNudged = false;
  let beginning: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (isNudged) {
      isNudged = false;
      await begin();
    }
    beginning = undefined;
  }

  return {
    nudge: () => {
      isNudged = true;
      beginning ??= run();
    },
    underWay: () => [...underWay, ...(beginning === undefined ? [] : [beginning])],
  };
}
