import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { Store } from '../../shared/store/store.ts';
import {
  type Api,
  type Credentials,
  expected,
  openWorld,
  startApi,
  type World,
} from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { isOn, medium } from '../support/medium.ts';
import { makeEndpoint } from '../support/script-endpoint.ts';

/*
 * `next` of a page that is exactly full and last: clients that follow it until it is null would request an empty page
 * otherwise. On a remote store it may be set, but never skips an item.
 */

const it = worldTest().extend('given', { scope: 'file', auto: true }, ({ world }) => setUp(world));

const isNear = medium === undefined;
const rows: readonly (readonly [path: string, as?: 'user'])[] = [
  ['classes/book/objects/?'],
  ['classes/book/objects/?order_by=-id'],
  ['classes/book/objects/?order_by=title'],
  ['classes/book/objects/?order_by=-created_at'],
  ['classes/book/objects/?query={"kind":{"_eq":"novel"}}'],
  ['classes/book/objects/?query={"kind":{"_eq":"poem"}}&order_by=title'],
  ['classes/book/objects/?query={"title":{"_in":["t0","t1","t4"]}}'],
  ['classes/book/objects/?query={"id":{"_in":[1,2,3,4,5,6]}}'],
  ['classes/book/objects/?query={"title":{"_contains":"4"}}'],
  ['classes/book/objects/?', 'user'],
  ['classes/book/objects/?order_by=title', 'user'],
  ['classes/book/objects/?query={"kind":{"_eq":"poem"}}', 'user'],
  ['endpoints/scripts/greet/traces/?'],
  ['snippets/templates/?'],
  ['snippets/templates/?name__startswith=objects'],
  ['groups/?'],
  ['groups/?label__startswith=0'],
  ['users/?'],
  ['classes/?'],
  ['api_keys/?'],
  ['admins/?'],
];

describe('next is null on the last page, and on no other', () => {
  it.for(rows.map(([path, as]) => [`${path}${as === undefined ? '' : ' as a user'}`, path, as]))(
    '%s',
    async ([_, path = '', who], { api, world, given: { user } }) => {
      const as = who === undefined ? world.owner : user;
      const all = (await walk(api, as, `${world.base}${path}&page_size=100`)).flat();
      expect(all.length).toBeGreaterThan(0);

      for (let pageSize = 1; pageSize <= all.length; pageSize++) {
        const pages = await walk(api, as, `${world.base}${path}&page_size=${pageSize}`);

        expect(pages.flat()).toEqual(all);
        if (isNear) expect(pages.length, String(pageSize)).toBe(Math.ceil(all.length / pageSize));
      }
    },
  );

  it('usage by the hour', async ({ api, world }) => {
    const path = '/v1.1/usage/hourly/?';
    const all = expected(await api.send({ as: world.owner, path }), 200).objects.length;

    const { next } = expected(
      await api.send({ as: world.owner, path: `${path}page_size=${all}` }),
      200,
    );

    expect(next).toBe(null);
  });
});

/** It watches the store of the test's own process. */
describe.skipIf(isOn('roles'))('a remote store', () => {
  let far: Api;
  let place: World;
  const limits: number[] = [];

  beforeAll(async () => {
    const wrap = (store: Store): Store => ({
      get: store.get,
      query: (query) => {
        limits.push(query.limit);
        return store.query(query);
      },
      write: store.write,
      next: store.next,
      close: store.close,
    });
    far = await startApi({ wrap });
    place = await openWorld(far);
    const labels = ['a', 'a', 'b', 'b', 'b', 'b', 'b'];
    for (const label of labels) await place.own('POST', 'groups/', { label });
    await place.dataClass('book', []);
    for (let n = 0; n < 3; n++) await place.own('POST', 'classes/book/objects/', {});
    far.settle();
  });
  afterAll(() => far.close());

  const next = async (path: string) => {
    limits.length = 0;
    return (await place.read(path)).next;
  };

  it.each(['groups/?page_size=7', 'classes/book/objects/?page_size=3'])(
    '%s is read once, with one item more than the page has',
    async (path) => {
      expect(await next(path)).toBe(null);
      expect(limits).toEqual([Number(path.slice(-1)) + 1]);
    },
  );

  it('an undecided read keeps the link, and causes no further read', async () => {
    const link = await next('groups/?page_size=2&label__startswith=a');

    expect(link).toMatch(/direction=1&last_pk=2$/);
    expect(limits).toEqual([3]);
  });
});

async function setUp(world: World) {
  const { api } = world;
  const { call, owner } = world;
  await world.dataClass(
    'book',
    [
      { name: 'title', type: 'string', filter_index: true, order_index: true },
      { name: 'kind', type: 'string', filter_index: true },
      { name: 'place', type: 'geopoint', filter_index: true },
    ],
    { other_permissions: 'create_objects' },
  );
  const ann = expected(
    await call(owner, 'POST', 'users/', { username: 'ann', password: 'x' }),
    201,
  );
  const user: Credentials = { key: await world.apiKey(), user: ann.user_key };
  for (let n = 0; n < size; n++) {
    const body = {
      title: `t${n % 5}`,
      kind: n % 3 === 0 ? 'novel' : 'poem',
      place: { latitude: 50, longitude: 20 + n / 100 },
      other_permissions: n % 2 === 0 ? 'read' : 'none',
    };
    // some of them are the user's, and so found on two access paths
    const as = n % 4 === 0 ? user : owner;
    expected(await call(as, 'POST', 'classes/book/objects/', body), 201);
  }
  await makeEndpoint(world, 'greet', 'console.log(1);');
  for (let n = 0; n < 4; n++) await call(owner, 'GET', 'endpoints/scripts/greet/run/');
  for (let n = 0; n < 3; n++) await call(owner, 'POST', 'groups/', { label: `${n % 2}` });
  api.settle();
  return { user };
}

const size = 12;

interface Page {
  readonly ids: readonly number[];
  readonly next: string | null;
}

async function pageAt(api: Api, as: Credentials, path: string): Promise<Page> {
  const { objects, next } = expected(await api.send({ as, path }), 200);
  return { next, ids: objects.map(({ id, name }: { id?: number; name?: string }) => id ?? name) };
}

/** Follows `next` to its end. */
async function walk(
  api: Api,
  as: Credentials,
  from: string,
): Promise<readonly (readonly number[])[]> {
  const pages: (readonly number[])[] = [];
  for (let path: string | null = from; path !== null; ) {
    const page: Page = await pageAt(api, as, path);
    pages.push(page.ids);
    path = page.next;
  }
  return pages;
}
