import type { Message } from '@aws-sdk/client-sqs';
import * as v from 'valibot';
import type { DeadLetter } from '../../../jobs/dead-letters.ts';
import { parsedJson } from '../../../values/json/parsed-json.ts';

/*
 * Records of what a function failed to process. Lambda writes those of streams and of asynchronous invocations, in
 * forms of its own; the queue for wake-ups moves its messages as they are.
 */

/** A record, with the event for the function. */
export interface FailureRecord {
  readonly letter: DeadLetter;
  /** Absent where it was not kept. */
  readonly event: object | undefined;
  /** The background function when absent. */
  readonly functionName?: string;
}

const context = v.object({
  functionArn: v.optional(v.string(), ''),
  condition: v.optional(v.string(), ''),
});
const responseContext = v.optional(v.object({ functionError: v.optional(v.string()) }));

const batch = v.object({
  timestamp: v.string(),
  requestContext: context,
  responseContext,
  DDBStreamBatchInfo: v.object({
    shardId: v.optional(v.string(), ''),
    batchSize: v.optional(v.number(), 0),
    startSequenceNumber: v.optional(v.string(), ''),
  }),
  payload: v.optional(v.union([v.string(), v.object({})])),
});

const invocation = v.object({
  timestamp: v.string(),
  requestContext: context,
  responseContext,
  requestPayload: v.object({}),
  responsePayload: v.optional(v.nullable(v.object({ errorMessage: v.optional(v.string()) }))),
});

/** Reads an object of the bucket. One that has another form is shown, and cannot be replayed. */
export function readFailure(key: string, text: string): FailureRecord {
  const id = /[0-9a-f-]{36}$/.exec(key)?.[0] ?? key;
  return readRecord(id, text) ?? unknownFailure(id, { item: key, at: timeIn(key) });
}

/** Reads a message of the queue of dead letters. */
export function readMessage(id: string, { Body = '', Attributes }: Message): FailureRecord {
  const at = new Date(Number(Attributes?.SentTimestamp ?? 0)).toISOString();
  if (/^\d+$/.test(Body)) {
    return {
      letter: {
        id,
        kind: 'wake-up',
        consumer: 'background',
        at,
        error: 'the function failed three times',
        item: `jobs of ${new Date(Number(Body) * 1000).toISOString()}`,
      },
      event: { Records: [{ messageId: id, body: Body, eventSource: 'aws:sqs' }] },
    };
  }
  return readRecord(id, Body) ?? unknownFailure(id, { item: 'message of an unknown form', at });
}

function readRecord(id: string, text: string): FailureRecord | undefined {
  const json = parsedJson(text);
  const ofStream = v.safeParse(batch, json);
  if (ofStream.success) return streamRecord(id, ofStream.output);
  const ofInvocation = v.safeParse(invocation, json);
  return ofInvocation.success ? invocationRecord(id, ofInvocation.output, json) : undefined;
}

function streamRecord(
  id: string,
  { timestamp, requestContext, DDBStreamBatchInfo: info, payload }: v.InferOutput<typeof batch>,
): FailureRecord {
  const event = typeof payload === 'string' ? parsedJson(payload) : undefined;
  return {
    letter: {
      id,
      kind: 'batch',
      consumer: nameIn(requestContext.functionArn),
      at: timestamp,
      error: requestContext.condition,
      item: `${info.batchSize} changes of ${info.shardId} from ${info.startSequenceNumber}`,
    },
    event: typeof event === 'object' && event !== null ? event : undefined,
  };
}

function invocationRecord(
  id: string,
  { timestamp, requestContext, responsePayload }: v.InferOutput<typeof invocation>,
  json: unknown,
): FailureRecord {
  const { functionArn, condition } = requestContext;
  const functionName = nameIn(functionArn);
  return {
    letter: {
      id,
      kind: 'invocation',
      consumer: functionName,
      at: timestamp,
      error: responsePayload?.errorMessage ?? condition,
      item: 'asynchronous invocation',
    },
    event: (json as { readonly requestPayload: object }).requestPayload, // checked by the schema, which drops members
    functionName,
  };
}

function unknownFailure(id: string, { item, at }: Pick<DeadLetter, 'item' | 'at'>): FailureRecord {
  return {
    letter: { id, kind: 'invocation', consumer: '', at, error: 'its form is unknown', item },
    event: undefined,
  };
}

/** Returns the name in the ARN of a function, without a version. */
function nameIn(arn: string): string {
  return arn.split(':')[6] ?? '';
}

/** Returns the timestamp in the key of an object, in ISO 8601. */
function timeIn(key: string): string {
  const [, day, hour, minute, second] =
    /(\d{4}-\d\d-\d\d)T(\d\d)\.(\d\d)\.(\d\d)-[^/]*$/.exec(key) ?? [];
  return day === undefined ? '' : `${day}T${hour}:${minute}:${second}.000Z`;
}
