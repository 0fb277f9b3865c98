import { setTimeout } from 'node:timers/promises';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { StoreBusy } from '../../../store/store.ts';
import { anyPartOf, longestDelay } from '../../../values/back-off.ts';
import { codeOf } from '../../../values/caught.ts';
import { lostResponses, statusOf, throttles } from '../../../values/errors/transient.ts';
import { currentPatience, type ThrottlePatience } from '../sdk/patience.ts';

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

/** DynamoDB did not respond within the time for retries; a write may have been applied. */
export class StoreUnavailable extends Error {
  constructor(tries: number, cause: unknown) {
    super(`no response from the table in ${tries} tries`, { cause });
    this.name = 'StoreUnavailable';
  }
}

/** DynamoDB completed a part of a request, or nothing of it; the rest is to be retried. */
export class Incomplete extends Error {
  constructor(part: 'some' | 'none') {
    super(`${part} of the keys were processed`);
    this.name = part === 'none' ? 'NothingProcessed' : 'Incomplete';
  }
}

/** How an attempt is retried. */
export interface RetryOptions {
  /** Whether an attempt that may have been applied must not be reported as one that was not. */
  readonly isWrite?: boolean;
}

/**
 * Retries an attempt while its error is temporary, after a random part of a delay that doubles.
 *
 * This module retries, and the SDK does not (`maxAttempts: 1`), because only code that sees each failure knows whether
 * an attempt may have been applied, and because all tries of a request share one {@link currentPatience | patience}.
 *
 * @param attempt receives whether an earlier try may have been applied although its response was lost
 * @throws StoreBusy when nothing was executed; StoreUnavailable without a response; any other failure at once
 */
export async function retry<Result>(
  pacing: Pacing,
  attempt: (mayBeApplied: boolean) => Promise<Result>,
  options: RetryOptions = {},
): Promise<Result> {
  const patience = currentPatience();
  if (patience.isSpent()) throw new StoreBusy(0);
  const tries = { pacing, patience, options, startMs: pacing.elapsedMs(), failed: 0 };
  let mayBeApplied = false;
  for (;;) {
    try {
      const result = await attempt(mayBeApplied);
      patience.executed();
      return result;
    } catch (error) {
      const failure = judge(error);
      if (failure === 'final' && !(error instanceof StoreBusy)) patience.executed();
      mayBeApplied ||= failure === 'unknown';
      tries.failed += 1;
      await pacing.sleep(delayAfter(tries, { error, failure, mayBeApplied }));
    }
  }
}

interface Tries {
  readonly pacing: Pacing;
  readonly patience: ThrottlePatience;
  readonly options: RetryOptions;
  readonly startMs: number;
  readonly failed: number;
}

interface FailedTry {
  readonly error: unknown;
  readonly failure: Failure;
  readonly mayBeApplied: boolean;
}

/** Returns the delay before another try; throws when there is none. */
function delayAfter(
  { pacing, patience, options, startMs, failed }: Tries,
  { error, failure, mayBeApplied }: FailedTry,
): number {
  const isUnknown = failure === 'unknown' || (options.isWrite && mayBeApplied);
  if (failure === 'final') {
    // a read inside the attempt, which asks whether an earlier try was applied
    throw isUnknown && error instanceof StoreBusy ? new StoreUnavailable(failed, error) : error;
  }
  const nowMs = pacing.elapsedMs();
  const delayMs = anyPartOf(longestDelay(failed - 1, backOff), pacing.random);
  const isPatient =
    failure !== 'throttled' || patience.throttled({ tries: failed, nowMs, delayMs });
  if (isPatient && nowMs - startMs + delayMs <= budgetMs) return delayMs;
  throw isUnknown ? new StoreUnavailable(failed, error) : new StoreBusy(failed, error);
}

/** The effect of a failed try: permanent failure; no effect, by throttling or otherwise; or unknown. */
type Failure = 'final' | 'throttled' | 'nothing done' | 'unknown';

const passing = new Set([
  'Incomplete',
  'ReplicatedWriteConflictException',
  'TransactionConflictException',
]);

/** Temporary reasons for a cancelled transaction, in addition to throttling. */
const passingReasons = new Set(['None', 'TransactionConflict']);

function judge(error: unknown): Failure {
  if (!(error instanceof Error)) return 'final';
  if (error instanceof TransactionCanceledException) return judgeReasons(error);
  if (throttles.has(error.name) || error.name === 'NothingProcessed') return 'throttled';
  if (passing.has(error.name)) return 'nothing done';
  const isLost = lostResponses.has(error.name) || lostResponses.has(codeOf(error) ?? '');
  return isLost || statusOf(error) >= 500 ? 'unknown' : 'final';
}

function judgeReasons({ CancellationReasons = [] }: TransactionCanceledException): Failure {
  const codes = CancellationReasons.map(({ Code }) => Code ?? 'None');
  if (!codes.every((code) => passingReasons.has(code) || throttles.has(code))) return 'final';
  return codes.some((code) => throttles.has(code)) ? 'throttled' : 'nothing done';
}
