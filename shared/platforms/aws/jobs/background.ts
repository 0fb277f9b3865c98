import { setTimeout as sleep } from 'node:timers/promises';
import type { Context, DynamoDBBatchResponse, DynamoDBStreamEvent, SQSEvent } from 'aws-lambda';
import {
  type ChangeConsumer,
  type ItemChange,
  type Services,
  sizedKinds,
} from '../../../jobs/change-feed.ts';
import { type DeadLetterRequest, handleDeadLetter } from '../../../jobs/dead-letters.ts';
import { type ChangeDelivery, deliverChanges } from '../../../jobs/delivery.ts';
import { dueTimes, type ReadJobs, readJobs } from '../../../jobs/due-jobs.ts';
import { type JobType, runDue } from '../../../jobs/jobs.ts';
import { openParking, parkedJob } from '../../../jobs/parked-changes.ts';
import { jobEntity } from '../../../table/entities/jobs.ts';
import { dueOf } from '../../../table/key-parts.ts';
import { faultOf } from '../../../values/caught.ts';
import { tickMessage } from '../log/log.ts';
import { jobLag } from '../log/metrics.ts';
import { withSharedPatience } from '../sdk/patience.ts';
import { readStreamRecord, sequenceNumber, shardName } from './stream.ts';
import { isWakeUp, timeOfWakeUp, type WakeUps } from './wake-ups.ts';

/** An operator's request. */
interface OperatorEvent {
  readonly deadLetter: DeadLetterRequest;
}

/** A request of the function to itself: to run due jobs. */
export interface DueEvent {
  readonly jobs: 'due';
  readonly Records?: undefined;
}

/**
 * Records of the table's stream. A reader with a tumbling window names their shard; its windows have no state, and the
 * last event of each has no records. An operator's replay has `isReplay`.
 */
interface StreamEvent {
  readonly Records?: DynamoDBStreamEvent['Records'] | undefined;
  readonly window?: object;
  readonly shardId?: string;
  readonly isReplay?: true;
}

/** Response to an event of the stream. Lambda takes a response without `state` to one with a window as an error. */
export interface BackgroundResponse extends DynamoDBBatchResponse {
  readonly state?: Readonly<Record<string, never>>;
}

/**
 * Records of the table's stream, a wake-up, an operator's request, one of its own, or the tick of a minute, which has no
 * data.
 */
export type BackgroundEvent = StreamEvent | SQSEvent | OperatorEvent | DueEvent;

/** The consumers and jobs of the background. */
export interface BackgroundOptions {
  readonly services: Services;
  readonly consumers: readonly ChangeConsumer[];
  readonly kinds: readonly JobType[];
  readonly wakeUps: WakeUps;
  /** Has the function invoked asynchronously. */
  readonly invokeLater: (event: DueEvent) => Promise<void>;
}

/**
 * A tenant is waited for as long as by a request while its items are throttled, and for one poisoned change: others of
 * the shard wait behind it.
 */
const delivering: Pick<ChangeDelivery, 'sleep' | 'limited' | 'maxFailed'> = {
  maxFailed: 1,
  sleep: (ms) => sleep(ms),
  limited: withSharedPatience,
};

type Invocation = Pick<Context, 'getRemainingTimeInMillis'>;

/** The handler of the background function. */
export type BackgroundHandler = (
  event: BackgroundEvent,
  context: Invocation,
) => Promise<BackgroundResponse>;

/** Longest time from the start of a request to its last write: a function ends after 29 s. */
const callMicros = 60_000_000;

/** No step starts in the last seconds of the function's time. */
const stepMs = 30_000;

/** Jobs that are due within this time get a wake-up: the next tick comes after a minute, or some seconds later. */
const aheadMs = 75_000;

/** A wake-up that is early by no more than this is due to clocks that differ by some milliseconds. */
const earlyMs = 1000;

/**
 * Creates the handler: passes changes in the stream to their consumers, and runs due jobs, with each tick and in
 * invocations of its own. The stream and the queue of wake-ups start those and do not wait: they have few invocations
 * at a time, and a long job in one of them would delay all jobs behind it. Of a failed batch of changes, the first that
 * was not consumed is delivered again with all behind it: consumers accept repeated changes.
 */
export function createBackground(options: BackgroundOptions): BackgroundHandler {
  const { services, consumers } = options;
  const sized = sizedKinds(consumers.flatMap(({ watches }) => watches));
  const { runJobs, tick, begin, startJobs } = createJobs(options);
  return async (event, invocation) => {
    if ('deadLetter' in event) {
      await handleDeadLetter(services, consumers, event.deadLetter);
      await services.meter.flush();
      return { batchItemFailures: [] };
    }
    if (isWakeUp(event)) {
      await arrival(services, timeOfWakeUp(event));
      await startJobs();
      return { batchItemFailures: [] };
    }
    const changes = changesIn(event, sized);
    const isTick = event.Records === undefined && !('window' in event);
    if ('jobs' in event) await runJobs(invocation);
    else if (isTick) await tick(invocation);
    else await begin(changes);
    // usage of jobs and consumers; no client waits here
    const [from] = await Promise.all([consume(options, event, changes), services.meter.flush()]);
    return responseTo(event, from);
  };
}

function responseTo({ window }: StreamEvent, from: ItemChange | undefined): BackgroundResponse {
  return {
    batchItemFailures: from === undefined ? [] : [{ itemIdentifier: sequenceNumber(from) }],
    ...(window !== undefined && { state: {} }),
  };
}

/** Waits for the time of a wake-up that arrives a little early. */
async function arrival({ clock, log }: Services, time: number): Promise<void> {
  if (Number.isNaN(time)) log({ level: 'error', message: 'a wake-up has no time' });
  const pauseMs = time - clock.micros() / 1000;
  // a timer may be a millisecond early, and drops fractions
  if (pauseMs > 0 && pauseMs < earlyMs) await sleep(pauseMs + 2);
}

function changesIn(
  { Records = [], shardId }: StreamEvent,
  sized: ReadonlySet<string>,
): readonly ItemChange[] {
  const stream = Records[0]?.eventSourceARN ?? '';
  const shard = shardId === undefined ? undefined : shardName(stream, shardId);
  return Records.map((record) => readStreamRecord(record, sized, shard))
    .filter((read) => read !== undefined)
    .filter(({ change }) => change.cause !== 'maintenance');
}

/** Returns functions that run due jobs, here or in another invocation, and have jobs run later. */
function createJobs(options: BackgroundOptions) {
  const { services, consumers, wakeUps, invokeLater } = options;
  const kinds = [...options.kinds, parkedJob(consumers, delivering)];
  const context = {
    ...services,
    settled: () => Promise.resolve(), // the delay of the stream is unknown
    endedBefore: async (micros: number) => services.clock.micros() - micros > callMicros,
  };
  const nowMs = () => services.clock.micros() / 1000;
  /** The next tick runs what is not started. */
  const unlessFailed = async (message: string, started: Promise<void>): Promise<void> => {
    try {
      await started;
    } catch (error) {
      services.log({ level: 'error', message, ...faultOf(error) });
    }
  };
  const runJobs = async ({ getRemainingTimeInMillis }: Invocation, read?: ReadJobs) => {
    const isEnding = () => getRemainingTimeInMillis() < stepMs;
    await runDue({ kinds, context, isEnding }, read);
  };
  /** Has jobs run at those of these times that are soon. */
  const wakeUpAt = async (times: readonly number[]) => {
    const now = nowMs();
    const soon = times.filter((time) => time > now && time <= now + aheadMs);
    await unlessFailed('wake-ups failed', wakeUps(soon));
  };
  const startJobs = () => unlessFailed('jobs could not be started', invokeLater({ jobs: 'due' }));
  return {
    /** Runs due jobs. */
    runJobs,
    /** Has due jobs run in another invocation. */
    startJobs,
    /** Runs due jobs, and has those run that are due before the next tick. */
    tick: async (invocation: Invocation) => {
      const read = await readJobs(services.store, nowMs() + aheadMs);
      const oldest = Math.min(nowMs(), ...dueTimes(read));
      services.log({ level: 'info', message: tickMessage, [jobLag]: Math.ceil(nowMs() - oldest) });
      await Promise.all([wakeUpAt(dueTimes(read)), runJobs(invocation, read)]);
    },
    /** Has new jobs run that are due now or soon. */
    begin: async (changes: readonly ItemChange[]) => {
      const newJobs = changes.filter(({ kind }) => kind === jobEntity.kind);
      const times = newJobs.map(({ key }) => dueOf(key));
      const isDue = times.some((time) => time <= nowMs());
      await Promise.all([wakeUpAt(times), isDue && startJobs()]);
    },
  };
}

/** A record alone that is older than this was left over when the event source divided a batch that killed the function. */
const suspectMs = 60_000;

/** Checks whether a batch may kill the function: then a job delivers it, and the shard continues. */
function isSuspect({ clock }: Services, { Records = [] }: StreamEvent): boolean {
  const seconds = Records[0]?.dynamodb?.ApproximateCreationDateTime;
  if (seconds === undefined || Records.length > 1) return false;
  return clock.micros() / 1000 - seconds * 1000 > suspectMs;
}

/**
 * Passes changes to their consumers. Those that must wait are parked, so that the shard continues; in a replay nothing
 * is, because parked changes are not taken for repeated ones.
 *
 * @returns the first change that must be delivered again, with all that follow
 */
async function consume(
  { services, consumers }: BackgroundOptions,
  event: StreamEvent,
  changes: readonly ItemChange[],
): Promise<ItemChange | undefined> {
  const watched = new Set(consumers.flatMap(({ watches }) => watches.map(({ kind }) => kind)));
  if (!changes.some(({ kind }) => watched.has(kind))) return undefined;
  try {
    const way = event.isReplay
      ? { consumers: consumers.map(replaying) }
      : { consumers, ...(await openLanes(services, event)) };
    const interruption = await deliverChanges({ ...delivering, ...way, services }, changes);
    if (interruption === undefined) return undefined;
    logUnconsumed(services, interruption.error ?? new Error('earlier changes wait'));
    return interruption.from;
  } catch (error) {
    logUnconsumed(services, error);
    return changes[0];
  }
}

async function openLanes(services: Services, event: StreamEvent) {
  const parking = await openParking(services);
  return isSuspect(services, event) ? { ...parking, mustWait: () => true } : parking;
}

/** Returns a consumer that processes changes after later ones. */
function replaying(consumer: ChangeConsumer): ChangeConsumer {
  const { replay } = consumer;
  if (replay === undefined) return consumer;
  return {
    ...consumer,
    consume: async (changes, services) => {
      for (const change of changes) await replay(change, services);
    },
  };
}

function logUnconsumed({ log }: Services, error: unknown): void {
  log({ level: 'error', message: 'changes could not be consumed', ...faultOf(error) });
}
