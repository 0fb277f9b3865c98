import { setTimeout as sleep } from 'node:timers/promises';
import type { Context, DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import {
  type ChangeConsumer,
  deliver,
  type Services,
  sizedKinds,
} from '../../../jobs/change-feed.ts';
import { type JobType, runDue } from '../../../jobs/jobs.ts';
import { jobEntity } from '../../../store/entities.ts';
import { causeOf } from '../../../values/caught.ts';
import { readStreamRecord } from './stream.ts';

/** Records of the table's stream, or the tick of a minute, which has no data. */
export type BackgroundEvent = Partial<DynamoDBStreamEvent>;

/** The consumers and jobs of the background. */
export interface BackgroundOptions {
  readonly services: Services;
  readonly consumers: readonly ChangeConsumer[];
  readonly kinds: readonly JobType[];
}

/** The handler of the background function. */
export type BackgroundHandler = (
  event: BackgroundEvent,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
) => Promise<DynamoDBBatchResponse>;

/** Longest time from the start of a request to its last write: a function ends after 29 s. */
const callMicros = 60_000_000;

/** No step starts in the last seconds of the function's time. */
const stepMs = 30_000;

/**
 * Creates the handler: passes changes in the stream to their consumers, and runs jobs when the stream shows new ones
 * and with each tick. A failed batch of changes is delivered again as a whole: consumers are idempotent.
 */
export function createBackground({
  services,
  consumers,
  kinds,
}: BackgroundOptions): BackgroundHandler {
  const context = {
    ...services,
    settled: () => Promise.resolve(), // the delay of the stream is unknown
    endedBefore: async (micros: number) => services.clock.micros() - micros > callMicros,
  };
  const sized = sizedKinds(consumers.flatMap(({ watches }) => watches));
  return async ({ Records: records = [] }, { getRemainingTimeInMillis }) => {
    const changes = records
      .map((record) => readStreamRecord(record, sized))
      .filter((read) => read !== undefined)
      .filter(({ change }) => change.cause !== 'maintenance');
    if (records.length === 0 || changes.some(({ kind }) => kind === jobEntity.kind)) {
      await runDue({ kinds, context, isEnding: () => getRemainingTimeInMillis() < stepMs });
    }
    try {
      await services.meter.flush(); // usage of jobs and consumers; no client waits here
      for (const consumer of consumers) {
        await deliver({ consumer, services, sleep: (ms) => sleep(ms) }, changes);
      }
      return { batchItemFailures: [] };
    } catch (error) {
      const cause = causeOf(error);
      services.log({ level: 'error', message: 'changes could not be consumed', cause });
      const first = records[0]?.dynamodb?.SequenceNumber ?? '';
      return { batchItemFailures: [{ itemIdentifier: first }] };
    }
  };
}
