import { afterAll, describe, expect, vi } from 'vitest';
import { routes } from '../../functions/api.ts';
import { compileClass } from '../../shared/classes/rules/compiled-class.ts';
import { createDispatch } from '../../shared/core/pipeline/dispatch.ts';
import { createItem } from '../../shared/store/writes.ts';
import { objectEntity } from '../../shared/table/entities/classes.ts';
import { objectIndexes } from '../../shared/table/object-indexes.ts';
import type { ObjectData } from '../../shared/table/records/records.ts';
import { responseTemplates } from '../../shared/templates/response-templates.ts';
import { type Api, plantUser, type World } from '../support/api.ts';
import { plantCompositeIndex } from '../support/composite-indexes.ts';
import { type CountingStore, countRoundTrips } from '../support/counting-store.ts';
import { worldTest } from '../support/fixtures.ts';
import { isSoak } from '../support/sample.ts';
import { storedClass } from '../support/stored-records.ts';

/*
 * The cost of lists: objects read and requests to the store. Both depend on the query, not on the number of objects.
 */

const many = isSoak ? 100_000 : 20_000;
const few = 1000;

const it = worldTest({ wrap: countRoundTrips }).extend(
  'given',
  { scope: 'file' },
  ({ world, store }) => setUp(world, store),
);

it.beforeAll(async ({ world }) => {
  await plant(world, 'few', few);
  await plant(world, 'many', many);
  vi.spyOn(performance, 'now').mockReturnValue(performance.now()); // no list takes too long by time
}, 300_000);
afterAll(() => {
  vi.restoreAllMocks();
});

const near = '{"longitude":13.41,"latitude":52.5,"distance_in_kilometers":5}';

/**
 * A query, the number of its objects, and upper bounds of the rounds and of the keys read. A forward page reads one key
 * more than it returns, to detect the last page.
 */
const rows: readonly [query: string, kept: number, rounds: number, queried: number][] = [
  ['page_size=20', 20, 2, 21],
  ['order_by=-n&page_size=20', 20, 2, 21],
  ['order_by=-updated_at&page_size=20', 20, 2, 21],
  ['query={"id":{"_eq":7}}', 1, 2, 0],
  ['query={"id":{"_in":[7,9,11]}}&order_by=-n', 3, 2, 0],
  ['query={"n":{"_eq":7}}', 1, 2, 1],
  ['query={"rare":{"_eq":"r-1"}}', 10, 2, 10],
  ['query={"rare":{"_eq":"r-1"}}&order_by=-n', 10, 2, 111],
  ['query={"rare":{"_startswith":"r-"}}', 20, 2, 121],
  ['query={"rare":{"_like":"r-%251"}}', 10, 2, 121],
  [`query={"place":{"_near":${near}}}`, 10, 2, 111],
  ['query={"n":{"_lt":15}}', 15, 2, 116],
  ['query={"n":{"_in":[1,5,9]}}&page_size=20', 3, 2, 3],
  ['query={"tenth":{"_eq":3}}&page_size=20', 20, 2, 21],
  ['query={"tenth":{"_in":[3,4]}}&page_size=20', 20, 2, 42],
  // one in ten matches, and a composite index has them in order
  ['query={"tenth":{"_eq":3},"n":{"_lt":900}}&order_by=-n&page_size=20', 20, 2, 21],
  ['query={"tenth":{"_eq":3},"half":{"_eq":false}}&order_by=-n&page_size=20', 20, 2, 40],
  // a composite index does not combine two values
  ['query={"tenth":{"_in":[3,4]}}&order_by=-n&page_size=20', 20, 5, 1000],
  ['query={"tags":{"_contains":["tag-3"]}}&page_size=20', 20, 5, 300],
  ['query={"half":{"_neq":true}}&order_by=n&page_size=20', 20, 3, 100],
  ['query={"tenth":{"_gte":3}}&order_by=-n&page_size=20', 20, 3, 400],
  ['query={"owner":{"_eq":7}}', 20, 2, 20],
  // the class, then the authors, then those who refer to them
  ['query={"ref":{"_is":{"rare":{"_eq":"r-1"}}}}', 10, 3, 20],
  ['include_count=true&query={"rare":{"_eq":"r-1"}}', 10, 2, 20],
];

describe.each(rows)('%s', (query, kept, rounds, queried) => {
  it.for(['few', 'many'])('of %s objects', async (name, { given: { admin, cost } }) => {
    const found = await cost(admin, name, query);

    expect(found).toMatchObject({ status: 200, kept });
    expect(found.rounds).toBeLessThanOrEqual(rounds);
    expect(found.queried).toBeLessThanOrEqual(queried);
  });
});

describe.each(['few', 'many'])('of %s objects of which one in ten is equal in a field', (name) => {
  it.for(['n', '-n', 'updated_at', '-updated_at'])(
    'a page by %s reads one key more than it returns, also a later one, and none on the way back',
    async (order, { given: { admin, cost } }) => {
      const first = await cost(
        admin,
        name,
        `query={"tenth":{"_eq":3}}&order_by=${order}&page_size=20`,
      );
      const second = await cost(admin, name, first.links.next?.split('?')[1] ?? '');
      const third = await cost(admin, name, second.links.next?.split('?')[1] ?? '');
      const back = await cost(admin, name, third.links.prev?.split('?')[1] ?? '');

      for (const page of [first, second, third]) {
        expect(page).toMatchObject({ status: 200, kept: 20, rounds: 2, queried: 21 });
      }
      expect(back).toMatchObject({ status: 200, kept: 20, rounds: 2, queried: 20 });
    },
  );
});

describe('a user', () => {
  it('who owns 20 of many private objects has them in two steps', async ({
    given: { cost, user },
  }) => {
    const query = 'page_size=100&query={"tenth":{"_neq":0}}';

    expect(await cost(user, 'many', 'page_size=20')).toMatchObject({ kept: 20, rounds: 2 });
    expect(await cost(user, 'many', query)).toMatchObject({ status: 200, kept: 20 });
    expect(await cost(user, 'many', 'order_by=n&page_size=20')).toMatchObject({ kept: 20 });
  });

  it('finds one among many by a value', async ({ given: { cost, user } }) => {
    const { status, kept, queried } = await cost(user, 'many', 'query={"n":{"_eq":19999}}');

    expect([status, kept]).toEqual([200, 1]);
    expect(queried).toBeLessThan(300);
  });

  it('pages through own and shared objects', async ({ api, world, given: { user } }) => {
    const ids = new Set<number>();
    let next: string | null = `${world.base}classes/few/objects/?fields=id&page_size=7`;
    while (next !== null) {
      const { body } = await api.send({ path: next, headers: user });
      for (const { id } of body.objects) ids.add(id);
      next = body.next;
    }

    expect(ids.size).toBe(40);
  });
});

it('a key that bypasses ACL finds it', async ({ given: { anonymous, cost } }) => {
  const { kept, rounds, queried } = await cost(anonymous, 'many', 'page_size=20');

  expect({ kept, rounds, queried }).toEqual({ kept: 20, rounds: 2, queried: 21 });
});

describe('a list that is requested again', () => {
  it.for([
    // every second object matches, the first of a kind in the end of the index, then many that are equal
    { query: 'query={"half":{"_eq":true}}&order_by=-n&page_size=20', kept: 20 },
    { query: 'query={"rare":{"_eq":"r-1"}}&order_by=n&page_size=20', kept: 10 },
    { query: 'query={"rare":{"_startswith":"r-"}}&order_by=n&page_size=20', kept: 20 },
  ])(
    '$query takes the best access path at once',
    async ({ query, kept }, { given: { admin, cost } }) => {
      await cost(admin, 'many', query);

      const again = await cost(admin, 'many', query.replace('true', 'false').replace('r-1', 'r-0'));

      expect(again).toMatchObject({ status: 200, kept, rounds: 2 });
      expect(again.queried).toBeLessThanOrEqual(3 * kept);
    },
  );

  it('reads at once what the last page of a filter that one in ten matches needed', async ({
    given: { admin, cost },
  }) => {
    const ask = (tag: number) =>
      cost(admin, 'many', `query={"tags":{"_contains":["tag-${tag}"]}}&order_by=-n&page_size=20`);
    await ask(3);

    const again = await ask(4);

    expect(again).toMatchObject({ status: 200, kept: 20, rounds: 2 });
    expect(again.queried).toBeLessThanOrEqual(260);
  });

  it('changes its access path when another value needs it', async ({ given: { admin, cost } }) => {
    const ask = (value: number) =>
      cost(admin, 'many', `query={"n":{"_gte":${value}}}&order_by=id&page_size=20`);
    const [first] = [await ask(0), await ask(many - 10)];

    const last = await ask(many - 10);

    expect([first?.kept, last.kept]).toEqual([20, 10]);
    expect(last.queried).toBeLessThanOrEqual(60);
  });
});

const tooLong = { detail: 'Requested query took too long. Timeout was reached.' };

describe('a list that would have to read too many objects', () => {
  it.for([
    'query={"tags":{"_contains":["none"]}}',
    'query={"rare":{"_icontains":"none"}}',
    'query={"tenth":{"_neq":3},"half":{"_nin":[true,false]}}&order_by=n',
    'page_size=0&include_count=true&query={"tags":{"_contains":["none"]}}',
  ])('%s is rejected', async (query, { api, world }) => {
    const path = `${world.base}classes/many/objects/?${query}`;

    const { status, body } = await api.send({ as: world.owner, path });

    expect([status, body]).toEqual([408, tooLong]);
  });

  it('is counted up to the limit', async ({ given: { admin, cost } }) => {
    const all = await cost(admin, 'few', 'page_size=0&include_count=true');
    const more = await cost(admin, 'many', 'page_size=0&include_count=true');

    expect(all.objects_count).toBe(few);
    expect(more.objects_count).toBeGreaterThanOrEqual(1000);
  });
});

describe('the log', () => {
  const lines = (api: Api) => api.logged.filter(({ level }) => level === 'debug');
  const slot0 = { path: 'slot0', keysRead: 1, kept: 1 };

  const plans = [
    { path: 'slot1', keysRead: 31, kept: 3 },
    { path: 'slot2', keysRead: 10, kept: 10 },
  ];
  const inOrder = 'query={"rare":{"_startswith":"r-1"}}&order_by=tenth&page_size=30';

  it.for<[string, string, object]>([
    ['query={"n":{"_eq":7}}', 'listed', { ...slot0, plans: [slot0] }],
    [
      'page_size=0&include_count=true&query={"n":{"_eq":7}}',
      'counted',
      { ...slot0, plans: [slot0] },
    ],
    [inOrder, 'listed', { path: 'slot2', keysRead: 41, kept: 10, plans }],
  ])(
    'contains the access paths of %s',
    async ([query, what, line], { api, given: { admin, cost } }) => {
      await cost(admin, 'few', query);

      expect(lines(api).at(-1)).toEqual({
        level: 'debug',
        message: `objects ${what}`,
        requestId: 'reads',
        durationMs: expect.any(Number),
        ...line,
      });
    },
  );

  it('contains the access path of a nested query', async ({ api, given: { admin, cost } }) => {
    await cost(admin, 'few', 'query={"ref":{"_is":{"n":{"_eq":7}}}}');

    expect(lines(api).at(-2)).toMatchObject({ message: 'nested query resolved', plans: [slot0] });
  });

  it('contains the progress of a list that is rejected', async ({
    api,
    given: { admin, cost },
  }) => {
    await cost(admin, 'many', 'query={"rare":{"_icontains":"none"}}&order_by=n');

    const plans = [{ path: 'slot0', keysRead: 10_000, kept: 0 }];
    expect(lines(api).at(-1)).toMatchObject({ path: undefined, kept: 0, plans });
  });
});

async function setUp(world: World, store: CountingStore) {
  const dispatch = createDispatch(routes, world.api.platform, { renderer: responseTemplates });
  const admin = { 'x-api-key': world.owner };
  const anonymous = { 'x-api-key': await world.apiKey({ allow_anonymous_read: true }) };
  const user = { 'x-api-key': await world.apiKey(), 'x-user-key': await plantUser(world, 7, [3]) };

  /** Returns the cost of a list for a process that has read the class before. */
  async function cost(key: Record<string, string>, name: string, query: string) {
    const call = {
      id: 'reads',
      method: 'GET',
      headers: key,
      sourceAddress: '127.0.0.1',
      path: `${world.base}classes/${name}/objects/`,
      query: new URLSearchParams(query),
      body: { kind: 'json', value: undefined } as const,
    };
    await dispatch({ ...call, query: new URLSearchParams('page_size=0') });
    store.reset();
    const { status, body } = await dispatch(call);
    const { objects = [], objects_count, ...links } = body as Page;
    const { rounds, queried } = store;
    const counted = objects_count && { objects_count };
    return { status, kept: objects.length, rounds, queried, ...counted, links };
  }
  return { admin, anonymous, cost, user };
}

const schema = [
  { name: 'n', type: 'integer', filter_index: true, order_index: true },
  { name: 'tenth', type: 'integer', filter_index: true, order_index: true },
  { name: 'rare', type: 'string', filter_index: true },
  { name: 'half', type: 'boolean', filter_index: true },
  { name: 'tags', type: 'array', filter_index: true },
  { name: 'place', type: 'geopoint', filter_index: true },
  { name: 'ref', type: 'reference', target: 'self', filter_index: true },
];

/**
 * Writes objects 1 to `count` directly into the store. User 7 owns 20 of them, each 50th is readable by others, and all
 * are like those of any other size to filters.
 */
async function plant(world: World, name: string, count: number): Promise<void> {
  await world.dataClass(name, schema);
  for (const order of ['n', 'updated_at']) {
    await plantCompositeIndex(world, name, { filter: 'tenth', order, isFilled: true });
  }
  const { instance, item } = await storedClass(world, name);
  const { data } = item;
  const compiled = compileClass(data, () => '');
  for (let start = 1; start <= count; start += 100) {
    const writes = Array.from({ length: 100 }, (_, at) => {
      const object = objectOf(start + at, count);
      const key = objectEntity.key(instance, data.number, object.id);
      return createItem(objectEntity, key, object, objectIndexes(compiled, object));
    });
    await world.api.platform.store.write({
      id: world.api.platform.ids.random(),
      change: { actor: {}, cause: 'maintenance', depth: 0 },
      writes,
    });
  }
}

function objectOf(id: number, count: number): ObjectData {
  const at = new Date(Date.UTC(2024, 0, 1) + id * 1000).toISOString().replace('Z', '000Z');
  return {
    id,
    created_at: at,
    updated_at: at,
    revision: 1,
    epoch: 1,
    owner: id % (count / 20) === 1 ? 7 : 8,
    owner_permissions: 'full',
    group: null,
    group_permissions: 'none',
    other_permissions: id % 50 === 0 ? 'read' : 'none',
    channel: null,
    channel_room: null,
    values: {
      '1_n': count - id,
      '1_tenth': id % 10,
      '1_half': id % 2 === 0,
      '1_tags': [`tag-${id % 10}`],
      // ten near the middle of a town, all others elsewhere
      '1_place': { longitude: id % (count / 10) === 0 ? 13.4 : (id % 160) + 15, latitude: 52.5 },
      ...(id % (count / 20) === 0 && { '1_rare': `r-${(id / (count / 20)) % 2}` }),
      ...(id > 1 && { '1_ref': id - 1 }),
    },
  };
}

interface Page {
  readonly objects?: readonly unknown[];
  readonly objects_count?: number;
  readonly next: string | null;
  readonly prev: string | null;
}
