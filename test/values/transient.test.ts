import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../../shared/platforms/aws/store/retry.ts';
import { OutcomeUnknown } from '../../shared/platforms/aws/store/write.ts';
import { PushFailure } from '../../shared/push/push-failure.ts';
import { ConditionFailed, ItemTooLarge, StoreBusy } from '../../shared/store/store.ts';
import { notFound, serverBusy, serverError, throttled } from '../../shared/values/errors/errors.ts';
import { isTransient } from '../../shared/values/errors/transient.ts';

function named(name: string, more: object = {}): Error {
  return Object.assign(new Error('of a service'), { name, ...more });
}

const status = (httpStatusCode: number) => ({ $metadata: { httpStatusCode } });

describe('a transient error', () => {
  it.each<readonly [string, unknown]>([
    ['a busy store', new StoreBusy(3)],
    ['a store without response', new StoreUnavailable(3, new Error('x'))],
    ['a write of unknown outcome', new OutcomeUnknown(new Error('x'))],
    ['an error response 429', throttled(1)],
    ['an error response 503', serverBusy(1)],
    ['a busy push service', new PushFailure('busy', 'Throttled')],
    ['a throttle of DynamoDB', named('ProvisionedThroughputExceededException', status(400))],
    ['a throttle of Lambda', named('TooManyRequestsException', status(429))],
    ['a throttle of SQS', named('RequestThrottled', status(403))],
    ['a throttle of S3', named('SlowDown', status(503))],
    ['a throttle of KMS', named('KMSThrottlingException', status(400))],
    ['a failure of a service', named('AnyName', status(500))],
    ['a time-out of the SDK', named('TimeoutError')],
    ['a lost connection', named('Error', { code: 'ECONNRESET' })],
    ['a name that was not resolved', named('Error', { code: 'EAI_AGAIN' })],
    ['a full disk', named('Error', { code: 'ENOSPC' })],
    ['too many open files', named('Error', { code: 'EMFILE' })],
    ['the cause of another error', new Error('outer', { cause: new StoreBusy(1) })],
    ['one of several', new AggregateError([new Error('x'), new StoreBusy(1)])],
  ])('is %s', (_, error) => {
    expect(isTransient(error)).toBe(true);
  });

  it.each<readonly [string, unknown]>([
    ['any other error', new Error('x')],
    ['a programming error', new TypeError('x')],
    ['a write conflict', new ConditionFailed(0, undefined)],
    ['an item that is too large', new ItemTooLarge({ pk: 'a', sk: 'b' }, 1)],
    ['an error response 404', notFound()],
    ['an error response 500', serverError()],
    ['a rejected push', new PushFailure('badPush', 'InvalidParameter')],
    ['a rejected request', named('ValidationException', status(400))],
    ['a missing right', named('AccessDeniedException', status(403))],
    ['a cancelled transaction', new TransactionCanceledException({ message: 'x', ...status(400) })],
    ['no error', 'text'],
    ['nothing', undefined],
  ])('is not %s', (_, error) => {
    expect(isTransient(error)).toBe(false);
  });
});
