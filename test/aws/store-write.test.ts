import {
  BatchGetItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Write, WriteCondition } from '../../shared/store/store.ts';
import { change, check, del, put } from '../store/fixture.ts';
import {
  cancelled,
  failedCondition,
  failure,
  nowSeconds,
  openMockStore,
  storedItem,
  tableItem,
} from './store-mock.ts';

const key = (sk: string) => ({ pk: 'P', sk });
const keyItem = (sk: string) => ({ pk: { S: 'P' }, sk: { S: sk } });
const now = { ':now': { N: String(nowSeconds) } };
const alive = '(attribute_not_exists(x) OR x >= :now)';
const told = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' };
const absent: WriteCondition = { kind: 'absent' };
const present: WriteCondition = { kind: 'present' };
const version: WriteCondition = { kind: 'version', version: 'w1' };

/** The item that a put by the write `id` stores. */
const written = (sk: string, id = 'id1') => ({
  ...keyItem(sk),
  t: { S: 'thing' },
  w: { S: id },
  c: { S: 'client 0 {"admin":7}' },
  d: { S: '{}' },
});
const absentPart = {
  ConditionExpression: 'attribute_not_exists(pk) OR x < :now',
  ExpressionAttributeValues: now,
  ...told,
};
const presentPart = {
  ConditionExpression: `attribute_exists(pk) AND ${alive}`,
  ExpressionAttributeValues: now,
  ...told,
};
const versionPart = {
  ConditionExpression: `w = :version AND ${alive}`,
  ExpressionAttributeValues: { ...now, ':version': { S: 'w1' } },
  ...told,
};

let { aws, store, sent, slept, pass } = openMockStore();
beforeEach(() => {
  ({ aws, store, sent, slept, pass } = openMockStore());
});

function write(...writes: readonly Write[]): Promise<void> {
  return store.write({ id: 'id1', change, writes });
}

describe('one write', () => {
  it.each([
    ['none', { kind: 'none' }, {}],
    ['absent', absent, absentPart],
    ['present', present, presentPart],
    ['a version', version, versionPart],
  ] as const)('is one request, on the condition %s', async (_, condition, part) => {
    aws.on(PutItemCommand).resolves({});
    aws.on(DeleteItemCommand).resolves({});

    await write(put(key('a'), { condition }));
    await write(del(key('a'), condition));

    expect(sent()).toEqual([
      ['PutItemCommand', { TableName: 'T', Item: written('a'), ...part }],
      ['DeleteItemCommand', { TableName: 'T', Key: keyItem('a'), ...part }],
    ]);
  });

  it('puts index keys, expiry and data next to the key', async () => {
    aws.on(PutItemCommand).resolves({});
    const indexes = { slot0: 'a', slot15: 'b', updated: 'c', owned: 'd', shared: 'e' };
    const data = { big: 1e300, small: 5e-324, zero: -0, text: '', list: [[null]] };

    await write(put(key('a'), { indexes, data, expiresAt: 100.5 }));

    expect(aws.commandCalls(PutItemCommand)[0]?.args[0].input.Item).toEqual({
      ...written('a'),
      d: { S: '{"big":1e+300,"small":5e-324,"zero":-0,"text":"","list":[[null]]}' },
      x: { N: '101' },
      s0: { S: 'a' },
      s15: { S: 'b' },
      su: { S: 'c' },
      so: { S: 'd' },
      sh: { S: 'e' },
    });
  });

  it('returns the current item when its condition fails', async () => {
    aws.on(PutItemCommand).rejects(failedCondition(tableItem('a')));

    await expect(write(put(key('a'), { condition: absent }))).rejects.toMatchObject({
      name: 'ConditionFailed',
      index: 0,
      existing: storedItem('a'),
    });
  });

  it('returns no expired item', async () => {
    aws.on(PutItemCommand).rejects(failedCondition(tableItem('a', { x: { N: '1' } })));

    await expect(write(put(key('a'), { condition: version }))).rejects.toMatchObject({
      name: 'ConditionFailed',
      existing: undefined,
    });
  });

  it('that only checks is a read', async () => {
    aws.on(GetItemCommand).resolves({ Item: tableItem('a') });

    await write(check(key('a'), version));
    await expect(write(check(key('a'), absent))).rejects.toMatchObject({
      name: 'ConditionFailed',
      index: 0,
      existing: storedItem('a'),
    });

    expect(sent().map(([name]) => name)).toEqual(['GetItemCommand', 'GetItemCommand']);
  });

  it('with checks that require nothing stays one request, and keeps its position', async () => {
    aws.on(PutItemCommand).rejects(failedCondition(tableItem('b')));

    const writes = [check(key('a'), { kind: 'none' }), put(key('b'), { condition: absent })];

    await expect(write(...writes)).rejects.toMatchObject({ name: 'ConditionFailed', index: 1 });
    expect(sent().map(([name]) => name)).toEqual(['PutItemCommand']);
  });

  it('that is empty sends no request', async () => {
    await write();
    await write(check(key('a'), { kind: 'none' }));

    expect(sent()).toEqual([]);
  });
});

describe('several writes', () => {
  const writes = [
    put(key('a'), { condition: absent }),
    put(key('b')),
    del(key('c'), version),
    check(key('d'), present),
  ];

  it('are one transaction under a token of its own', async () => {
    aws.on(TransactWriteItemsCommand).resolves({});

    await write(...writes);

    expect(sent()).toEqual([
      [
        'TransactWriteItemsCommand',
        {
          ClientRequestToken: expect.stringMatching(/^id1-[0-9a-z]{1,3}$/),
          TransactItems: [
            { Put: { TableName: 'T', Item: written('a'), ...absentPart } },
            { Put: { TableName: 'T', Item: written('b') } },
            { Delete: { TableName: 'T', Key: keyItem('c'), ...versionPart } },
            { ConditionCheck: { TableName: 'T', Key: keyItem('d'), ...presentPart } },
          ],
        },
      ],
    ]);
  });

  it('have a token of at most 36 characters', async () => {
    aws.on(TransactWriteItemsCommand).resolves({});

    await store.write({ id: 'f'.repeat(32), change, writes });

    const [call] = aws.commandCalls(TransactWriteItemsCommand);
    expect(call?.args[0].input.ClientRequestToken?.length).toBeLessThanOrEqual(36);
  });

  it('fail by the first whose condition fails', async () => {
    const there = tableItem('c', { w: { S: 'w2' } });
    aws
      .on(TransactWriteItemsCommand)
      .rejects(cancelled('None', 'None', { Code: 'ConditionalCheckFailed', Item: there }, 'None'));
    aws.on(BatchGetItemCommand).resolves({});

    await expect(write(...writes)).rejects.toMatchObject({
      name: 'ConditionFailed',
      index: 2,
      existing: storedItem('c', 'w2'),
    });
  });

  it('do not fail by a conflict when another condition fails', async () => {
    const there = { Code: 'ConditionalCheckFailed', Item: tableItem('a') };
    aws
      .on(TransactWriteItemsCommand)
      .rejects(cancelled(there, 'TransactionConflict', 'None', 'None'));

    await expect(write(...writes)).rejects.toMatchObject({ name: 'ConditionFailed', index: 0 });
    expect(slept).toEqual([]);
  });

  it.each([
    ['conflicts', cancelled('None', 'TransactionConflict', 'None', 'None')],
    ['throttles', cancelled('ThrottlingError', 'None', 'ProvisionedThroughputExceeded', 'None')],
    ['one that is under way', failure('TransactionInProgressException')],
  ])('are repeated with the same token after %s', async (_, error) => {
    aws.on(TransactWriteItemsCommand).rejectsOnce(error).resolvesOnce({});

    await write(...writes);

    const [first, second] = sent();
    expect(second).toEqual(first);
    expect(slept).toEqual([10]);
  });

  it('are not repeated when DynamoDB rejects them', async () => {
    aws.on(TransactWriteItemsCommand).rejects(cancelled('ValidationError', 'None', 'None', 'None'));

    await expect(write(...writes)).rejects.toMatchObject({ name: 'TransactionCanceledException' });
    expect(sent().length).toBe(1);
  });
});

describe('a write that fails temporarily', () => {
  it.each([
    'ProvisionedThroughputExceededException',
    'RequestLimitExceeded',
    'ThrottlingException',
    'TransactionConflictException',
    'ReplicatedWriteConflictException',
    'InternalServerError',
    'ServiceUnavailable',
    'TimeoutError',
  ])('with %s is retried', async (name) => {
    aws.on(PutItemCommand).rejectsOnce(failure(name)).resolvesOnce({});

    await write(put(key('a'), { condition: absent }));

    const [first, second] = sent();
    expect(second).toEqual(first);
  });

  it.each([
    ['a connection that breaks', failure('Error', { code: 'ECONNRESET' })],
    ['a gateway that fails', failure('UnknownError', { $metadata: { httpStatusCode: 502 } })],
  ])('by %s is retried', async (_, error) => {
    aws.on(DeleteItemCommand).rejectsOnce(error).resolvesOnce({});

    await write(del(key('a')));

    expect(sent().length).toBe(2);
  });

  it('waits half of a delay that doubles up to a second, at random', async () => {
    aws.on(PutItemCommand).rejects(failure('ThrottlingException'));

    await write(put(key('a'))).catch(() => undefined);

    expect(slept.slice(0, 9)).toEqual([10, 20, 40, 80, 160, 320, 500, 500, 500]);
  });

  it('reports after five seconds that the table is too busy, and why', async () => {
    const cause = failure('ThrottlingException');
    aws.on(PutItemCommand).rejects(cause);

    const error = await write(put(key('a'))).catch((e) => e);

    expect(error).toMatchObject({ name: 'StoreBusy', cause });
    expect(slept.reduce((a, b) => a + b)).toBeLessThanOrEqual(5000);
  });

  it('is not retried when the tries themselves use up the time', async () => {
    aws.on(PutItemCommand).callsFake(() => {
      pass(3000);
      throw failure('TimeoutError');
    });

    await expect(write(put(key('a')))).rejects.toMatchObject({ name: 'StoreUnavailable' });

    expect(sent().length).toBe(2);
  });

  it.each(['ValidationException', 'AccessDeniedException', 'ResourceNotFoundException'])(
    'but %s is thrown at once',
    async (name) => {
      const error = failure(name, { $metadata: { httpStatusCode: 400 } });
      aws.on(PutItemCommand).rejects(error);

      await expect(write(put(key('a')))).rejects.toBe(error);

      expect(sent().length).toBe(1);
    },
  );
});

describe('a write that was applied but whose response was lost', () => {
  const lost = failure('TimeoutError');
  const ours = tableItem('a', { w: { S: 'id1' } });
  const theirs = tableItem('a', { w: { S: 'w2' } });
  const putting = (condition: WriteCondition) => put(key('a'), { condition });

  it.each([
    ['a creation', absent],
    ['an update', version],
  ])('%s is found by its id', async (_, condition) => {
    aws.on(PutItemCommand).rejectsOnce(lost).rejectsOnce(failedCondition(ours));

    await expect(write(putting(condition))).resolves.toBeUndefined();
  });

  it('a repetition by the caller is found by its id', async () => {
    aws.on(PutItemCommand).rejects(failedCondition(ours));

    await expect(write(putting(absent))).resolves.toBeUndefined();
  });

  it('a delete has left no item', async () => {
    aws.on(DeleteItemCommand).rejectsOnce(lost).rejectsOnce(failedCondition());

    await expect(write(del(key('a'), version))).resolves.toBeUndefined();
  });

  it('but a delete that was throttled before it found no item has failed', async () => {
    aws
      .on(DeleteItemCommand)
      .rejectsOnce(failure('ThrottlingException'))
      .rejectsOnce(failedCondition());

    await expect(write(del(key('a'), version))).rejects.toMatchObject({ name: 'ConditionFailed' });
  });

  it.each([
    ['an update', () => write(putting(version))],
    ['a delete', () => write(del(key('a'), version))],
  ])('%s whose item others changed since is not reported as failed', async (_, act) => {
    aws.on(PutItemCommand).rejectsOnce(lost).rejectsOnce(failedCondition(theirs));
    aws.on(DeleteItemCommand).rejectsOnce(lost).rejectsOnce(failedCondition(theirs));

    await expect(act()).rejects.toMatchObject({ name: 'OutcomeUnknown' });
  });

  it('a transaction is detected by its token', async () => {
    aws.on(TransactWriteItemsCommand).rejectsOnce(lost).resolvesOnce({});

    await write(putting(absent), del(key('b')));

    const [first, second] = sent();
    expect(second).toEqual(first);
  });

  describe('and whose token has expired', () => {
    const failed = (item?: object) => ({ Code: 'ConditionalCheckFailed', ...item });
    const gone = 'ConditionalCheckFailed';
    const bothPuts = [putting(absent), put(key('b')), del(key('c'), present)];

    it('is found by the ids of all its puts', async () => {
      aws.on(TransactWriteItemsCommand).rejects(cancelled(failed({ Item: ours }) as never, gone));

      await expect(write(putting(absent), del(key('c'), present))).resolves.toBeUndefined();
      expect(sent().length).toBe(1);
    });

    it('reads items that are not in the failure', async () => {
      aws
        .on(TransactWriteItemsCommand)
        .rejects(cancelled(failed({ Item: ours }) as never, 'None', gone));
      aws.on(GetItemCommand).resolves({ Item: tableItem('b', { w: { S: 'id1' } }) });

      await expect(write(...bothPuts)).resolves.toBeUndefined();
      expect(sent()[1]).toMatchObject(['GetItemCommand', { Key: keyItem('b') }]);
    });

    it('is not confused with another of which a part has its id', async () => {
      aws
        .on(TransactWriteItemsCommand)
        .rejects(cancelled(failed({ Item: ours }) as never, 'None', gone));
      aws.on(GetItemCommand).resolves({});

      await expect(write(...bothPuts)).rejects.toMatchObject({ name: 'ConditionFailed', index: 0 });
    });

    it('is not confused with one whose item has another id, without a read', async () => {
      aws
        .on(TransactWriteItemsCommand)
        .rejects(cancelled(failed({ Item: theirs }) as never, 'None', 'None'));

      await expect(write(...bothPuts)).rejects.toMatchObject({ name: 'ConditionFailed', index: 0 });
      expect(sent().length).toBe(1);
    });

    it('has failed when it has no puts to detect it by', async () => {
      aws.on(TransactWriteItemsCommand).rejects(cancelled(gone, 'None'));

      const writes = [del(key('a'), present), del(key('b'))];

      await expect(write(...writes)).rejects.toMatchObject({ name: 'ConditionFailed', index: 0 });
    });
  });
});
