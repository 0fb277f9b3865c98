import { describe, expect, it } from 'vitest';
import {
  inListOrder,
  itemRange,
  type Paging,
  pageLinks,
  parsePaging,
  rangeAhead,
} from '../../shared/values/paging.ts';

function parse(query: string, ascendingByDefault?: boolean): Paging {
  const parameters = new URLSearchParams(query);
  return parsePaging((name) => parameters.get(name) ?? undefined, ascendingByDefault);
}

const first = { size: 100, ascending: true, direction: undefined, lastPk: undefined };

describe('paging parameters', () => {
  it.each([
    ['', first],
    ['page_size=0', { ...first, size: 0 }],
    ['page_size=007', { ...first, size: 7 }],
    ['page_size=100', first],
    ['page_size=101', first],
    [`page_size=1${'0'.repeat(400)}`, first],
    ['ordering=desc', { ...first, ascending: false }],
    ['ordering=dEsC', { ...first, ascending: false }],
    ['ordering=', first],
    ['ordering=random', first],
    ['last_pk=5', first],
    ['direction=1', { ...first, direction: 'forward' }],
    ['direction=0&last_pk=0', { ...first, direction: 'backward', lastPk: 0 }],
    ['direction=1&last_pk=2147483647', { ...first, direction: 'forward', lastPk: 2147483647 }],
  ])('%s', (query, paging) => {
    expect(parse(query)).toEqual(paging);
  });

  it('a list in descending order ascends on request', () => {
    expect(
      [parse('', false), parse('ordering=asc', false)].map((paging) => paging.ascending),
    ).toEqual([false, true]);
  });

  it.each([
    'page_size=',
    'page_size=-1',
    'page_size=1e2',
    'page_size= 1',
    'page_size=1.5',
    'page_size=٣',
    'direction=',
    'direction=2',
    'direction=01',
    'direction=forward',
    'last_pk=',
    'last_pk=-1',
    'last_pk=2147483648',
    'direction=1&last_pk=x',
  ])('%s is rejected', (query) => {
    expect(() => parse(query)).toThrow(
      expect.objectContaining({
        status: 400,
        body: { detail: 'Incorrect page parameter provided.' },
      }),
    );
  });
});

describe('the items of a page', () => {
  it.each([
    ['page_size=3', { above: undefined, below: undefined, descending: false, limit: 3 }],
    ['page_size=3&direction=1&last_pk=5', { above: 5, below: undefined, descending: false }],
    ['page_size=3&direction=0&last_pk=5', { above: undefined, below: 5, descending: true }],
    ['ordering=desc&direction=1&last_pk=5', { above: undefined, below: 5, descending: true }],
    ['ordering=desc&direction=0&last_pk=5', { above: 5, below: undefined, descending: false }],
    ['direction=0', { above: undefined, below: undefined, descending: true, limit: 100 }],
  ])('%s', (query, range) => {
    expect(itemRange(parse(query))).toMatchObject(range);
  });

  it.each([
    ['', [1, 2, 3]],
    ['direction=1', [1, 2, 3]],
    ['direction=0', [3, 2, 1]],
  ])('are in list order: %s', (query, rows) => {
    expect(inListOrder([1, 2, 3], parse(query))).toEqual(rows);
  });
});

const forward = (last: number) => ({ direction: '1', last_pk: String(last) });
const backward = (last: number) => ({ direction: '0', last_pk: String(last) });

describe('the links of a page', () => {
  it.each([
    ['page_size=2', [1, 2], forward(2), null],
    ['page_size=2', [1], null, null],
    ['page_size=2', [], null, null],
    ['page_size=2&direction=1', [3, 4], forward(4), backward(3)],
    ['page_size=2&direction=1', [3], null, backward(3)],
    ['page_size=2&direction=1', [], null, { direction: '0' }],
    ['page_size=2&direction=0&last_pk=5', [3, 4], forward(4), backward(3)],
    ['page_size=2&direction=0&last_pk=5', [3], {}, null],
    ['page_size=2&direction=0&last_pk=5', [], {}, null],
    ['page_size=2&direction=0', [3, 4], null, backward(3)],
    ['page_size=2&direction=0', [3], null, null],
    ['page_size=2&direction=0', [], null, null],
    ['page_size=0', [], null, null],
    ['page_size=0&direction=1', [], null, { direction: '0' }],
    ['page_size=0&direction=0', [], null, null],
    ['page_size=0&direction=0&last_pk=5', [], {}, null],
  ])('%s with %j', (query, pks, next, prev) => {
    expect(pageLinks(parse(query), pks)).toEqual({ next, prev });
    expect(pageLinks(parse(query), pks, true)).toEqual({ next, prev });
  });

  it.each([
    ['page_size=2', [1, 2], null, null],
    ['page_size=2&direction=1', [3, 4], null, backward(3)],
    ['page_size=2&direction=0&last_pk=5', [3, 4], forward(4), backward(3)],
  ])('%s with %j, after which no item follows', (query, pks, next, prev) => {
    expect(pageLinks(parse(query), pks, false)).toEqual({ next, prev });
  });
});

describe('the items of a page with lookahead', () => {
  it.each([
    ['page_size=3', { descending: false, limit: 4, ahead: 'page' }],
    ['page_size=3&direction=1&last_pk=5', { above: 5, limit: 4, ahead: 'page' }],
    ['page_size=3&direction=0&last_pk=5', { below: 5, descending: true, limit: 3 }],
    ['direction=0', { descending: true, limit: 100 }],
  ])('%s', (query, range) => {
    expect(rangeAhead(parse(query), true)).toMatchObject(range);
  });
});
