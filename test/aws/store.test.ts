import { readdirSync, readFileSync } from 'node:fs';
import {
  ConditionalCheckFailedException,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { CounterEnded } from '../../shared/store/store.ts';
import { instanceCounter } from '../../shared/table/counters.ts';
import { change, put } from '../store/fixture.ts';
import { failure, openMockStore, tableItem } from './store-mock.ts';

const counter = { pk: 'P', sk: 'numbers' };

let { aws, store, sent, slept } = openMockStore();
beforeEach(() => {
  ({ aws, store, sent, slept } = openMockStore());
});

describe('a counter', () => {
  const response = (n: number) => ({ Attributes: { t: { S: 'counter' }, n: { N: String(n) } } });

  it('increments in the table and returns the first of its numbers', async () => {
    aws.on(UpdateItemCommand).resolves(response(57));

    expect(await store.next(counter, 50)).toBe(8);
    expect(sent()).toEqual([
      [
        'UpdateItemCommand',
        {
          TableName: 'T',
          Key: { pk: { S: 'P' }, sk: { S: 'numbers' } },
          UpdateExpression: 'SET t = :kind ADD n :count',
          ExpressionAttributeValues: { ':kind': { S: 'counter' }, ':count': { N: '50' } },
          ReturnValues: 'UPDATED_NEW',
        },
      ],
    ]);
  });

  it('takes numbers up to a limit on a condition', async () => {
    aws
      .on(UpdateItemCommand)
      .resolvesOnce(response(57))
      .rejects(new ConditionalCheckFailedException({ message: 'no', $metadata: {} }));

    expect(await store.next(counter, 50, 99)).toBe(8);
    await expect(store.next(counter, 50, 99)).rejects.toThrow(CounterEnded);
    expect(sent()[1]).toMatchObject([
      'UpdateItemCommand',
      {
        ConditionExpression: 'attribute_not_exists(n) OR n <= :room',
        ExpressionAttributeValues: { ':count': { N: '50' }, ':room': { N: '49' } },
      },
    ]);
  });

  it('of messages takes no number in advance, however many are needed', async () => {
    const messages = instanceCounter(7, 'message');
    let last = 0;
    aws.on(UpdateItemCommand).callsFake(({ ExpressionAttributeValues: values }) => {
      last += Number(values[':count'].N);
      return response(last);
    });

    const taken: number[] = [];
    for (let n = 0; n < 120; n += 1) taken.push(await store.next(messages));

    expect(taken).toEqual(Array.from({ length: 120 }, (_, n) => n + 1));
    expect(sent()).toHaveLength(120);
  });

  it('takes others when the response was lost', async () => {
    aws.on(UpdateItemCommand).rejectsOnce(failure('TimeoutError')).resolvesOnce(response(2));

    expect([await store.next(counter), slept]).toEqual([2, [10]]);
  });

  it.each([0, -1, 1.5, Number.NaN])('rejects taking %s numbers', async (count) => {
    await expect(store.next(counter, count)).rejects.toThrow();
    expect(sent()).toEqual([]);
  });
});

describe('a store that is closed', () => {
  it('has finished active requests, and rejects further ones', async () => {
    let finish: (output: object) => void = () => {};
    aws.on(PutItemCommand).callsFake(() => new Promise((resolve) => (finish = resolve)));
    const order: string[] = [];
    const writes = [put({ pk: 'P', sk: 'a' })];
    const writing = store.write({ id: 'id1', change, writes }).then(() => order.push('written'));
    await new Promise(setImmediate);

    const closing = store.close().then(() => order.push('closed'));
    await expect(store.get([counter])).rejects.toThrow('closed');
    finish({});

    await Promise.all([writing, closing]);
    expect(order).toEqual(['written', 'closed']);
  });
});

describe('the adapter', () => {
  it('never scans', () => {
    const folder = new URL('../../shared/platforms/aws/store/', import.meta.url);
    const sources = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));

    expect(sources.filter((source) => /ScanCommand|\bscan\(/.test(source))).toEqual([]);
  });

  it('reads items with unknown attributes', async () => {
    aws.on(GetItemCommand).resolves({ Item: tableItem('a', { later: { BOOL: true } }) });

    expect(await store.get([{ pk: 'P', sk: 'a' }])).toMatchObject([{ data: { n: 1 } }]);
  });
});
