import { type JobType, jointWork } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import type { Platform } from '../platform/ports.ts';
import { as, traceEntity } from '../store/entities.ts';
import type { TraceData } from '../store/records/scripts.ts';
import type { Put, Stored } from '../store/store.ts';
import { remove } from '../store/writes.ts';
import type { RunReference } from './run-request.ts';
import { afterlifeMs, filesOf, listed } from './traces.ts';

const marginMs = 10_000; // processes on AWS store traces slightly out of order
const slotMs = 60_000; // at most one deletion per parent in this time, however many runs it has
const share = 13 / 256; // of the runs plan a deletion: about one in twenty
const stepSize = 100;

/** The traces of one parent up to one of them; the newest hundred of these remain. */
type Trim = RunReference & {
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
export function planTrim(
  { clock, ids }: Pick<Platform, 'clock' | 'ids'>,
  { instance, kind, parent, trace }: RunReference,
): readonly Put[] {
  if (Number.parseInt(ids.random().slice(0, 2), 16) >= share * 256) return [];
  const earliest = clock.micros() / 1000 + afterlifeMs + marginMs;
  const due = Math.ceil(earliest / slotMs) * slotMs;
  const task = { instance, kind, parent, trace };
  return [jointWork(trimTraces, { name: `${instance}-${kind}-${parent}`, task, due })];
}

/**
 * Deletes traces with their files, a hundred in a step. A run that has not ended needs its trace, and a pending one its
 * arguments: these traces remain.
 */
export const trimTraces: JobType = {
  name: 'trim-traces',
  step: async (context, stored) => {
    const task = stored as Trim; // as stored
    const { instance, kind, parent, trace } = task;
    const { pk, sk: newest } = traceEntity.key(instance, kind, parent, trace);
    const oldest = task.oldest ?? (await findOldest(context, pk, newest));
    if (oldest === undefined) return 'done';
    const lower = task.after === undefined ? {} : { lower: { key: task.after, inclusive: false } };
    const upper = { key: oldest, inclusive: false };
    const { items, positions, more } = await context.store.query({
      pk,
      ...lower,
      upper,
      limit: stepSize,
    });
    await deleteEnded(
      context,
      items.map((item) => as(traceEntity, item)),
    );
    const after = positions.at(-1);
    return more && after !== undefined ? { task: { ...task, oldest, after } } : 'done';
  },
};

/** Finds the sort key of the oldest trace that remains; undefined: all do. */
async function findOldest(
  { store }: Pick<Platform, 'store'>,
  pk: string,
  newest: string,
): Promise<string | undefined> {
  const upper = { key: newest, inclusive: true };
  const { items } = await store.query({ pk, upper, descending: true, limit: listed });
  return items[listed - 1]?.key.sk;
}

/** Deletes the files first: if the process dies in between, the next attempt finds the trace. */
async function deleteEnded(
  context: Pick<Platform, 'store' | 'ids' | 'files'>,
  traces: readonly Stored<TraceData>[],
): Promise<void> {
  const ended = traces.filter(
    ({ data: { status } }) => status !== 'pending' && status !== 'processing',
  );
  const files = ended.flatMap(({ data }) => [...filesOf(data.args), ...filesOf(data.result)]);
  if (files.length > 0) await context.files.remove(files);
  await Promise.all(ended.map((trace) => maintain(context, [remove(trace)])));
}
