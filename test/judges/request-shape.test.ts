import { expect, test } from 'vitest';
import { shapeOf } from './request-shape.ts';

/* Which recorded requests are stored: the first few of each structure. */

const put = {
  TableName: 'Data',
  Item: { pk: { S: 'INSTANCE#1' }, sk: { S: 'READY' }, n: { N: '5' } },
  ReturnValues: 'NONE',
};

function shape(input: object, more: { readonly url?: string; readonly service?: string } = {}) {
  return shapeOf({
    service: 'dynamodb',
    method: 'POST',
    url: '/',
    headers: { 'x-amz-target': 'DynamoDB_20120810.PutItem' },
    body: Buffer.from(JSON.stringify(input)),
    ...more,
  });
}

test.each([
  ['other texts', { ...put, TableName: 'Other' }],
  [
    'text of an attribute that looks like a constant',
    { ...put, Item: { ...put.Item, sk: { S: 'DONE' } } },
  ],
  ['another order of members', Object.fromEntries(Object.entries(put).reverse())],
])('a request with %s has the same structure', (_, other) => {
  expect(shape(other)).toBe(shape(put));
});

test.each([
  ['another member', { ...put, Expected: {} }],
  ['a member less', { TableName: 'Data', Item: put.Item }],
  ['another constant', { ...put, ReturnValues: 'ALL_OLD' }],
  ['a value of another type', { ...put, TableName: 5 }],
  ['another attribute', { ...put, Item: { ...put.Item, x: { N: '1' } } }],
])('a request with %s has another structure', (_, other) => {
  expect(shape(other)).not.toBe(shape(put));
});

test('names with numbers are of one kind', () => {
  const url = (name: string) => ({ service: 'lambda', url: `/2015-03-31/functions/${name}/code` });

  expect(shape(put, url('scr-1a2b'))).toBe(shape(put, url('scr-3c4d')));
  expect(shape(put, url('scr-1a2b'))).not.toBe(shape(put, { url: '/2015-03-31/functions' }));
});

test('the event for a function, and the bytes of a file, have no structure', () => {
  const invocation = { service: 'lambda', url: '/2015-03-31/functions/a/invocations' };

  expect(shape({ a: 1 }, invocation)).toBe(shape({ b: [] }, invocation));
});
