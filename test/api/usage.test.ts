import { describe, expect } from 'vitest';
import { usageEntity } from '../../shared/table/entities/instances.ts';
import type { Api } from '../support/api.ts';
import { type ApiResponse, expected, openInstance, openWorld, type World } from '../support/api.ts';
import { apiTest } from '../support/fixtures.ts';
import { joinAs } from '../support/join-as.ts';
import { openMovedClock } from '../support/moved-clock.ts';
import { instanceId } from '../support/stored-records.ts';

/** Wednesday; then 23 hours later, and one more hour, which is the next day but one. */
const clock = openMovedClock('2026-11-18T10:20:00Z');

const it = apiTest({ clock }).extend('given', { scope: 'file', auto: true }, ({ api }) =>
  setUp(api),
);

const sent = { hourly: '/v1.1/usage/hourly/', daily: '/v1.1/usage/daily/' };
const h1 = '2026-11-18T10:00:00.000000Z';
const h2 = '2026-11-19T09:00:00.000000Z';
const h3 = '2026-11-20T00:00:00.000000Z';
const [first, later, last] = [
  [`${h1} api blog-1 1`, `${h1} api shop-1 2`],
  [`${h2} api blog-1 3`],
  [`${h3} api blog-1 4`, `${h3} cbx blog-1 3`, `${h3} run blog-1 2`, `${h3} api shop-1 5`],
];
const days = [...first, ...later, ...last].map((row) => row.replace(/T\S+/, ''));

describe('usage', () => {
  it('has links', async ({ given: { get } }) => {
    expect((await get('/v1.1/usage/')).body).toEqual({ links: sent });
    expect((await get('/v1/usage/')).body).toEqual({
      links: { hourly: '/v1/usage/hourly/', daily: '/v1/usage/daily/' },
    });
  });

  it('is a page of entries, the oldest first', async ({ given: { get } }) => {
    expect((await get(`${sent.hourly}?page_size=1`)).body.objects).toEqual([
      { hour: h1, source: 'api', instance: 'blog-1', value: 1 },
    ]);
    expect((await get(`${sent.daily}?page_size=1`)).body.objects).toEqual([
      { date: '2026-11-18', source: 'api', instance: 'blog-1', value: 1 },
    ]);
  });

  it('counts every request in an instance once, and a batch as its items', async ({
    api,
    given: { world, get, apiKey },
  }) => {
    const fresh = await world.account('batch@example.com');
    const name = 'batch-1';
    expected(await api.send({ as: fresh, path: '/v1.1/instances/', body: { name } }), 201);
    const base = `/v1.1/instances/${name}/`;
    const count = async () =>
      (await get(`${sent.daily}?instance=${name}`, fresh)).body.objects[0]?.value ?? 0;
    const one = { method: 'GET', path: `${base}classes/` };
    const missing = { method: 'GET', path: `${base}classes/none/` };
    const calls: readonly (readonly [object, number])[] = [
      [{ path: base }, 1],
      [{ path: `${base}classes/` }, 1],
      [{ path: `${base}classes/none/` }, 1],
      [{ path: `${base}classes/`, method: 'OPTIONS' }, 1],
      [{ path: `${base}classes/`, method: 'PUT' }, 1],
      [{ path: `${base}snippets/` }, 1],
      [{ path: `/v1/instances/${name}/classes/` }, 1],
      [{ path: `${base}batch/`, body: { requests: [one, missing, one] } }, 3],
      [{ path: `${base}batch/`, body: { requests: [] } }, 0],
      [{ path: '/v1.1/instances/' }, 0],
      [{ path: sent.daily }, 0],
      [{ path: `${base}classes/`, as: undefined }, 0],
      [{ path: `${base}classes/`, as: apiKey }, 0],
      [{ path: `${base}classes/`, headers: { Accept: 'a/b' } }, 0],
    ];

    for (const [call, expectedCount] of calls) {
      const before = await count();
      await api.send({ as: fresh, path: '', ...call });
      expect((await count()) - before, JSON.stringify(call)).toBe(expectedCount);
    }
  });

  it('is empty for a member who owns no instance', async ({ given: { world, get } }) => {
    const member = await joinAs(world, 'full');

    expect((await get(sent.daily, member)).body).toEqual({ next: null, prev: null, objects: [] });
  });
});

describe('filters', () => {
  const hours = [...first, ...later, ...last];
  it.for([
    ['no filter', '', hours, days],
    ['a first day', 'start=2026-11-19', [...later, ...last], days.slice(2)],
    ['a last day, whose first hour counts alone', 'end=2026-11-19', first, days.slice(0, 3)],
    ['both', 'start=2026-11-19&end=2026-11-20', [...later, ...last], days.slice(2)],
    ['days without usage', 'start=2026-11-21', [], []],
    ['an end before the start', 'start=2026-11-20&end=2026-11-18', [], []],
    ['a source', 'source=run', [last[2]], [days[5]]],
    ['a source in capitals', 'source=CBX', [last[1]], [days[4]]],
    ['an instance', 'instance=shop-1', [first[1], last[3]], [days[1], days[6]]],
    ['an instance that nobody has', 'instance=none-1', [], []],
    ['no total', 'total=no&instance=shop-1', [first[1], last[3]], [days[1], days[6]]],
    ['the newest first', 'ordering=desc', hours.toReversed(), days.toReversed()],
  ] as const)('%s', async ([_, query, hourly, daily], { given: { rows } }) => {
    const own = query.includes('end=') ? query : `${query}&end=2026-11-20`;
    expect(await rows(`${sent.hourly}?${own}`)).toEqual(hourly);
    expect(await rows(`${sent.daily}?${own}`)).toEqual(daily);
  });

  it.for([
    ['an hour is in it whose begin is not before the start', `start=${h2}`, [...later, ...last]],
    ['nor after the end', `end=${h2}`, [...first, ...later]],
    ['a moment within', 'start=2026-11-19T09:00:01Z&end=2026-11-20T00:00:00Z', last],
    ['up to a moment within', 'end=2026-11-19T09:30:00.5Z', [...first, ...later]],
  ] as const)('by the hour, %s', async ([_, query, expectedRows], { given: { rows } }) => {
    const bounded = query.includes('end=') ? query : `${query}&end=2026-11-20T00:00:00Z`;
    expect(await rows(`${sent.hourly}?${bounded}`)).toEqual(expectedRows);
  });

  it.for([
    ['start=', 'start'],
    ['start=2026-02-30', 'start'],
    ['start=yesterday', 'start'],
    ['end=20261118', 'end'],
    ['end=2026-11-18T25:00:00Z', 'end'],
  ] as const)('%s is rejected by its name', async ([query, name], { given: { get } }) => {
    for (const path of Object.values(sent)) {
      const { status, body } = await get(`${path}?${query}`);
      expect([status, Object.keys(body), typeof body[name]]).toEqual([400, [name], 'string']);
    }
  });

  it.for(['source=money', 'source='] as const)(
    '%s is rejected',
    async (query, { given: { get } }) => {
      const { status, body } = await get(`${sent.daily}?${query}`);

      expect([status, body]).toEqual([400, { source: 'Incorrect value.' }]);
    },
  );

  it('a day has no time', async ({ given: { get } }) => {
    const { status, body } = await get(`${sent.daily}?start=${h1}`);

    expect([status, body]).toEqual([400, { start: 'Enter a valid date.' }]);
  });
});

describe('a total', () => {
  it('adds all instances up, and is not paged', async ({ given: { get } }) => {
    const { body } = await get(
      `${sent.daily}?total=true&end=2026-11-20&page_size=1&instance=blog-1`,
    );

    expect(body).toEqual({
      next: null,
      prev: null,
      objects: [
        { date: '2026-11-18', source: 'api', value: 3 },
        { date: '2026-11-19', source: 'api', value: 3 },
        { date: '2026-11-20', source: 'api', value: 9 },
        { date: '2026-11-20', source: 'cbx', value: 3 },
        { date: '2026-11-20', source: 'run', value: 2 },
      ],
    });
  });

  it('has filters and hours as well', async ({ given: { rows } }) => {
    expect(await rows(`${sent.hourly}?total=1&source=api&start=2026-11-19&end=2026-11-20`)).toEqual(
      [`${h2} api 3`, `${h3} api 9`],
    );
  });
});

describe('pages', () => {
  it.for([
    [sent.hourly, 'page_size=1'],
    [sent.hourly, 'page_size=2'],
    [sent.hourly, 'page_size=3&source=api'],
    [sent.hourly, 'page_size=2&ordering=desc'],
    [sent.daily, 'page_size=1'],
    [sent.daily, 'page_size=3&ordering=desc&start=2026-11-19'],
    [sent.daily, 'page_size=1&instance=shop-1&fields=value'],
  ] as const)(
    'of %s?%s link there and back, and keep the filters',
    async ([path, query], { given: { rows, get } }) => {
      const bounded = `${query}&end=2026-11-20`;
      const whole = await rows(`${path}?${bounded.replace(/page_size=\d/, 'page_size=100')}`);
      const there: string[] = [];
      let at: string | null = `${path}?${bounded}`;
      let back: string | null = null;
      while (at !== null) {
        const page: ApiResponse['body'] = expected(await get(at), 200);
        there.push(...page.objects.map((row: object) => Object.values(row).join(' ')));
        back = page.prev;
        at = page.next;
      }
      const returned: string[] = [];
      while (back !== null) {
        const page: ApiResponse['body'] = expected(await get(back), 200);
        returned.unshift(...page.objects.map((row: object) => Object.values(row).join(' ')));
        back = page.prev;
      }

      expect(there).toEqual(whole);
      expect(whole.slice(0, returned.length)).toEqual(returned);
      expect(returned.length).toBeGreaterThan(0);
    },
  );

  it.for(['last_pk=3&direction=1', 'last_pk=3&direction=1&last_value=now'] as const)(
    '%s is rejected',
    async (query, { given: { get } }) => {
      const { status, body } = await get(`${sent.hourly}?${query}`);

      expect([status, body]).toEqual([400, { detail: 'Incorrect page parameter provided.' }]);
    },
  );
});

it('is deleted with its instance', async ({ api, given: { world, get } }) => {
  const fresh = await world.account('gone@example.com');
  const path = '/v1.1/instances/gone-1/';
  expected(await api.send({ as: fresh, path: '/v1.1/instances/', body: { name: 'gone-1' } }), 201);
  const used = async () => (await get(sent.daily, fresh)).body.objects;
  expected(await get(path, fresh), 200);
  expect(await used()).toHaveLength(1);
  const { store } = api.platform;
  const id = await instanceId(store, 'gone-1');
  const rest = async () => (await usageEntity.list(store, [id], { limit: 10 })).items;
  expect(await rest()).toHaveLength(1);

  expected(await api.send({ as: fresh, method: 'DELETE', path }), 204);

  await api.platform.idle();
  expect(await used()).toEqual([]);
  expect(await rest()).toEqual([]);
});

async function setUp(api: Api) {
  async function read({ base }: World, times: number): Promise<void> {
    for (let n = 0; n < times; n += 1) {
      expected(await api.send({ as: owner, path: `${base}classes/` }), 200);
    }
  }
  const get = (path: string, as: string | undefined = owner): Promise<ApiResponse> =>
    api.send({ ...(as !== undefined && { as }), path });
  /** Entries as text, which is shorter. */
  async function rows(path: string): Promise<readonly string[]> {
    return expected(await get(path), 200).objects.map((row: object) =>
      Object.values(row).join(' '),
    );
  }
  const world = await openWorld(api, 'blog-1');
  const owner = world.owner;
  const second = await openInstance(api, 'shop-1', owner);
  const apiKey = await world.apiKey(); // the first request of blog-1
  await read(second, 2);
  clock.forward(23 * 3600);
  await read(world, 3);
  clock.forward(15 * 3600);
  await read(world, 4);
  await read(second, 5);
  api.platform.meter.countRun(1, 1200);
  api.platform.meter.countRun(1, 900);
  clock.forward(48 * 3600); // the tests' own use differs from the data they request
  return { get, world, apiKey, rows };
}
