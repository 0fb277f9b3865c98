import { BatchGetItemCommand, GetItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Bound, Query } from '../../shared/store/store.ts';
import { plain } from '../support/stored-records.ts';
import { failure, nowSeconds, openMockStore, storedItem, tableItem } from './store-mock.ts';

const attributes = 'pk, sk, x, t, w, d';
const key = (sk: string) => ({ pk: 'P', sk });
const keyItem = (sk: string) => ({ pk: { S: 'P' }, sk: { S: sk } });

let { aws, store, sent, slept } = openMockStore();
beforeEach(() => {
  ({ aws, store, sent, slept } = openMockStore());
});

describe('get', () => {
  it('requests one item by itself, strongly consistent', async () => {
    aws.on(GetItemCommand).resolves({ Item: tableItem('a') });

    const found = await store.get([key('a'), key('a')]);

    expect(found.map(plain)).toEqual([storedItem('a'), storedItem('a')]);
    expect(sent()).toEqual([
      [
        'GetItemCommand',
        {
          TableName: 'T',
          Key: keyItem('a'),
          ConsistentRead: true,
          ProjectionExpression: attributes,
        },
      ],
    ]);
  });

  it('requests several at once, each once, and finds them in any order', async () => {
    aws.on(BatchGetItemCommand).resolves({ Responses: { T: [tableItem('b'), tableItem('a')] } });

    const found = await store.get(['a', 'none', 'b', 'a'].map(key));

    expect(found.map(plain)).toEqual([
      storedItem('a'),
      undefined,
      storedItem('b'),
      storedItem('a'),
    ]);
    expect(sent()).toEqual([
      [
        'BatchGetItemCommand',
        {
          RequestItems: {
            T: {
              Keys: [keyItem('a'), keyItem('none'), keyItem('b')],
              ConsistentRead: true,
              ProjectionExpression: attributes,
            },
          },
        },
      ],
    ]);
  });

  it('requests no more than a hundred at once', async () => {
    aws.on(BatchGetItemCommand).resolves({});

    await store.get(Array.from({ length: 201 }, (_, n) => key(String(n))));

    const sizes = aws
      .commandCalls(BatchGetItemCommand)
      .map(({ args: [command] }) => command.input.RequestItems?.T?.Keys?.length);
    expect(sizes).toEqual([100, 100, 1]);
  });

  it('sends no request for no keys', async () => {
    expect(await store.get([])).toEqual([]);
    expect(sent()).toEqual([]);
  });

  it('requests unprocessed keys again, and only those', async () => {
    aws
      .on(BatchGetItemCommand)
      .resolvesOnce({
        Responses: { T: [tableItem('b')] },
        UnprocessedKeys: { T: { Keys: [keyItem('a'), keyItem('c')] } },
      })
      .resolvesOnce({ UnprocessedKeys: { T: { Keys: [keyItem('a'), keyItem('c')] } } })
      .resolvesOnce({ Responses: { T: [tableItem('c'), tableItem('a')] } });

    const found = await store.get(['a', 'b', 'c'].map(key));

    const asked = aws
      .commandCalls(BatchGetItemCommand)
      .map(({ args: [command] }) => command.input.RequestItems?.T?.Keys);
    expect(found.map(plain)).toEqual(['a', 'b', 'c'].map((sk) => storedItem(sk)));
    expect(asked).toEqual([
      [keyItem('a'), keyItem('b'), keyItem('c')],
      [keyItem('a'), keyItem('c')],
      [keyItem('a'), keyItem('c')],
    ]);
    expect(slept).toEqual([10, 20]);
  });

  it('keeps the items of a part when the next try fails', async () => {
    aws
      .on(BatchGetItemCommand)
      .resolvesOnce({
        Responses: { T: [tableItem('a')] },
        UnprocessedKeys: { T: { Keys: [keyItem('b')] } },
      })
      .rejectsOnce(failure('ThrottlingException'))
      .resolvesOnce({ Responses: { T: [tableItem('b')] } });

    const found = await store.get(['a', 'b'].map(key));

    expect(found.map(plain)).toEqual([storedItem('a'), storedItem('b')]);
  });

  it('fails when keys are never processed', async () => {
    aws.on(BatchGetItemCommand).resolves({ UnprocessedKeys: { T: { Keys: [keyItem('a')] } } });

    await expect(store.get(['a', 'b'].map(key))).rejects.toMatchObject({
      name: 'StoreBusy',
    });
  });

  const hidden = [
    ['an expired item', tableItem('a', { x: { N: String(nowSeconds - 1) } })],
    ['a counter', { pk: { S: 'P' }, sk: { S: 'a' }, t: { S: 'counter' }, n: { N: '7' } }],
  ] as const;
  it.each(hidden)('does not see %s', async (_, item) => {
    aws.on(GetItemCommand).resolves({ Item: item });

    expect(await store.get([key('a')])).toEqual([undefined]);
  });

  it('returns an item in the second in which it expires', async () => {
    aws.on(GetItemCommand).resolves({ Item: tableItem('a', { x: { N: String(nowSeconds) } }) });

    const [found] = await store.get([key('a')]);

    expect(plain(found)).toEqual(storedItem('a'));
  });
});

describe('a query', () => {
  it('of the table is strongly consistent', async () => {
    aws.on(QueryCommand).resolves({ Items: [tableItem('a'), tableItem('b')] });

    const page = await store.query({ pk: 'P', limit: 7 });

    expect({ ...page, items: page.items.map(plain) }).toEqual({
      items: [storedItem('a'), storedItem('b')],
      positions: ['a', 'b'],
      more: false,
    });
    expect(sent()).toEqual([
      [
        'QueryCommand',
        {
          TableName: 'T',
          ConsistentRead: true,
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': { S: 'P' } },
          ProjectionExpression: attributes,
          ScanIndexForward: true,
          Limit: 7,
        },
      ],
    ]);
  });

  it('of a slot returns the content of the index', async () => {
    aws.on(QueryCommand).resolves({ Items: [tableItem('a', { s3: { S: 'v\u0000a' } })] });

    const page = await store.query({ pk: 'P', index: 'slot3', descending: true, limit: 7 });

    expect({ ...page, items: page.items.map(plain) }).toEqual({
      items: [storedItem('a')],
      positions: ['v\u0000a'],
      more: false,
    });
    expect(sent()).toEqual([
      [
        'QueryCommand',
        {
          TableName: 'T',
          IndexName: 'slot3',
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': { S: 'P' } },
          ProjectionExpression: `${attributes}, s3`,
          ScanIndexForward: false,
          Limit: 7,
        },
      ],
    ]);
  });

  it.each([
    ['updated', 'su'],
    ['owned', 'so'],
    ['shared', 'sh'],
  ] as const)('of "%s" fetches the items of its keys', async (index, attribute) => {
    const entry = (sk: string) => ({ ...keyItem(sk), [attribute]: { S: `v${sk}` } });
    aws.on(QueryCommand).resolves({ Items: [entry('b'), entry('a')] });
    aws.on(BatchGetItemCommand).resolves({ Responses: { T: [tableItem('a'), tableItem('b')] } });

    const page = await store.query({ pk: 'P', index, limit: 7 });

    expect({ ...page, items: page.items.map(plain) }).toEqual({
      items: [storedItem('b'), storedItem('a')],
      positions: ['vb', 'va'],
      more: false,
    });
    expect(sent()).toMatchObject([
      ['QueryCommand', { IndexName: index, ProjectionExpression: `pk, sk, ${attribute}` }],
      ['BatchGetItemCommand', { RequestItems: { T: { Keys: [keyItem('b'), keyItem('a')] } } }],
    ]);
  });

  it('continues at the end of a part until it has enough', async () => {
    const last = keyItem('b');
    aws
      .on(QueryCommand)
      .resolvesOnce({ Items: [tableItem('a'), tableItem('b')], LastEvaluatedKey: last })
      .resolvesOnce({ Items: [tableItem('c')], LastEvaluatedKey: keyItem('c') });

    const page = await store.query({ pk: 'P', limit: 3 });

    expect([page.positions, page.more]).toEqual([['a', 'b', 'c'], true]);
    expect(sent()).toMatchObject([
      ['QueryCommand', { Limit: 3 }],
      ['QueryCommand', { Limit: 1, ExclusiveStartKey: last }],
    ]);
  });

  it('does not count expired items, nor those deleted since the index was written', async () => {
    const entry = (sk: string) => ({ ...keyItem(sk), so: { S: sk } });
    aws
      .on(QueryCommand)
      .resolvesOnce({ Items: ['a', 'b', 'c'].map(entry), LastEvaluatedKey: entry('c') })
      .resolvesOnce({ Items: [entry('d')] });
    const expired = tableItem('a', { x: { N: '1' } });
    aws.on(BatchGetItemCommand).resolves({ Responses: { T: [expired, tableItem('b')] } });
    aws.on(GetItemCommand).resolves({ Item: tableItem('d') });

    const page = await store.query({ pk: 'P', index: 'owned', limit: 3 });

    expect([page.positions, page.more]).toEqual([['b', 'd'], false]);
    expect(sent().map(([name]) => name)).toEqual([
      'QueryCommand',
      'BatchGetItemCommand',
      'QueryCommand',
      'GetItemCommand',
    ]);
    expect(sent()[2]).toMatchObject(['QueryCommand', { Limit: 2 }]);
  });

  it('is retried after a temporary failure', async () => {
    aws
      .on(QueryCommand)
      .rejectsOnce(failure('ProvisionedThroughputExceededException'))
      .resolvesOnce({ Items: [tableItem('a')] });

    expect((await store.query({ pk: 'P', limit: 3 })).positions).toEqual(['a']);
  });

  const end = (text: string, inclusive: boolean): Bound => ({ key: text, inclusive });
  const ranges: readonly {
    name: string;
    bounds: Pick<Query, 'lower' | 'upper'>;
    condition: string;
    low?: string;
    high?: string;
    limit?: number;
  }[] = [
    { name: 'from', bounds: { lower: end('b', true) }, condition: 'sk >= :low', low: 'b' },
    { name: 'after', bounds: { lower: end('b', false) }, condition: 'sk >= :low', low: 'b\u0000' },
    { name: 'up to', bounds: { upper: end('d', true) }, condition: 'sk <= :high', high: 'd' },
    { name: 'before', bounds: { upper: end('d', false) }, condition: 'sk < :high', high: 'd' },
    {
      name: 'from, up to',
      bounds: { lower: end('b', true), upper: end('d', true) },
      condition: 'sk BETWEEN :low AND :high',
      low: 'b',
      high: 'd',
    },
    {
      name: 'after, up to',
      bounds: { lower: end('b', false), upper: end('d', true) },
      condition: 'sk BETWEEN :low AND :high',
      low: 'b\u0000',
      high: 'd',
    },
    {
      name: 'after, before: one more, because the end is skipped',
      bounds: { lower: end('b', false), upper: end('d', false) },
      condition: 'sk BETWEEN :low AND :high',
      low: 'b\u0000',
      high: 'd',
      limit: 8,
    },
    {
      name: 'after nothing: without condition',
      bounds: { lower: end('', false), upper: end('d', true) },
      condition: 'sk <= :high',
      high: 'd',
    },
    {
      name: 'one key',
      bounds: { lower: end('b', true), upper: end('b', true) },
      condition: 'sk BETWEEN :low AND :high',
      low: 'b',
      high: 'b',
    },
  ];
  it.each(ranges)('reports $name', async ({ bounds, condition, low, high, limit = 7 }) => {
    aws.on(QueryCommand).resolves({});

    await store.query({ pk: 'P', ...bounds, limit: 7 });

    const values = {
      ':pk': { S: 'P' },
      ...(low !== undefined && { ':low': { S: low } }),
      ...(high !== undefined && { ':high': { S: high } }),
    };
    const [[, input] = []] = sent();
    expect(input).toMatchObject({
      KeyConditionExpression: `pk = :pk AND ${condition}`,
      Limit: limit,
    });
    expect(input).toHaveProperty('ExpressionAttributeValues', values);
  });

  it('omits the bound that it had to request', async () => {
    aws.on(QueryCommand).resolves({ Items: ['d', 'c', 'b'].map((sk) => tableItem(sk)) });

    const bounds = { lower: end('a', true), upper: end('d', false) };
    const page = await store.query({ pk: 'P', ...bounds, descending: true, limit: 2 });

    expect([page.positions, page.more]).toEqual([['c', 'b'], false]);
  });

  it('does not return the extra item that it requested', async () => {
    aws.on(QueryCommand).resolves({ Items: ['a', 'b', 'c'].map((sk) => tableItem(sk)) });

    const bounds = { lower: end('a', true), upper: end('d', false) };
    const page = await store.query({ pk: 'P', ...bounds, limit: 2 });

    expect([page.positions, page.more]).toEqual([['a', 'b'], true]);
  });

  const empty: readonly (readonly [string, Pick<Query, 'lower' | 'upper'>])[] = [
    ['up to nothing', { upper: end('', true) }],
    ['from above to below', { lower: end('d', true), upper: end('b', true) }],
    ['after and up to the same', { lower: end('b', false), upper: end('b', true) }],
    ['from and before the same', { lower: end('b', true), upper: end('b', false) }],
    ['down by code point', { lower: end('😀', true), upper: end('\uffff', true) }],
  ];
  it.each(empty)('%s sends no request', async (_, bounds) => {
    const page = await store.query({ pk: 'P', ...bounds, limit: 7 });

    expect([page, sent()]).toEqual([{ items: [], positions: [], more: false }, []]);
  });
});
