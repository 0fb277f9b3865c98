import { describe, expect } from 'vitest';
import type { World } from '../support/api.ts';
import { expected } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';

const it = worldTest().extend('given', { scope: 'file', auto: true }, ({ world }) => setUp(world));

/** A list of seven items with the ids 1 to 7. */
const keys = '/v1.1/instances/blog-1/api_keys/';
const forth = (last: number) => `&direction=1&last_pk=${last}`;
const back = (last: number) => `&direction=0&last_pk=${last}`;
const all = [1, 2, 3, 4, 5, 6, 7];

/** All parameters, and the links for all kinds of pages, are in test/values/paging.test.ts. */
describe('a page', () => {
  type Row = [list: string, page: string, ids: number[], next: string | null, prev: string | null];

  it.for<Row>([
    ['', '', all, null, null],
    ['page_size=3', '', [1, 2, 3], forth(3), null],
    ['page_size=3', forth(3), [4, 5, 6], forth(6), back(4)],
    ['page_size=3', forth(7), [], null, '&direction=0'],
    ['page_size=3', back(7), [4, 5, 6], forth(6), back(4)],
    // exactly full, though it is the first: the way back is not read
    ['page_size=3', back(4), [1, 2, 3], forth(3), back(1)],
    ['page_size=3', back(3), [1, 2], '', null],
    ['page_size=3', '&direction=0', [5, 6, 7], null, back(5)],
    // exactly full and last
    ['page_size=7', '', all, null, null],
    ['page_size=3', forth(4), [5, 6, 7], null, back(5)],
    ['page_size=3&ordering=desc', forth(4), [3, 2, 1], null, back(3)],
    ['page_size=3&ordering=desc', '&direction=0', [3, 2, 1], null, back(3)],
    ['page_size=3&ordering=DESC', forth(5), [4, 3, 2], forth(2), back(4)],
    ['page_size=3&ordering=desc', back(1), [4, 3, 2], forth(2), back(4)],
    ['page_size=0', forth(3), [], null, '&direction=0'],
  ])('?%s%s', async ([list, own, ids, next, prev], { world }) => {
    const linkTo = (more: string | null) => (more === null ? null : link(list + more));

    expect(await page(world, link(list + own))).toEqual({
      ids,
      next: linkTo(next),
      prev: linkTo(prev),
    });
  });

  it('has the last copy of a parameter, and its first page has no parameters without any', async ({
    world,
  }) => {
    expect(await page(world, link('page_size=1&page_size=2'))).toMatchObject({ ids: [1, 2] });
    expect(await page(world, link('direction=0&last_pk=2147483647'))).toMatchObject({ next: keys });
  });

  it.for(['page_size=ten', 'direction=2', 'last_pk=x'] as const)(
    '?%s is rejected',
    async (query, { api, world }) => {
      const { status, body } = await api.send({ as: world.owner, path: link(query) });

      expect([status, body]).toEqual([400, { detail: 'Incorrect page parameter provided.' }]);
    },
  );
});

describe('a scan', () => {
  it('to the end returns every item once, and back from there, and then none', async ({
    world,
  }) => {
    const forth = await walk(world, link('page_size=3'), 'next');
    const back = await walk(world, forth.at(-1)?.prev ?? '', 'prev');

    expect(idsOf(forth)).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
    expect(idsOf(back)).toEqual([[4, 5, 6], [1, 2, 3], []]);
    expect(await page(world, back.at(-1)?.next ?? '')).toEqual(forth[0]);
  });

  it('in descending order returns every item once', async ({ world }) => {
    const pages = await walk(world, link('page_size=3&ordering=desc'), 'next');

    expect(idsOf(pages)).toEqual([[7, 6, 5], [4, 3, 2], [1]]);
  });

  it('may go forth and back from any page', async ({ world }) => {
    const first = await page(world, link('page_size=2'));
    const second = await page(world, first.next ?? '');
    const third = await page(world, second.next ?? '');

    expect(await page(world, third.prev ?? '')).toEqual(second);
  });
});

describe('links of a page', () => {
  it.for([
    ...[
      'fields=id',
      'excluded_fields=api_key',
      'include_count=true',
      'expand=owner',
      'name__startswith=a',
      'query=%7B%22id%22%3A1%7D',
      'query=1&query=2',
    ].map((kept) => [`page_size=2&${kept}`, `page_size=2&${kept}`]),
    ['fields=id&page_size=2&fields=id,links', 'fields=id%2Clinks&page_size=2'],
    ['page_size=2&hello=1&format=json', 'page_size=2'],
  ] as const)('of ?%s keep %s', async ([query, kept], { world }) => {
    expect((await page(world, link(query))).next).toBe(link(kept + forth(2)));
  });

  it('never keep credentials', async ({ world }) => {
    const key = world.owner;
    const query = `api_key=${key}&apikey=${key}&user_key=u&userkey=u&page_size=2`;

    expect((await page(world, link(query))).next).toBe(link(`page_size=2${forth(2)}`));
  });

  it('are in the version of the request', async ({ api, world }) => {
    const path = keys.replace('v1.1', 'v1');

    const response = await api.send({ as: world.owner, path: `${path}?page_size=1` });

    const { next, objects } = expected(response, 200);

    expect(next).toBe(`${path}?page_size=1&direction=1&last_pk=1`);
    expect(objects[0].links).toEqual({ self: `${path}1/`, reset_key: `${path}1/reset_key/` });
  });

  it('have the stored name of the instance', async ({ world }) => {
    const path = keys.replace('blog-1', 'BLOG-1');

    expect((await page(world, `${path}?page_size=1`)).next).toBe(
      link('page_size=1&direction=1&last_pk=1'),
    );
  });
});

describe('a page of instances', () => {
  let account: string;
  const list = '/v1.1/instances/';

  it.beforeAll(async ({ api, world }) => {
    account = await world.account('many@example.com');
    for (const name of ['alpha-1', 'beta-1', 'alpha-2', 'gamma-1', 'alpha-3', 'alpha-4']) {
      expected(await api.send({ as: account, path: list, body: { name } }), 201);
    }
    await api.send({ as: account, method: 'DELETE', path: `${list}alpha-2/` });
  });

  it.for([
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
  ] as const)('%s skips deleted and unmatched items', async ([query, expectedNames], { world }) => {
    expect(idsOf(await walk(world, list + query, 'next', account))).toEqual(expectedNames);
  });
});

async function setUp(world: World) {
  for (let n = 1; n <= 7; n += 1) await world.apiKey();
}

interface Item {
  readonly id?: number;
  readonly name?: string;
}

interface Page {
  readonly next: string | null;
  readonly prev: string | null;
  readonly ids: readonly (number | string)[];
}

/** The page at a path, with the ids of its items, or with the names of instances. */
async function page(world: World, path: string, as = world.owner): Promise<Page> {
  const { next, prev, objects } = expected(await world.api.send({ as, path }), 200);
  return { next, prev, ids: objects.map(({ id, name }: Item) => id ?? name) };
}

/** Follows one of the links from page to page until it is null. */
async function walk(
  world: World,
  from: string,
  link: 'next' | 'prev',
  as = world.owner,
): Promise<Page[]> {
  const pages: Page[] = [];
  for (let path: string | null = from; path !== null; path = pages.at(-1)?.[link] ?? null) {
    pages.push(await page(world, path, as));
  }
  return pages;
}

const idsOf = (pages: readonly Page[]) => pages.map(({ ids }) => ids);

const link = (query: string) => `${keys}?${query}`;
