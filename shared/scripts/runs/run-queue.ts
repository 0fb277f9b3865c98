import { newJob } from '../../jobs/jobs.ts';
import { cascade } from '../../jobs/maintain.ts';
import type { Platform } from '../../ports/ports.ts';
import type { RunReference } from '../../ports/run-request.ts';
import type { Delete, Put, Stored } from '../../store/store.ts';
import { createItem, deleteIfExists } from '../../store/writes.ts';
import { runQueueEntity } from '../../table/entities/scripts.ts';
import type { QueuePosition, RunQueueData } from '../../table/records/scripts.ts';
import { watchRunName } from './watch-run-name.ts';

/*
 * A QUEUE OF RUNS holds an entry for each run until it has ended; the run of the first entry may start. A run looks for
 * the first entry after its own was put, and the end of a run after its entry was deleted: one of the two finds a run
 * that may start.
 */

/** Returns the write that puts a run into a queue, for the transaction that creates its trace. */
export function enterQueue(
  { instance, kind, parent, trace }: RunReference,
  { queue, position }: QueuePosition,
  expiresAt: number,
): Put {
  const key = runQueueEntity.key(instance, queue, position);
  return { ...createItem(runQueueEntity, key, { kind, parent, trace }), expiresAt };
}

/** Returns the write that takes a run out of its queue, for the transaction that ends its trace. */
export function leaveQueue(instance: number, { queue, position }: QueuePosition): Delete {
  return deleteIfExists(runQueueEntity.key(instance, queue, position));
}

/** Reads the run of a queue that may start; undefined when the queue is empty. */
export async function firstInQueue(
  { store }: Pick<Platform, 'store'>,
  instance: number,
  queue: string,
): Promise<Stored<RunQueueData> | undefined> {
  return (await runQueueEntity.list(store, [instance, queue], { limit: 1 })).items[0];
}

/** Plans the start of the next run of a queue, after the end of the previous one. A repeated start has no effect. */
export async function startNext(
  services: Pick<Platform, 'store' | 'clock' | 'ids'>,
  instance: number,
  { queue }: QueuePosition,
): Promise<void> {
  const next = await firstInQueue(services, instance, queue);
  if (next === undefined) return;
  await cascade(services, [newJob(services, watchRunName, { instance, ...next.data })]);
}
