import { clearSome } from '../instances/clear-partitions.ts';
import { afterRequests, type JobContext, type JobType } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import { deleteIfExists } from '../store/writes.ts';
import { traceEntity } from '../table/entities/runs.ts';
import { runQueueEntity } from '../table/entities/scripts.ts';
import { idKey } from '../table/key-parts.ts';

const stepSize = 100;

/** Deleted trigger. */
type DeletedTrigger = { readonly instance: number; readonly trigger: number };

/** Deletes the traces of a deleted trigger, and its runs that have not started. */
export const clearTriggerRuns: JobType = {
  name: 'clear-trigger-runs',
  step: afterRequests<DeletedTrigger>(async (context, task) => {
    const { instance, trigger } = task;
    const traces = traceEntity.partition(instance, 'trigger', trigger);
    if ((await clearSome(context, traces)) > 0) return { task };
    return (await clearQueues(context, task)) > 0 ? { task } : 'done';
  }),
};

/** Deletes some entries of the queues of a trigger, one for each object, and returns their number. */
async function clearQueues(
  context: JobContext,
  { instance, trigger }: DeletedTrigger,
): Promise<number> {
  const queues = runQueueEntity.range(instance, idKey(trigger));
  const { items } = await context.store.query({ ...queues, limit: stepSize });
  if (items.length > 0)
    await maintain(
      context,
      items.map(({ key }) => deleteIfExists(key)),
    );
  return items.length;
}
