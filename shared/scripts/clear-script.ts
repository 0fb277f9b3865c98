import { clearSome } from '../instances/clear-partitions.ts';
import { afterRequests, type JobContext, type JobType, type StepResult } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import type { Stored } from '../store/store.ts';
import { deleteItem } from '../store/writes.ts';
import { scriptEndpointEntity, scriptEndpointPositionEntity } from '../table/entities/endpoints.ts';
import { traceEntity } from '../table/entities/runs.ts';
import type { NamedPositionData } from '../table/records/records.ts';
import type { TraceKind } from '../table/records/scripts.ts';
import { sourceFiles } from '../values/file-keys.ts';

/** Deleted script. */
export type DeletedScript = { readonly instance: number; readonly script: number };

/** Runs of a deleted script or endpoint. */
export type DeletedTraces = {
  readonly instance: number;
  readonly kind: TraceKind;
  /** Id of the script, or list position of the endpoint. */
  readonly parent: number;
};

/** Deletes the traces of a deleted script, its source files and its endpoints, which are no longer visible. */
export const clearScript: JobType = {
  name: 'clear-script',
  step: afterRequests<DeletedScript>(async (context, task) => {
    const { instance, script } = task;
    const traces = { instance, kind: 'script', parent: script } as const;
    if ((await clearSomeTraces(context, traces)) > 0) return { task };
    await context.files.removeAll(sourceFiles(instance, script));
    for (const position of await scriptEndpointPositionEntity.listAll(context.store, [instance])) {
      const result = await clearEndpoint(context, task, position);
      if (result !== 'done') return result;
    }
    return 'done';
  }),
};

/** Deletes the traces of a deleted script endpoint. */
export const clearTraces: JobType = {
  name: 'clear-traces',
  step: afterRequests<DeletedTraces>(async (context, task) =>
    (await clearSomeTraces(context, task)) > 0 ? { task } : 'done',
  ),
};

function clearSomeTraces(context: JobContext, { instance, kind, parent }: DeletedTraces) {
  return clearSome(context, traceEntity.partition(instance, kind, parent));
}

async function clearEndpoint(
  context: JobContext,
  task: DeletedScript,
  position: Stored<NamedPositionData>,
): Promise<StepResult> {
  const { instance, script } = task;
  const endpoint = await scriptEndpointEntity.read(context.store, instance, position.data.name);
  if (endpoint?.data.script !== script) return 'done';
  const traces = { instance, kind: 'endpoint', parent: endpoint.data.row } as const;
  if ((await clearSomeTraces(context, traces)) > 0) return { task };
  await maintain(context, [deleteItem(endpoint), deleteItem(position)]);
  return 'done';
}
