import { dueKey, idKey } from '../key-parts.ts';
import { entity } from '../kind.ts';
import type { RunSlotData, RunWaiterData } from '../records/functions.ts';
import { type TraceData, type TraceKind, traceKinds } from '../records/scripts.ts';

const ofRuns = (instance: number) => `INSTANCE#${instance}#RUNS`;

/** A run of a script; its parent is the script, trigger or schedule, or the list position of the endpoint, that ran it. */
export const traceEntity = entity<TraceData>('trace').keyed(
  (instance: number, kind: TraceKind, parent: number) =>
    `INSTANCE#${instance}#TRACES#${kind}#${parent}`,
  '',
  idKey,
  {
    belongsTo: 'derived',
    clearedWith: 'item',
    counter: traceKinds.map((kind) => `trace-${kind}` as const),
    hasLongIds: true,
  },
);

/** A slot that a run of an instance has taken; it expires when its process must be dead. */
export const runSlotEntity = entity<RunSlotData>('run-place').keyed(
  ofRuns,
  'PLACE#',
  (slot: number) => String(slot),
  { belongsTo: 'derived' },
);

/** A run that waits for a slot, in queue order. That of a process expires soon, and is renewed while it waits. */
export const runWaiterEntity = entity<RunWaiterData>('run-waiter').keyed(
  ofRuns,
  'WAITER#',
  ({ isAwaited, sinceMs, id }: { isAwaited: boolean; sinceMs: number; id: string }) =>
    `${isAwaited ? 0 : 1}#${dueKey(sinceMs)}#${id}`,
  { belongsTo: 'derived' },
);

/** Returns the partition of the traces of a script, trigger or schedule, or of the list position of an endpoint. */
export function tracesOf(kind: TraceKind) {
  return (instance: number, parent: number) => traceEntity.partition(instance, kind, parent);
}

/** The kinds of runs. */
export const runKinds = [traceEntity, runSlotEntity, runWaiterEntity] as const;
