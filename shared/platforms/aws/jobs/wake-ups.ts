import type { SQSClient } from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { withOrigin } from '../../../values/caught.ts';
import { clientLimits, naming } from '../sdk/client.ts';

/** Has the background function run jobs at these times (epoch milliseconds), which are within the next minutes. */
export type WakeUps = (times: readonly number[]) => Promise<void>;

export interface WakeUpOptions {
  /** URL of the queue whose messages arrive at the background function. */
  readonly queue: string;
  /** Created with the first request when absent. */
  readonly client?: SQSClient;
  /** Returns the current time (epoch milliseconds). */
  readonly now: () => number;
}

const sdk = () => import('@aws-sdk/client-sqs'); // most invocations have no job to wait for
const maxEntries = 10; // of one request
const limits = { requestMs: 5000, maxAttempts: 3 };

/**
 * Opens wake-ups: a delayed message for each second in which jobs are due. A message only makes the function look for
 * jobs, so a repeated one has no effect, and a lost one delays the jobs to the next tick.
 */
export function openWakeUps({ queue, client, now }: WakeUpOptions): WakeUps {
  let opened: SQSClient | undefined;
  return async (times) => {
    const seconds = [...new Set(times.map((time) => Math.ceil(time / 1000)))];
    if (seconds.length === 0) return;
    const { SQSClient: Client, SendMessageBatchCommand } = await sdk();
    opened ??= naming(client ?? new Client(clientLimits(limits)));
    for (let at = 0; at < seconds.length; at += maxEntries) {
      const Entries = seconds.slice(at, at + maxEntries).map((second) => ({
        Id: String(second),
        MessageBody: String(second),
        DelaySeconds: Math.max(0, Math.ceil(second - now() / 1000)),
      }));
      const { Failed = [] } = await opened.send(
        new SendMessageBatchCommand({ QueueUrl: queue, Entries }),
      );
      if (Failed.length > 0) {
        const error = new Error(`the queue rejected messages: ${Failed[0]?.Code}`);
        throw withOrigin(error, { service: 'SQS', action: 'SendMessageBatch' });
      }
    }
  };
}

/** Checks whether an event has messages of the queue. */
export function isWakeUp(
  event: { readonly Records?: readonly object[] | undefined } | SQSEvent,
): event is SQSEvent {
  return event.Records?.some((record) => 'body' in record) ?? false;
}

/** Returns the latest time in the messages of wake-ups (epoch milliseconds). */
export function timeOfWakeUp({ Records }: SQSEvent): number {
  return Math.max(...Records.map(({ body }) => Number(body))) * 1000;
}
