import { beforeEach, describe, expect, onTestFinished } from 'vitest';
import { openClock } from '../../shared/ports/clock.ts';
import { type ApiResponse, expected, openWorld, startApi, type World } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { openMovedClock } from '../support/moved-clock.ts';
import { noClass } from '../support/responses.ts';
import { makeEndpoint } from '../support/script-endpoint.ts';

const rate = 60;
const clock = openMovedClock();

const it = worldTest({ clock, settings: { instanceRate: rate } }).extend(
  'given',
  { scope: 'file', auto: true },
  ({ world }) => setUp(world),
);

const throttled = { detail: 'Request was throttled. Expected available in 1 second.' };

beforeEach(() => clock.forward(1));

describe('an instance', () => {
  it('has a limit of requests per second, for all callers together', async ({
    world,
    given: { spend, apiKey },
  }) => {
    const within = await spend(rate);

    const responses = [
      await world.own('GET', ''),
      await world.call(apiKey, 'OPTIONS', 'classes/'),
      await world.call(apiKey, 'POST', 'classes/book/objects/', '{'),
    ];

    expect(new Set(within)).toEqual(new Set([200]));
    expect(responses.map(({ status, body }) => ({ status, body }))).toEqual([
      { status: 429, body: throttled },
      { status: 429, body: throttled },
      { status: 404, body: noClass },
    ]);
    expect(responses[0]?.headers.get('retry-after')).toBe('1');
  });

  it('has the same limit for its public links', async ({ api, world, given: { spend } }) => {
    const { links } = await makeEndpoint(world, 'door', '', { public: true });
    clock.forward(1);
    await spend(rate - 1);
    const path = links['public-link'] ?? '';

    const responses = [await api.send({ path }), await api.send({ path })];

    expect(responses.map(({ status }) => status)).toEqual([200, 429]);
  });

  it('has the full limit again in the next second', async ({ given: { spend } }) => {
    await spend(rate + 1);
    clock.forward(1);

    expect(await spend(1)).toEqual([200]);
  });

  it('does not use the limit of another, nor of requests outside of instances', async ({
    api,
    world,
    given: { spend, other },
  }) => {
    await spend(rate + 1);

    const responses = [
      await other.own('GET', 'classes/'),
      await api.send({ as: world.owner, path: '/v1.1/instances/' }),
      await api.send({ path: '/v1.1/schema/' }),
    ];

    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('rejects unauthorized callers before it counts: they cannot use up the limit', async ({
    world,
    given: { spend },
  }) => {
    for (let n = 0; n < rate; n += 1) await world.call(undefined, 'GET', 'classes/');

    expect(await spend(1)).toEqual([200]);
  });
});

describe('the order of checks', () => {
  it.for([
    ['a missing instance first', () => ({ path: '/v1.1/instances/none-1/classes/' }), 404],
    ['then a bad key', ({ world }: Given) => ({ path: `${world.base}classes/`, as: '00' }), 403],
    ['then rights', ({ world }: Given) => ({ path: `${world.base}classes/` }), 403],
    [
      'then too many calls',
      ({ world, apiKey }: Given) => ({ path: `${world.base}classes/`, as: apiKey }),
      429,
    ],
    [
      'then the method',
      ({ world }: Given) => ({ path: `${world.base}classes/`, as: world.owner, method: 'PUT' }),
      429,
    ],
    [
      'then the body',
      ({ world }: Given) => ({ path: `${world.base}classes/`, as: world.owner, body: '{' }),
      429,
    ],
  ] as const)('%s', async ([_, call, status], { given, api, given: { spend } }) => {
    await spend(rate);

    expect((await api.send(call(given))).status).toBe(status);
  });
});

it.for([
  ['each item of a batch is a request', 'GET', 'classes/', 200],
  ['so are concurrent creations', 'POST', 'classes/counted/objects/', 201],
] as const)(
  '%s, and can exceed the limit',
  async ([_, method, path, code], { world, given: { spend, apiKey } }) => {
    if (method === 'POST') await world.dataClass('counted', []);
    clock.forward(1);
    const item = { method, path: world.base + path };
    await spend(rate - 3);

    const response = await world.call(apiKey, 'POST', 'batch/', { requests: [item, item, item] });

    expect(expected(response, 200)).toMatchObject([
      { code },
      { code },
      { code: 429, content: throttled },
    ]);
  },
);

it('a batch of fifty fits', async ({ world, given: { apiKey } }) => {
  const item = { method: 'GET', path: `${world.base}classes/` };

  const response = await world.call(apiKey, 'POST', 'batch/', { requests: Array(50).fill(item) });

  const codes = expected(response, 200).map(({ code }: { code: number }) => code);
  expect(new Set(codes)).toEqual(new Set([200]));
});

it('rejected requests are not counted in usage', async ({ api, given: { other } }) => {
  const owner = await other.account('fresh@example.com');
  const name = 'counted-1';
  expected(await api.send({ as: owner, path: '/v1.1/instances/', body: { name } }), 201);
  clock.forward(1);

  for (let n = 0; n < rate + 5; n += 1) {
    await api.send({ as: owner, path: `/v1.1/instances/${name}/classes/` });
  }

  const { body } = await api.send({ as: owner, path: '/v1.1/usage/daily/' });
  expect(body.objects).toEqual([expect.objectContaining({ source: 'api', value: rate })]);
});

it('a second passes also when the clock of the machine is set back', async () => {
  const time = { wall: Date.now(), steady: 0 };
  const moved = openClock({ wallMs: () => time.wall, steadyMs: () => time.steady });
  const bounded = await startApi({ clock: moved, settings: { instanceRate: rate } });
  onTestFinished(() => bounded.close());
  const calm = await openWorld(bounded);
  const call = async () => (await calm.own('GET', 'classes/')).status;
  const passed = (ms: number) => {
    time.wall += ms;
    time.steady += ms;
  };
  passed(1000);
  for (let n = 0; n < rate; n += 1) await call();

  time.wall -= 600_000;
  passed(10);
  const statuses = [await call()];
  passed(1000);
  statuses.push(await call());

  expect(statuses).toEqual([429, 200]);
});

it('there is no limit unless one is set', async () => {
  const free = await startApi({ clock });
  onTestFinished(() => free.close());
  const calm = await openWorld(free);

  const responses = [];
  for (let n = 0; n < 200; n += 1) responses.push(await calm.own('GET', 'classes/'));

  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
});

async function setUp(world: World) {
  const { api } = world;
  async function spend(calls: number): Promise<readonly number[]> {
    const responses: ApiResponse[] = [];
    for (let n = 0; n < calls; n += 1) responses.push(await world.call(apiKey, 'GET', 'classes/'));
    return responses.map(({ status }) => status);
  }
  const other = await openWorld(api, 'blog-2');
  const apiKey = await world.apiKey({ ignore_acl: true });
  return { spend, apiKey, other, world };
}

type Given = Awaited<ReturnType<typeof setUp>>;
