import { beginDue, endLeases, type JobContext, type JobType } from '../../../jobs/jobs.ts';
import { openShardRun, type ShardRun } from '../../../jobs/shard-run.ts';
import { jobShards } from '../../../table/entities/jobs.ts';
import { stackOf } from '../../../values/caught.ts';
import type { Timers } from './timers.ts';

/** Longest time between two checks for due jobs, even if the clock changes. */
const longestPauseMs = 60_000;
const troubleMs = 1000;

/** Runs the jobs of this machine. */
export interface JobLoop {
  /** Reports that there is a new job, and when it is due (epoch milliseconds). */
  nudgeAt(due: number): void;
  /** Resolves when no job is due. */
  idle(): Promise<void>;
  /** Ends after the running steps; the rest continues at the next start. */
  stop(): Promise<void>;
}

export interface JobLoopOptions {
  readonly kinds: readonly JobType[];
  readonly context: JobContext;
  readonly timers: Timers;
}

/** Starts the loop: with jobs that an earlier process left, then whenever a job is due. */
export function startJobs({ kinds, context, timers }: JobLoopOptions): JobLoop {
  let isStopped = false;
  const runner = { kinds, context, isEnding: () => isStopped };
  const leasesEnded = endLeases(context).catch(logTrouble); // another process held the leases: it has ended
  const shards = jobShards.map((shard) => {
    const run = openShardRun(shard);
    return openShard(run, async () => {
      if (isStopped) return;
      await leasesEnded;
      const due = await beginDue(runner, run).catch(logTrouble);
      if (due === 'trouble') nudgeAfter(troubleMs);
      else if (due !== undefined) nudgeAt(due);
    });
  });

  function logTrouble(error: unknown): 'trouble' {
    context.log({ level: 'error', message: 'jobs could not be run', cause: stackOf(error) });
    return 'trouble';
  }

  function nudge(): void {
    if (isStopped) return;
    for (const shard of shards) shard.nudge();
    nudgeAfter(longestPauseMs);
  }

  function nudgeAfter(ms: number): void {
    if (!isStopped) timers.soon('jobs', Math.min(ms, longestPauseMs), nudge);
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

/** Runs `begin` for a shard, once at a time and once more after each nudge. No shard waits for another. */
function openShard({ underWay }: ShardRun, begin: () => Promise<void>) {
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
