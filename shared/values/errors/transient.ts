import { codeOf } from '../caught.ts';
import { ApiError } from './errors.ts';

/** Names of errors of AWS that say: too many requests, and nothing was done. */
export const throttles: ReadonlySet<string> = new Set([
  'EC2ThrottledException',
  'KMSThrottlingException',
  'OverLimit',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'SlowDown',
  'Throttled',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
  // reasons for a cancelled transaction
  'ProvisionedThroughputExceeded',
  'ThrottlingError',
]);

/** Names and codes of errors without a response: a request may have had an effect. */
export const lostResponses: ReadonlySet<string> = new Set([
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

/** Names and codes of further errors that pass, some of them once an operator has made space. */
const passing: ReadonlySet<string> = new Set([
  // of our own store
  'Incomplete',
  'NothingProcessed',
  'OutcomeUnknown',
  'StoreBusy',
  'StoreUnavailable',
  // of AWS
  'InternalError',
  'InternalErrorException',
  'KMSInternalException',
  'ReplicatedWriteConflictException',
  'RequestTimeout',
  'RequestTimeoutException',
  'ServiceException',
  'ServiceUnavailableException',
  'TransactionConflictException',
  // of one machine
  'EAGAIN',
  'EBUSY',
  'EDQUOT',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'ENOSPC',
]);

const busyStatuses: readonly number[] = [429, 503, 504]; // of our own error responses
const maxCauses = 5;

/**
 * Checks whether an error is known to pass by itself: a service was busy, unavailable or too slow, or a connection was
 * lost. The same request may succeed later; any other error is one of the request.
 */
export function isTransient(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < maxCauses && current instanceof Error; depth += 1) {
    if (isTransientItself(current)) return true;
    current = current.cause;
  }
  return false;
}

function isTransientItself(error: Error): boolean {
  const names = [error.name, codeOf(error) ?? ''];
  if (names.some((name) => throttles.has(name) || lostResponses.has(name) || passing.has(name))) {
    return true;
  }
  if (error instanceof AggregateError) return error.errors.some(isTransient);
  if ('reason' in error && error.reason === 'busy') return true; // a push service
  if (error instanceof ApiError) return busyStatuses.includes(error.status);
  return statusOf(error) >= 500 || statusOf(error) === 429;
}

/** Returns the HTTP status of an error response of AWS; 0 when there was none. */
export function statusOf(error: Error): number {
  const metadata = '$metadata' in error ? error.$metadata : undefined;
  if (typeof metadata !== 'object' || metadata === null) return 0;
  return 'httpStatusCode' in metadata ? Number(metadata.httpStatusCode ?? 0) : 0;
}
