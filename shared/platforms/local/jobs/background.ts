import type { ChangeConsumer, Services } from '../../../jobs/change-feed.ts';
import type { JobType } from '../../../jobs/jobs.ts';
import type { ChangeProcessing } from '../../../ports/ports.ts';
import type { RunningRequests } from '../server/calls.ts';
import type { Feed } from '../store/feed.ts';
import { type FeedLag, startConsumers } from './change-feed.ts';
import { startJobs } from './jobs.ts';
import { openTimers, type Timers } from './timers.ts';

/** The change feed and the jobs, which run in the background. */
export interface Background {
  readonly changes: ChangeProcessing;
  /** Returns the numbers of committed changes that consumers have not consumed. */
  lag(): FeedLag;
  /** Resolves when all changes are consumed and no job is due. */
  idle(): Promise<void>;
  /** Stops between two steps; the rest continues at the next start. */
  stop(): Promise<void>;
}

export interface BackgroundOptions {
  readonly feed: Feed;
  readonly services: Services;
  readonly calls: Pick<RunningRequests, 'endedBefore'>;
  readonly consumers: readonly ChangeConsumer[];
  readonly kinds: readonly JobType[];
  /** For tests: other timers. */
  readonly timers?: Timers;
}

/** Starts the change feed and the jobs, and continues what an earlier process left. */
export function startBackground(options: BackgroundOptions): Background {
  const { feed, services, calls, consumers, kinds, timers = openTimers() } = options;
  const loop = startConsumers({ feed, consumers, services, timers });
  const context = { ...services, settled: loop.settled, endedBefore: calls.endedBefore };
  const jobs = startJobs({ kinds, context, timers });
  feed.listen(({ hasChanges, jobsDue }) => {
    if (hasChanges) loop.nudge();
    if (jobsDue !== undefined) jobs.nudgeAt(jobsDue);
  });
  return {
    changes: { settled: loop.settled },
    lag: loop.lag,
    idle: async () => {
      await loop.drained();
      await jobs.idle();
      await loop.drained(); // jobs may have changed items
    },
    stop: async () => {
      timers.clear();
      await Promise.all([loop.stop(), jobs.stop()]);
      timers.clear();
    },
  };
}
