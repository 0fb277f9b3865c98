import { setTimeout } from 'node:timers/promises';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { anyPartOf, longestDelay } from '../../../values/back-off.ts';
import { codeOf } from '../../../values/caught.ts';

/** Time and randomness, for waiting between tries. Tests fix them. */
export interface Pacing {
  /** Milliseconds since an arbitrary moment, never decreasing. */
  readonly elapsedMs: () => number;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly sleep: (durationMs: number) => Promise<void>;
}

/** Time and randomness of this process. */
export const realPacing: Pacing = {
  elapsedMs: () => performance.now(),
  random: Math.random,
  sleep: async (durationMs) => {
    await setTimeout(durationMs);
  },
};

/** No retry starts this long after the first try. */
const budgetMs = 5000;

const backOff = { firstMs: 20, maxMs: 1000 };

/** DynamoDB did not complete a request within the time for retries. */
export class StoreUnavailable extends Error {
  constructor(tries: number, cause: unknown) {
    super(`no response from the table in ${tries} tries`, { cause });
    this.name = 'StoreUnavailable';
  }
}

/** DynamoDB completed only a part of a request; the rest is to be retried. */
export class Incomplete extends Error {
  constructor() {
    super('some of the keys were not processed');
    this.name = 'Incomplete';
  }
}

/**
 * Retries an attempt while its error is temporary, after a random part of a delay that doubles.
 *
 * This module retries, and the SDK does not (`maxAttempts: 1`), because only code that sees each failure knows whether
 * an attempt may have been applied, and because all tries of a call share one budget.
 *
 * @param attempt receives whether an earlier try may have been applied although its response was lost
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

/** The effect of a failed try: permanent failure, no effect and worth a retry, or unknown. */
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

/** Temporary reasons for a cancelled transaction, which may succeed later. */
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

/** HTTP status of an error response; 0 when there was none. */
function statusOf(error: Error): number {
  const metadata = '$metadata' in error ? error.$metadata : undefined;
  if (typeof metadata !== 'object' || metadata === null) return 0;
  return 'httpStatusCode' in metadata ? Number(metadata.httpStatusCode ?? 0) : 0;
}
