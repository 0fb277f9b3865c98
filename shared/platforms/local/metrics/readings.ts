import type { QueueState } from '../../../ports/limits/request-queue.ts';
import type { Clock } from '../../../ports/ports.ts';
import { deadLetterEntity, jobEntity, jobShards } from '../../../table/entities/jobs.ts';
import { dueOf } from '../../../table/key-parts.ts';
import type { FeedLag } from '../jobs/change-feed.ts';
import type { LocalStore } from '../store/store.ts';

/** What metrics show of a platform, at one moment. */
export interface Readings {
  readonly store: ReturnType<LocalStore['statistics']>;
  /** Changes that wait for their consumers. */
  readonly lag: FeedLag;
  readonly jobs: DueJobs;
  readonly deadLetters: number;
  readonly queues: readonly NamedQueue[];
  /** Processes of scripts, templates and certificates. */
  readonly processes: number;
}

/** A queue with its name in metrics. */
export type NamedQueue = readonly [name: string, state: QueueState];

/** Jobs that are due and have not ended. */
export interface DueJobs {
  readonly count: number;
  /** Time for which the oldest one is due. */
  readonly oldestMs: number;
}

/** Parts that are read. */
export interface ReadingSources {
  readonly store: Pick<LocalStore, 'statistics' | 'sortKeys'>;
  readonly clock: Clock;
  readonly background: { lag(): FeedLag };
  readonly passwords: { readonly queue: QueueState };
  readonly scans: { readonly queue: QueueState };
  readonly messages: { readonly listeners: QueueState };
  readonly processes: { size(): number; queue(): QueueState | undefined };
}

/** Most dead letters, and most due jobs of a shard, that are counted: a count reads keys. */
export const maxCounted = 1000;

/** Returns a function that reads the parts of a platform. */
export function openReadings(sources: ReadingSources): () => Readings {
  const { store, clock, background, passwords, scans, messages, processes } = sources;
  return () => {
    const runs = processes.queue();
    const queues: NamedQueue[] = [
      ['passwords', passwords.queue],
      ['scans', scans.queue],
      ['listeners', messages.listeners],
    ];
    return {
      store: store.statistics(),
      lag: background.lag(),
      jobs: readJobs(store, clock.micros() / 1000),
      deadLetters: store.sortKeys(deadLetterEntity.partition(), maxCounted).length,
      queues: runs === undefined ? queues : [...queues, ['processes', runs]],
      processes: processes.size(),
    };
  };
}

function readJobs(store: ReadingSources['store'], nowMs: number): DueJobs {
  const due = jobShards
    .map((shard) => jobEntity.partition(shard))
    .flatMap((pk) => store.sortKeys(pk, maxCounted).map((sk) => dueOf({ pk, sk })))
    .filter((at) => at <= nowMs);
  const oldest = due.reduce((first, at) => Math.min(first, at), nowMs);
  return { count: due.length, oldestMs: nowMs - oldest };
}
