import type { Store, Stored } from '../store/store.ts';
import { jobEntity, jobShards } from '../table/entities/jobs.ts';
import { dueKey } from '../table/key-parts.ts';
import type { JobData } from '../table/records/jobs.ts';
import type { Services } from './change-feed.ts';
import { inTurns } from './job-owners.ts';
import { atOncePerShard, awaitTurn, type ShardRun } from './shard-run.ts';

/* The jobs of a shard that are due, in the order in which they start. */

const lookAhead = 1000; // due jobs among which owners take turns
const perReading = 64; // of them that start before they are read again, or one of each owner

/** Jobs of each shard that were read already, the earliest first. */
export type ReadJobs = readonly (readonly Stored<JobData>[])[];

/** Reads the jobs of all shards that are due up to `until` (epoch milliseconds), in one query per shard. */
export function readJobs(store: Pick<Store, 'query'>, until: number): Promise<ReadJobs> {
  return Promise.all(jobShards.map((shard) => jobsOf({ store }, { shard, until })));
}

/** Returns when jobs are due, except those that a process has the lease of. */
export function dueTimes(read: ReadJobs): readonly number[] {
  return read.flat().flatMap(({ data: { claimed, due } }) => (claimed ? [] : [due]));
}

/** Due jobs, of which owners take turns, and when the next one is due if there are none. */
export interface Due {
  readonly due: readonly Stored<JobData>[];
  readonly later?: number | undefined;
}

/** Reads as many jobs as may start now; if more are due, those of others behind them take turns with them. */
export async function lookForDue(
  context: Pick<Services, 'store' | 'clock'>,
  run: ShardRun,
  read?: ReadJobs[number],
): Promise<Due> {
  await awaitTurn(run);
  const { shard, quick } = run;
  const now = context.clock.micros() / 1000;
  const end = dueKey(now + 1);
  const isDue = ({ key }: Stored<JobData>) => key.sk < end;
  if (read !== undefined)
    return { due: inTurns(read.filter(isDue), perReading), later: read[0]?.data.due };
  const limit = atOncePerShard - quick.size;
  const first = await jobsOf(context, { shard, limit });
  const due = first.filter(isDue);
  if (due.length < limit) return { due, later: first[0]?.data.due };
  const all = await jobsOf(context, { shard, until: now, limit: lookAhead });
  if (all.length === 0) return lookForDue(context, run); // other processes have taken them
  return { due: inTurns(all, perReading) };
}

/** Reads the jobs of a shard, the earliest first. Only those due at `until` (epoch milliseconds), if set. */
export async function jobsOf(
  { store }: { readonly store: Pick<Store, 'query'> },
  { shard, until, limit = 1000 }: { shard: number; until?: number; limit?: number },
): Promise<readonly Stored<JobData>[]> {
  const upper = until === undefined ? undefined : { key: dueKey(until + 1), inclusive: false };
  return (await jobEntity.list(store, [shard], { upper, limit })).items;
}
