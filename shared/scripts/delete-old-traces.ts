import { type JobType, namedJob } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import type { Platform } from '../ports/ports.ts';
import type { RunReference } from '../ports/run-request.ts';
import type { Put, Stored } from '../store/store.ts';
import { deleteItem } from '../store/writes.ts';
import { traceEntity } from '../table/entities/runs.ts';
import type { TraceData } from '../table/records/scripts.ts';
import { dataOwner } from '../values/file-keys.ts';
import { afterlifeMs, filesOf, listed } from './traces.ts';

const marginMs = 10_000; // processes on AWS store traces slightly out of order
const slotMs = 60_000; // at most one deletion per parent in this time, however many runs it has
const share = 13 / 256; // of the runs plan a deletion: about one in twenty
const stepSize = 100;

/** The traces of one parent up to one of them; the newest hundred of these remain. */
type TraceTrimTask = RunReference & {
  /** Sort key of the oldest one that remains, once it is known. */
  readonly oldest?: string;
  /** Sort key of the last one that was read. */
  readonly after?: string;
};

/**
 * Plans the deletion of traces that newer ones displaced from the list, where `reference` is the newest: at a time when
 * none of them can be found by its id.
 *
 * @returns writes for the commit that stores the end of the run; empty for most runs, which leave it to others
 */
export function planTraceDeletion(
  { clock, ids }: Pick<Platform, 'clock' | 'ids'>,
  { instance, kind, parent, trace }: RunReference,
): readonly Put[] {
  if (Number.parseInt(ids.random().slice(0, 2), 16) >= share * 256) return [];
  const earliest = clock.micros() / 1000 + afterlifeMs + marginMs;
  const due = Math.ceil(earliest / slotMs) * slotMs;
  const task = { instance, kind, parent, trace };
  return [
    namedJob(deleteOldTraces, { instance, name: `${instance}-${kind}-${parent}`, task, due }),
  ];
}

/**
 * Deletes traces with their files, a hundred in a step. A run that has not ended needs its trace, and a pending one its
 * arguments: these traces remain.
 */
export const deleteOldTraces: JobType = {
  name: 'trim-traces',
  step: async (context, stored) => {
    const task = stored as TraceTrimTask; // as stored
    const { instance, kind, parent } = task;
    const oldest = task.oldest ?? (await findOldest(context, task));
    if (oldest === undefined) return 'done';
    const { items, last } = await traceEntity.list(context.store, [instance, kind, parent], {
      after: task.after,
      upper: { key: oldest, inclusive: false },
      limit: stepSize,
    });
    await deleteEnded(context, instance, items);
    return last === undefined ? 'done' : { task: { ...task, oldest, after: last } };
  },
};

/** Finds the sort key of the oldest trace that remains; undefined: all do. */
async function findOldest(
  { store }: Pick<Platform, 'store'>,
  { instance, kind, parent, trace }: TraceTrimTask,
): Promise<string | undefined> {
  const { items } = await traceEntity.list(store, [instance, kind, parent], {
    upper: { key: traceEntity.key(instance, kind, parent, trace).sk, inclusive: true },
    descending: true,
    limit: listed,
  });
  return items[listed - 1]?.key.sk;
}

/** Deletes the files first: if the process dies in between, the next attempt finds the trace. */
async function deleteEnded(
  context: Pick<Platform, 'store' | 'ids' | 'files'>,
  instance: number,
  traces: readonly Stored<TraceData>[],
): Promise<void> {
  const ended = traces.filter(
    ({ data: { status } }) => status !== 'pending' && status !== 'processing',
  );
  const parts = ended.flatMap(({ data: { args, result } }) => [args, result]);
  const files = parts.flatMap((part) => filesOf(instance, part));
  if (files.length > 0) await context.files.remove(dataOwner(instance), files);
  await Promise.all(ended.map((trace) => maintain(context, [deleteItem(trace)])));
}
