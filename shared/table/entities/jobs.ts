import { byName, dueKey, idKey } from '../key-parts.ts';
import { entity } from '../kind.ts';
import type {
  DeadLetterData,
  InstanceLetterData,
  JobData,
  ParkedChangesData,
  ParkedLaneData,
} from '../records/jobs.ts';

/** Partitions over which jobs are spread. */
export const jobShards = Array.from({ length: 16 }, (_, shard) => shard);

/** Prefix of all partitions of jobs. */
export const jobPrefix = 'WORK#';

/** A job to be run at `due`, in epoch milliseconds, or later. */
export const jobEntity = entity<JobData>('work').keyed(
  (shard: number) => jobPrefix + shard,
  '',
  (due: number, kind: string, id: string) => `${dueKey(due)}#${kind}#${id}`,
  { belongsTo: 'deployment' },
);

/** Returns the shard of a job: the first digit of its id, which is in hex. */
export function jobShard(id: string): number {
  return Number.parseInt(id.slice(0, 1), 16);
}

/** A change that a consumer failed to process, kept for the operator for 30 days. `at` in epoch milliseconds. */
export const deadLetterEntity = entity<DeadLetterData>('dead-letter').keyed(
  () => 'DEADLETTERS',
  '',
  (at: number, id: string) => `${dueKey(at)}#${id}`,
  { belongsTo: 'deployment' },
);

/** A dead letter as its instance sees it; it expires and is deleted with the letter. */
export const instanceLetterEntity = entity<InstanceLetterData>('instance-letter').keyed(
  (instance: number) => `INSTANCE#${instance}#DEADLETTERS`,
  '',
  idKey,
  { belongsTo: 'derived', counter: 'dead-letter', hasLongIds: true },
);

/** A lane of the change feed with changes that wait for their consumer. */
export const parkedLaneEntity = entity<ParkedLaneData>('parked-lane').keyed(
  () => 'PARKED',
  '',
  byName,
  { belongsTo: 'deployment' },
);

/** Changes of a lane that wait; `position` is that of the first one. */
export const parkedChangesEntity = entity<ParkedChangesData>('parked-changes').keyed(
  (lane: string) => `PARKED#${lane}`,
  '',
  (position: string, id: string) => `${position}#${id}`,
  { belongsTo: 'deployment' },
);

/** The kinds of jobs and the change feed. */
export const jobKinds = [
  jobEntity,
  deadLetterEntity,
  instanceLetterEntity,
  parkedLaneEntity,
  parkedChangesEntity,
] as const;
