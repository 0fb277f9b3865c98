import { setTimeout } from 'node:timers/promises';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { anyPartOf, longestDelay } from '../../../values/back-off.ts';
import { codeOf } from '../../../values/caught.ts';

/** Time and chance, for waiting between tries. Tests fix them. */
export interface Pacing {
  /** Milliseconds since any moment, never going back. */
  readonly elapsedMs: () => number;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly sleep: (durationMs: number) => Promise<void>;
}

/** The time and the chance of this process. */
export const realPacing: Pacing = {
  elapsedMs: () => performance.now(),
  random: Math.random,
  sleep: async (durationMs) => {
    await setTimeout(durationMs);
  },
};

/** A call that starts this long after the first try is not made any more. */
const budgetMs = 5000;

const backOff = { firstMs: 20, maxMs: 1000 };

/** DynamoDB did not do what was asked within the time that there is for retries. */
export class StoreUnavailable extends Error {
  constructor(tries: number, cause: unknown) {
    super(`no answer from the table in ${tries} tries`, { cause });
    this.name = 'StoreUnavailable';
  }
}

/** DynamoDB did only a part of what was asked, which is to be asked again. */
export class Incomplete extends Error {
  constructor() {
    super('some of the keys were not processed');
    this.name = 'Incomplete';
  }
}

/**
 * Makes an attempt again while it fails in a way that passes, after a random part of a delay that doubles.
 *
 * We repeat, and the SDK does not (`maxAttempts: 1`), because only who sees each failure knows whether an attempt
 * may have been applied, and because all tries of a call share one budget.
 *
 * @param attempt is told whether an earlier try may have been applied although its answer was lost
 * @throws StoreUnavailable when the budget is spent; any other failure at once
 */
export async function retry<Result>(
  pacing: Pacing,
  attempt: (mayBeApplied: boolean) => Promise<Result>,
): Promise<Result> {
  const start = pacing.elapsedMs();
  let mayBeApplied = false;
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt(mayBeApplied);
    } catch (error) {
      const failure = judge(error);
      if (failure === 'final') throw error;
      mayBeApplied ||= failure === 'unknown';
      const delayMs = anyPartOf(longestDelay(tries - 1, backOff), pacing.random);
      if (pacing.elapsedMs() - start + delayMs > budgetMs) throw new StoreUnavailable(tries, error);
      await pacing.sleep(delayMs);
    }
  }
}

/** What a failure says of the try: it will stay so, it did nothing and may go through later, or nobody knows. */
type Failure = 'final' | 'nothing done' | 'unknown';

const passing = new Set([
  'Incomplete',
  'ProvisionedThroughputExceededException',
  'ReplicatedWriteConflictException',
  'RequestLimitExceeded',
  'Throttling',
  'ThrottlingException',
  'TransactionConflictException',
]);

const unknown = new Set([
  'InternalServerError',
  'ServiceUnavailable',
  'TimeoutError',
  'TransactionInProgressException',
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ETIMEDOUT',
]);

/** Reasons for which a transaction is cancelled and may go through later. */
const passingReasons = new Set([
  'None',
  'TransactionConflict',
  'ProvisionedThroughputExceeded',
  'ThrottlingError',
]);

function judge(error: unknown): Failure {
  if (!(error instanceof Error)) return 'final';
  if (error instanceof TransactionCanceledException) {
    const codes = (error.CancellationReasons ?? []).map(({ Code }) => Code ?? 'None');
    return codes.every((code) => passingReasons.has(code)) ? 'nothing done' : 'final';
  }
  if (passing.has(error.name)) return 'nothing done';
  return unknown.has(error.name) || unknown.has(codeOf(error) ?? '') || statusOf(error) >= 500
    ? 'unknown'
    : 'final';
}

/** HTTP status of an answer that was a failure; 0 when there was no answer. */
function statusOf(error: Error): number {
  const metadata = '$metadata' in error ? error.$metadata : undefined;
  if (typeof metadata !== 'object' || metadata === null) return 0;
  return 'httpStatusCode' in metadata ? Number(metadata.httpStatusCode ?? 0) : 0;
}
