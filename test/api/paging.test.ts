import { beforeAll, describe, expect, it } from 'vitest';
import { expected } from '../support/api.ts';
import { api } from '../support/api-fixture.ts';
import { scenarios } from '../support/scenarios.ts';
import { useWorld, world } from '../support/world-fixture.ts';

useWorld();

/** A list of seven items with the ids 1 to 7. */
const keys = '/v1.1/instances/blog-1/api_keys/';

beforeAll(async () => {
  for (let n = 1; n <= 7; n += 1) await world.apiKey();
});

interface Page {
  readonly next: string | null;
  readonly prev: string | null;
  readonly ids: readonly number[];
}

async function page(path: string): Promise<Page> {
  const { next, prev, objects } = expected(await api.send({ as: world.owner, path }), 200);
  return { next, prev, ids: objects.map(({ id }: { id: number }) => id) };
}

/** Follows one of the links from page to page until it is null. */
async function walk(from: string, link: 'next' | 'prev'): Promise<Page[]> {
  const pages: Page[] = [];
  for (let path: string | null = from; path !== null; path = pages.at(-1)?.[link] ?? null) {
    pages.push(await page(path));
  }
  return pages;
}

const link = (query: string) => `${keys}?${query}`;

describe('a page', () => {
  const rows: readonly [query: string, ids: number[], next: string | null, prev: string | null][] =
    [
      ['', [1, 2, 3, 4, 5, 6, 7], null, null],
      ['page_size=3', [1, 2, 3], 'page_size=3&direction=1&last_pk=3', null],
      [
        'page_size=3&direction=1&last_pk=3',
        [4, 5, 6],
        'page_size=3&direction=1&last_pk=6',
        'page_size=3&direction=0&last_pk=4',
      ],
      ['page_size=3&direction=1&last_pk=6', [7], null, 'page_size=3&direction=0&last_pk=7'],
      ['page_size=3&direction=1&last_pk=7', [], null, 'page_size=3&direction=0'],
      [
        'page_size=3&direction=0&last_pk=7',
        [4, 5, 6],
        'page_size=3&direction=1&last_pk=6',
        'page_size=3&direction=0&last_pk=4',
      ],
      // exactly full, though it is the first: the way back is not read
      [
        'page_size=3&direction=0&last_pk=4',
        [1, 2, 3],
        'page_size=3&direction=1&last_pk=3',
        'page_size=3&direction=0&last_pk=1',
      ],
      ['page_size=3&direction=0&last_pk=3', [1, 2], 'page_size=3', null],
      ['page_size=3&direction=0&last_pk=1', [], 'page_size=3', null],
      ['page_size=3&direction=0', [5, 6, 7], null, 'page_size=3&direction=0&last_pk=5'],
      [
        'page_size=3&direction=1',
        [1, 2, 3],
        'page_size=3&direction=1&last_pk=3',
        'page_size=3&direction=0&last_pk=1',
      ],
      // exactly full and last
      ['page_size=7', [1, 2, 3, 4, 5, 6, 7], null, null],
      ['page_size=3&direction=1&last_pk=4', [5, 6, 7], null, 'page_size=3&direction=0&last_pk=5'],
      [
        'page_size=3&ordering=desc&direction=1&last_pk=4',
        [3, 2, 1],
        null,
        'page_size=3&ordering=desc&direction=0&last_pk=3',
      ],
      [
        'page_size=3&direction=0&ordering=desc',
        [3, 2, 1],
        null,
        'page_size=3&ordering=desc&direction=0&last_pk=3',
      ],
      ['page_size=3&last_pk=3', [1, 2, 3], 'page_size=3&direction=1&last_pk=3', null],
      ['page_size=0', [], null, null],
      ['page_size=0&direction=1', [], null, 'page_size=0&direction=0'],
      ['page_size=0&direction=0', [], null, null],
      ['page_size=0&direction=1&last_pk=3', [], null, 'page_size=0&direction=0'],
      ['page_size=101', [1, 2, 3, 4, 5, 6, 7], null, null],
      [`page_size=${'9'.repeat(30)}`, [1, 2, 3, 4, 5, 6, 7], null, null],
      ['page_size=1&page_size=2', [1, 2], 'page_size=2&direction=1&last_pk=2', null],
      ['direction=0&last_pk=2147483647', [1, 2, 3, 4, 5, 6, 7], '', null],
      [
        'page_size=3&ordering=desc',
        [7, 6, 5],
        'page_size=3&ordering=desc&direction=1&last_pk=5',
        null,
      ],
      [
        'page_size=3&ordering=DESC&direction=1&last_pk=5',
        [4, 3, 2],
        'page_size=3&ordering=DESC&direction=1&last_pk=2',
        'page_size=3&ordering=DESC&direction=0&last_pk=4',
      ],
      [
        'page_size=3&ordering=desc&direction=0&last_pk=1',
        [4, 3, 2],
        'page_size=3&ordering=desc&direction=1&last_pk=2',
        'page_size=3&ordering=desc&direction=0&last_pk=4',
      ],
      [
        'page_size=3&ordering=asc',
        [1, 2, 3],
        'page_size=3&ordering=asc&direction=1&last_pk=3',
        null,
      ],
      ['ordering=up', [1, 2, 3, 4, 5, 6, 7], null, null],
    ];

  it.each(rows)('?%s', async (query, ids, next, prev) => {
    const expectedLink = (text: string | null) =>
      text === null ? null : text === '' ? keys : link(text);

    expect(await page(link(query))).toEqual({
      ids,
      next: expectedLink(next),
      prev: expectedLink(prev),
    });
  });
});

describe('a scan', () => {
  const inThrees = [[1, 2, 3], [4, 5, 6], [7]];

  it('to the end returns every item once', async () => {
    const pages = await walk(link('page_size=3'), 'next');

    expect(pages.map(({ ids }) => ids)).toEqual(inThrees);
  });

  it('back from the end returns every item once, and then none', async () => {
    const forth = await walk(link('page_size=3'), 'next');

    const back = await walk(forth.at(-1)?.prev ?? '', 'prev');

    expect(back.map(({ ids }) => ids)).toEqual([[4, 5, 6], [1, 2, 3], []]);
    expect(await page(back.at(-1)?.next ?? '')).toEqual(forth[0]);
  });

  it('in descending order returns every item once', async () => {
    const pages = await walk(link('page_size=3&ordering=desc'), 'next');

    expect(pages.map(({ ids }) => ids)).toEqual([[7, 6, 5], [4, 3, 2], [1]]);
  });

  it('may go forth and back from any page', async () => {
    const first = await page(link('page_size=2'));
    const second = await page(first.next ?? '');
    const third = await page(second.next ?? '');

    const back = await page(third.prev ?? '');

    expect(back).toEqual(second);
  });
});

scenarios(
  'a bad paging parameter',
  () => api,
  [
    'page_size=-1',
    'page_size=',
    'page_size=ten',
    'page_size=1.5',
    'direction=2',
    'direction=',
    'direction=forward',
    'direction=1&last_pk=x',
    'direction=1&last_pk=-1',
    'direction=1&last_pk=2147483648',
    'last_pk=x',
  ].map((query) => ({
    name: query,
    path: link(query),
    given: () => ({ as: world.owner }),
    status: 400,
    response: { detail: 'Incorrect page parameter provided.' },
  })),
);

describe('links of a page', () => {
  const next = async (query: string, as = world.owner) =>
    expected(await api.send({ as, path: link(query) }), 200).next;

  it.each([
    'page_size=2&fields=id',
    'page_size=2&excluded_fields=api_key',
    'page_size=2&include_count=true',
    'page_size=2&expand=owner',
    'page_size=2&name__startswith=a',
    'page_size=2&query=%7B%22id%22%3A1%7D',
    'page_size=2&query=1&query=2',
  ])('keep %s', async (query) => {
    const answer = await api.send({ as: world.owner, path: link(query) });

    expect(answer.body.next).toBe(`${link(query)}&direction=1&last_pk=2`);
  });

  it('keep no unknown parameters', async () => {
    expect(await next('page_size=2&hello=1&format=json')).toBe(
      link('page_size=2&direction=1&last_pk=2'),
    );
  });

  it('never keep credentials', async () => {
    const key = world.owner;
    const query = `api_key=${key}&apikey=${key}&user_key=u&userkey=u&page_size=2`;

    expect(await next(query)).toBe(link('page_size=2&direction=1&last_pk=2'));
  });

  it('keep the last copy of a repeated parameter', async () => {
    expect(await next('fields=id&page_size=2&fields=id,links')).toBe(
      link('fields=id%2Clinks&page_size=2&direction=1&last_pk=2'),
    );
  });

  it('are in the version of the request', async () => {
    const path = keys.replace('v1.1', 'v1');

    const { next, objects } = expected(
      await api.send({ as: world.owner, path: `${path}?page_size=1` }),
      200,
    );

    expect(next).toBe(`${path}?page_size=1&direction=1&last_pk=1`);
    expect(objects[0].links).toEqual({ self: `${path}1/`, reset_key: `${path}1/reset_key/` });
  });

  it('have the stored name of the instance', async () => {
    const path = keys.replace('blog-1', 'BLOG-1');

    const { next } = expected(
      await api.send({ as: world.owner, path: `${path}?page_size=1` }),
      200,
    );

    expect(next).toBe(link('page_size=1&direction=1&last_pk=1'));
  });
});

describe('a page of instances', () => {
  let account: string;
  const list = '/v1.1/instances/';

  beforeAll(async () => {
    account = await world.account('many@example.com');
    for (const name of ['alpha-1', 'beta-1', 'alpha-2', 'gamma-1', 'alpha-3', 'alpha-4']) {
      expected(await api.send({ as: account, path: list, body: { name } }), 201);
    }
    await api.send({ as: account, method: 'DELETE', path: `${list}alpha-2/` });
  });

  async function names(query: string): Promise<(readonly string[])[]> {
    const pages: (readonly string[])[] = [];
    for (let path: string | null = list + query; path !== null; ) {
      const body: { next: string | null; objects: { name: string }[] } = expected(
        await api.send({ as: account, path }),
        200,
      );
      pages.push(body.objects.map(({ name }) => name));
      path = body.next;
    }
    return pages;
  }

  it.each([
    ['', [['alpha-1', 'beta-1', 'gamma-1', 'alpha-3', 'alpha-4']]],
    ['?ordering=desc', [['alpha-4', 'alpha-3', 'gamma-1', 'beta-1', 'alpha-1']]],
    ['?page_size=2', [['alpha-1', 'beta-1'], ['gamma-1', 'alpha-3'], ['alpha-4']]],
    ['?page_size=2&name__startswith=alpha', [['alpha-1', 'alpha-3'], ['alpha-4']]],
    ['?page_size=3&name__startswith=alpha', [['alpha-1', 'alpha-3', 'alpha-4']]],
    // an extra read decides nothing: the link is kept
    ['?page_size=1&name__startswith=b', [['beta-1'], []]],
    ['?page_size=5', [['alpha-1', 'beta-1', 'gamma-1', 'alpha-3', 'alpha-4']]],
    ['?page_size=2&ordering=desc&name__startswith=a', [['alpha-4', 'alpha-3'], ['alpha-1']]],
    ['?name__startswith=Alpha', [[]]],
    ['?name__startswith=', [['alpha-1', 'beta-1', 'gamma-1', 'alpha-3', 'alpha-4']]],
  ])('%s skips deleted and unmatched items', async (query, expectedNames) => {
    expect(await names(query)).toEqual(expectedNames);
  });
});
