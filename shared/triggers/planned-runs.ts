import type { Services } from '../jobs/change-feed.ts';
import { cascade, maintain } from '../jobs/maintain.ts';
import { retryOnConflict, unlessConflict } from '../jobs/write-conflict.ts';
import type { RunReference } from '../ports/run-request.ts';
import { planTraceDeletion } from '../scripts/delete-old-traces.ts';
import { planRun } from '../scripts/pending-runs.ts';
import { maxRunDepth } from '../scripts/rules/script-config.ts';
import { dropPart } from '../scripts/runs/run-traces.ts';
import { copyPart, noTraceArguments, traceWrite } from '../scripts/traces.ts';
import type { Put, Stored } from '../store/store.ts';
import { createOrUpdate, deleteItem, updateItem } from '../store/writes.ts';
import { traceEntity } from '../table/entities/runs.ts';
import { eventOfKey, runQueueEntity, triggerRateEntity } from '../table/entities/scripts.ts';
import { idKey } from '../table/key-parts.ts';
import type { TraceData } from '../table/records/scripts.ts';
import type { TriggerData, TriggerEventData } from '../table/records/triggers.ts';
import { maxOpenTriggerRuns, maxTriggerRunsPerMinute } from '../values/bounds.ts';
import { timestamp } from '../values/timestamp.ts';

/** Triggers whose runs one transaction plans: each takes up to four of its hundred writes. */
const triggersAtOnce = 20;
const minuteMs = 60_000;

/** Room for runs of an instance, as far as it is used by the events of one delivery. */
export interface RunRoom {
  /** Number of the minute since 1970. */
  readonly minute: number;
  /** Further runs of this minute. */
  rate: number;
  /** Further runs that have not ended. */
  open: number;
}

/** Inputs for planning the runs of an instance's events. */
export interface RunPlanner {
  readonly services: Services;
  readonly instance: number;
  /** Triggers by id; those of an event that are not among them were deleted. */
  readonly triggers: ReadonlyMap<number, TriggerData>;
  readonly room: RunRoom;
  /** Returns the id of the next trace. */
  readonly nextTrace: () => number;
}

/**
 * Takes room for the runs of a delivery.
 *
 * @param wanted number of runs; a delivery that is repeated takes room again, so it returns what it has not used
 */
export async function takeRoom(
  services: Services,
  instance: number,
  wanted: number,
): Promise<RunRoom> {
  const pk = runQueueEntity.partition(instance);
  const [{ items }, taken] = await Promise.all([
    services.store.query({ pk, limit: maxOpenTriggerRuns }),
    retryOnConflict(() => takeRate(services, instance, wanted)),
  ]);
  return { ...taken, open: maxOpenTriggerRuns - items.length };
}

/** Returns the room that a failed delivery has not used, if that is possible: it will be wanted again. */
export async function returnRoom(
  services: Services,
  instance: number,
  { minute, rate }: RunRoom,
): Promise<void> {
  const current = await triggerRateEntity.read(services.store, instance).catch(() => undefined);
  if (current?.data.minute !== minute || rate <= 0) return;
  const data = { minute, runs: Math.max(0, current.data.runs - rate) };
  await maintain(services, [updateItem(current, data)]).catch(() => undefined);
}

/** Counts runs of the current minute, and returns how many of them it may have. */
async function takeRate(
  services: Services,
  instance: number,
  wanted: number,
): Promise<Pick<RunRoom, 'minute' | 'rate'>> {
  const minute = Math.floor(services.clock.micros() / 1000 / minuteMs);
  const current = await triggerRateEntity.read(services.store, instance);
  const used = current?.data.minute === minute ? current.data.runs : 0;
  const taken = Math.min(wanted, Math.max(0, maxTriggerRunsPerMinute - used));
  const data = { minute, runs: used + taken };
  const key = triggerRateEntity.key(instance);
  await maintain(services, [createOrUpdate(triggerRateEntity, { key, current }, data)]);
  return { minute, rate: taken };
}

/**
 * Plans the runs of an event, each with its trace, and deletes the event with them: so each run is planned once. Nothing
 * happens when another process has planned them.
 */
export async function planRuns(
  planner: RunPlanner,
  event: Stored<TriggerEventData>,
): Promise<void> {
  const { services } = planner;
  for (let current = event; ; ) {
    const { triggers } = current.data;
    const later = triggers.slice(triggersAtOnce);
    const data = { ...current.data, triggers: later };
    const runs = triggers
      .slice(0, triggersAtOnce)
      .map((id, at) => planFirst(planner, current, { id, isLast: at === triggers.length - 1 }));
    const planned = await Promise.all(runs);
    const writes = planned.flatMap((run) => run.writes);
    const own = later.length === 0 ? deleteItem(current) : updateItem(current, data);
    const pending = planned.filter(({ isPending }) => isPending).length;
    const version = await unlessPlanned(planner, pending, cascade(services, [own, ...writes]));
    if (version === undefined) return;
    if (later.length === 0) {
      if (planned.at(-1)?.isPending !== true) {
        await dropPart(services, planner.instance, data.args);
      }
      return;
    }
    current = { ...current, version, data };
  }
}

/** Waits for the writes of runs, and returns their room if they are not written. */
async function unlessPlanned(
  { room }: RunPlanner,
  runs: number,
  written: Promise<string>,
): Promise<string | undefined> {
  let version: string | undefined;
  try {
    version = await unlessConflict(written);
    return version;
  } finally {
    if (version === undefined) {
      room.rate += runs;
      room.open += runs;
    }
  }
}

/** Plans the first attempt of one trigger: a pending run in the queue of trigger and object, or a blocked trace. */
async function planFirst(
  planner: RunPlanner,
  { key, data: event }: Stored<TriggerEventData>,
  { id, isLast }: { readonly id: number; readonly isLast: boolean },
): Promise<{ readonly writes: readonly Put[]; readonly isPending: boolean }> {
  const { services, instance, triggers, nextTrace } = planner;
  const trigger = triggers.get(id);
  if (trigger === undefined) return { writes: [], isPending: false };
  const reference = { instance, kind: 'trigger', parent: id, trace: nextTrace() } as const;
  const depth = event.depth + 1;
  const reason = reasonToBlock(planner.room, depth);
  if (reason !== undefined) {
    return { writes: blockedTrace(services, reference, { depth, reason }), isPending: false };
  }
  const { object, order: position } = eventOfKey(key);
  const { writes } = planRun(services, reference, {
    // the last run gets the file of the event, if any, all others a copy
    args: isLast ? event.args : await copyPart(services, instance, event.args),
    depth,
    run: {
      script: trigger.script,
      meta: {
        executed_by: 'trigger',
        executor: id,
        event: { source: 'dataobject', class: event.class },
        signal: event.action,
        changes: event.changes,
      },
      queue: { queue: `${idKey(id)}#${idKey(object)}`, position },
      attempt: 1,
    },
  });
  return { writes, isPending: true };
}

/** Takes room for a run. Returns why it may not start; undefined when it may (docs/reference/triggers.md#bounds). */
function reasonToBlock(room: RunRoom, depth: number): string | undefined {
  if (depth > maxRunDepth) return `More than ${maxRunDepth} scripts ran because of each other.`;
  if (room.rate <= 0) return `More than ${maxTriggerRunsPerMinute} runs of triggers in a minute.`;
  if (room.open <= 0) return `More than ${maxOpenTriggerRuns} runs of triggers have not ended.`;
  room.rate -= 1;
  room.open -= 1;
  return undefined;
}

function blockedTrace(
  services: Services,
  reference: RunReference,
  { depth, reason }: { readonly depth: number; readonly reason: string },
): readonly Put[] {
  const { instance, kind, parent, trace } = reference;
  const micros = services.clock.micros();
  const data: TraceData = {
    id: trace,
    status: 'blocked',
    createdMs: Math.floor(micros / 1000),
    executed_at: timestamp(micros),
    duration: null,
    result: { value: { stdout: '', stderr: reason } },
    args: noTraceArguments,
    lacksArguments: true,
    depth,
  };
  const write = traceWrite(traceEntity.key(instance, kind, parent, trace), data);
  return [write, ...planTraceDeletion(services, reference)];
}
