import type { Platform } from '../ports/ports.ts';
import { writeJson } from '../store/exact-json.ts';
import type { Stored } from '../store/store.ts';
import {
  createItem,
  createOrUpdate,
  deleteIfExists,
  deleteItem,
  updateItem,
} from '../store/writes.ts';
import { parkedChangesEntity, parkedLaneEntity } from '../table/entities/jobs.ts';
import type { ParkedChange, ParkedChangesData, ParkedLaneData } from '../table/records/jobs.ts';
import { longestDelay } from '../values/back-off.ts';
import { faultOf } from '../values/caught.ts';
import { isTransient } from '../values/errors/transient.ts';
import { deploymentOwner, letterFileKey, storedKeyOf } from '../values/file-keys.ts';
import {
  type ChangeConsumer,
  type ItemChange,
  type Services,
  storeDeadLetter,
} from './change-feed.ts';
import { type ChangeDelivery, deliverChanges, type Lane, type Waiting } from './delivery.ts';
import { type JobContext, type JobType, newJob, type StepResult } from './jobs.ts';
import { cascade, maintain } from './maintain.ts';
import { retryOnConflict } from './write-conflict.ts';

/*
 * Changes that wait outside of the feed until their consumer can process them, so that the feed continues. A lane has an
 * item as long as it has changes: later ones are put behind them, and a job delivers them in order.
 */

/** The type of the job of a lane. */
const jobName: Pick<JobType, 'name'> = { name: 'deliver-parked' };

const backOff = { firstMs: 1000, maxMs: 30_000 };
const maxDataBytes = 256 * 1024; // of an item of 400 KB
const maxDeaths = 3; // of processes, before changes are delivered alone; as many again before one is given up
const troubleMs = 15 * 60_000; // the operator hears of changes that wait for longer

/** Reads the lanes with parked changes, and returns the part of a delivery that keeps their order. */
export async function openParking(
  services: Services,
): Promise<Required<Pick<ChangeDelivery, 'mustWait' | 'park'>>> {
  const lanes = await parkedLaneEntity.listAll(services.store, []);
  const names = new Set(lanes.map(({ data }) => laneName(data)));
  return {
    mustWait: (lane) => names.has(laneName(lane)),
    park: async (waiting) => {
      const parked = await Promise.all(waiting.map((each) => tryToPark(services, each)));
      return waiting.filter((_, at) => !parked[at]);
    },
  };
}

/** Returns the type of the jobs that deliver parked changes, for the process that has the consumers. */
export function parkedJob(
  consumers: readonly ChangeConsumer[],
  delivery: Pick<ChangeDelivery, 'sleep' | 'limited' | 'maxFailed'>,
): JobType {
  return {
    ...jobName,
    step: async (context, stored) => {
      const task = stored as LaneTask; // as written by `parkIn`
      const consumer = consumers.find(({ name }) => name === task.consumer);
      if (consumer === undefined) throw new Error(`there is no consumer ${task.consumer} any more`);
      try {
        return await deliverFirst(context, task, {
          ...delivery,
          services: context,
          consumers: [consumer],
        });
      } catch (error) {
        if (!isTransient(error)) throw error;
        return again(task);
      }
    },
  };
}

type LaneTask = {
  readonly consumer: string;
  readonly owner: string;
  /** Consecutive attempts that a transient error has stopped. */
  readonly tries?: number;
  /** Deliveries of the first part that began and have ended, although this could not be recorded in it. */
  readonly ended?: number;
};

function laneName({ consumer, owner }: Lane): string {
  return `${owner}#${consumer}`;
}

/** @returns whether the changes are stored, behind all earlier ones of their lane */
async function tryToPark(services: Services, waiting: Waiting): Promise<boolean> {
  const { consumer, owner, changes, error } = waiting;
  try {
    await parkIn(services, waiting);
  } catch (failure) {
    services.log({ level: 'error', message: 'changes could not be parked', ...faultOf(failure) });
    return false;
  }
  if (error !== undefined) {
    const what = { consumer, owner, changes: changes.length };
    services.log({ level: 'info', message: 'changes wait', ...what, ...faultOf(error) });
  }
  return true;
}

async function parkIn(services: Services, { consumer, owner, changes }: Waiting): Promise<void> {
  const [first] = changes;
  if (first === undefined) return;
  const lane = laneName({ consumer, owner });
  const id = services.ids.random();
  const data = await keepChanges(services, id, changes);
  const put = createItem(
    parkedChangesEntity,
    parkedChangesEntity.key(lane, first.position, id),
    data,
  );
  await retryOnConflict(async () => {
    const current = await parkedLaneEntity.read(services.store, lane);
    const sinceMs = current?.data.sinceMs ?? services.clock.micros() / 1000;
    const key = parkedLaneEntity.key(lane);
    // its version changes with each part, so that its end is noticed here, and a new part at its end
    const own = createOrUpdate(parkedLaneEntity, { key, current }, { consumer, owner, sinceMs });
    const due = services.clock.micros() / 1000 + backOff.firstMs;
    const job = current === undefined ? [newJob(services, jobName, { consumer, owner }, due)] : [];
    await cascade(services, [put, own, ...job]);
  });
}

/** Delivers the first part of a lane; the lane ends after the last one. */
async function deliverFirst(
  context: JobContext,
  task: LaneTask,
  delivery: ChangeDelivery,
): Promise<StepResult> {
  const lane = laneName(task);
  const current = await parkedLaneEntity.read(context.store, lane);
  if (current === undefined) return 'done';
  const { items } = await parkedChangesEntity.list(context.store, [lane], { limit: 1 });
  const [first] = items;
  if (first === undefined) {
    await maintain(context, [deleteItem(current)]); // after a write conflict the step is repeated
    return 'done';
  }
  const part = await begin(context, first);
  const { consumer, owner, tries = 0, ended = 0 } = task;
  let stop: unknown;
  let isRecorded = false;
  try {
    stop = await deliverPart(context, delivery, { part, deaths: part.data.begun - ended - 1 });
    isRecorded = true; // with a new count of begun deliveries
  } catch (error) {
    stop = error;
  }
  if (stop === undefined) return { task: { consumer, owner } };
  if (!isTransient(stop)) throw stop;
  tell(context, current.data, stop);
  return again({ consumer, owner, tries, ...(!isRecorded && { ended: part.data.begun }) });
}

/** Returns the result of a step that a transient error has stopped. */
function again(task: LaneTask): StepResult {
  const { tries = 0 } = task;
  return { task: { ...task, tries: tries + 1 }, afterMs: longestDelay(tries, backOff) };
}

/** Records the begin of a delivery: what kills its process is found by this. */
async function begin(context: JobContext, part: Stored<ParkedChangesData>) {
  const data = { ...part.data, begun: part.data.begun + 1 };
  const version = await maintain(context, [updateItem(part, data)]);
  return { ...part, version, data };
}

interface Begun {
  readonly part: Stored<ParkedChangesData>;
  /** Deliveries of it that began before and have not ended. */
  readonly deaths: number;
}

/**
 * Delivers a part, and records how far.
 *
 * @returns the error of the first change that could not be consumed, or have a dead letter
 */
async function deliverPart(
  context: JobContext,
  delivery: ChangeDelivery,
  { part, deaths }: Begun,
): Promise<unknown> {
  const waiting = await changesOf(context, part);
  const isSuspect = deaths >= maxDeaths; // then one at a time
  const changes = isSuspect ? waiting.slice(0, 1) : waiting;
  const interruption =
    deaths >= 2 * maxDeaths
      ? await giveUpKilling(context, delivery, changes)
      : await deliverChanges(delivery, changes);
  const count = interruption === undefined ? changes.length : changes.indexOf(interruption.from);
  if (count === waiting.length) await endPart(context, part);
  else await advance(context, part, { count, begun: isSuspect ? maxDeaths : 0 });
  return interruption?.error;
}

/** Stores a dead letter for a change whose delivery has killed its process again and again. */
async function giveUpKilling(
  context: JobContext,
  { consumers: [consumer] }: ChangeDelivery,
  [change]: readonly ItemChange[],
): Promise<undefined> {
  if (change === undefined || consumer === undefined) return;
  const error = new Error('the process ended each time that it was delivered');
  const failed = { change, consumer: consumer.name, error };
  await storeDeadLetter(context, failed, consumer.whenGivenUp?.(change, context));
}

/** Deletes a part with its file. */
async function endPart(context: JobContext, { key, data }: Stored<ParkedChangesData>) {
  await maintain(context, [deleteIfExists(key)]);
  if (data.file === undefined) return;
  await context.files.remove(deploymentOwner, [fileOf(data.file)]);
}

/** Records that the first changes of a part are consumed, or have dead letters. */
async function advance(
  context: JobContext,
  part: Stored<ParkedChangesData>,
  { count, begun }: { readonly count: number; readonly begun: number },
) {
  const { data } = part;
  const consumed = data.consumed + count;
  await maintain(context, [updateItem(part, { ...data, consumed, begun })]);
}

function tell(
  { clock, log }: JobContext,
  { consumer, owner, sinceMs }: ParkedLaneData,
  error: unknown,
): void {
  const waitedMs = clock.micros() / 1000 - sinceMs;
  const level = waitedMs > troubleMs ? 'error' : 'info';
  const waitedSeconds = Math.round(waitedMs / 1000);
  log({ level, message: 'changes still wait', consumer, owner, waitedSeconds, ...faultOf(error) });
}

const fileOf = (file: string) => storedKeyOf(deploymentOwner, 'dead-letters', file);

/** Returns changes as a part holds them: large ones are in a file. */
async function keepChanges(
  { files }: Pick<Platform, 'files'>,
  id: string,
  changes: readonly ItemChange[],
): Promise<ParkedChangesData> {
  const parked = changes.map(
    ({ before, after, ...change }): ParkedChange => ({
      ...change,
      ...(before && { before: { version: before.version, data: before.data } }),
      ...(after && { after: { version: after.version, data: after.data } }),
    }),
  );
  const text = writeJson(parked);
  if (Buffer.byteLength(text) <= maxDataBytes) return { consumed: 0, begun: 0, changes: parked };
  const file = letterFileKey(id);
  const bytes = Buffer.from(text);
  await files.put(deploymentOwner, file, { bytes, contentType: 'application/json' });
  return { consumed: 0, begun: 0, file };
}

/** Returns the changes of a part that are not consumed. */
async function changesOf(
  { files }: Pick<Platform, 'files'>,
  { data }: Stored<ParkedChangesData>,
): Promise<readonly ItemChange[]> {
  const all = data.file === undefined ? data.changes : await readFile(files, data.file);
  return (all ?? []).slice(data.consumed).map(({ before, after, ...change }) => {
    const { key, kind } = change;
    return {
      ...change,
      ...(before && { before: { key, kind, ...before } }),
      ...(after && { after: { key, kind, ...after } }),
    };
  });
}

async function readFile(files: Platform['files'], file: string): Promise<readonly ParkedChange[]> {
  const found = await files.get(deploymentOwner, fileOf(file));
  if (found === undefined) throw new Error(`the parked changes in ${file} are gone`);
  return JSON.parse(Buffer.from(found.bytes).toString()) as ParkedChange[]; // `keepChanges` wrote it
}
