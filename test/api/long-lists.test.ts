import { describe, expect } from 'vitest';
import { routes } from '../../functions/api.ts';
import { createDispatch } from '../../shared/core/pipeline/dispatch.ts';
import type { Share } from '../../shared/ports/limits/fair-queue.ts';
import { createItem } from '../../shared/store/writes.ts';
import { usernameEntity } from '../../shared/table/entities/users.ts';
import { encodeText } from '../../shared/table/index-keys.ts';
import { responseTemplates } from '../../shared/templates/response-templates.ts';
import type { Json } from '../../shared/values/json/json.ts';
import type { Api, World } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';
import { instanceId } from '../support/stored-records.ts';

/* The cost of lists other than lists of objects. */

const it = worldTest().extend('given', { scope: 'file', auto: true }, ({ world }) => setUp(world));

const tooLong = { detail: 'Requested query took too long. Timeout was reached.' };

describe('users with a name prefix', () => {
  it('are searched among ten thousand names at most, as in any list', async ({ world }) => {
    const response = await world.own('GET', 'users/?username__startswith=crowd');

    expect([response.status, response.body]).toEqual([408, tooLong]);
  });

  it('are found where there are fewer', async ({ world }) => {
    const response = await world.own('GET', 'users/?username__startswith=few');

    expect([response.status, response.body.objects]).toEqual([200, []]);
  });
});

it('searches and passwords in all instances of an account share the limit of one owner', async ({
  api,
  world,
}) => {
  const shares: Share[] = [];
  const send = watched(api, (share) => shares.push(share));
  const account = await world.account('owner-of-two@example.com');
  const names = ['one-of-two', 'other-of-two'];
  for (const name of names) {
    await api.send({ as: account, path: '/v1.1/instances/', body: { name } });
  }
  for (const name of names) {
    const base = `/v1.1/instances/${name}/`;
    const statuses = [
      await send(account, 'GET', `${base}classes/user_profile/objects/`),
      await send(account, 'GET', `${base}users/?username__startswith=few`),
      await send(account, 'POST', `${base}users/`, {
        username: 'somebody',
        password: 'a password',
      }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 201]);
  }

  expect([shares.length, new Set(shares.map(({ owner }) => owner)).size]).toEqual([6, 1]);
  const instances = shares.map(({ instance }) => instance);
  expect(instances).toEqual([...Array(3).fill(instances[0]), ...Array(3).fill(instances[3])]);
  expect(instances[0]).not.toBe(instances[3]);
});

it('all lists of a batch share one time budget, and each batch has its own', async ({
  api,
  world,
}) => {
  await world.dataClass('book', []);
  const budgets: unknown[] = [];
  const send = watched(api, (_, budget) => budgets.push(budget));
  const item = { method: 'GET', path: `${world.base}classes/book/objects/` };
  const batch = () =>
    send(world.owner, 'POST', `${world.base}batch/`, { requests: [item, item, item] });

  await batch();
  await batch();

  const [first, , , second] = budgets;
  expect(budgets).toEqual(Array(6).fill({ leftMs: expect.any(Number) }));
  expect(budgets.map((one) => [one === first, one === second])).toEqual([
    ...Array(3).fill([true, false]),
    ...Array(3).fill([false, true]),
  ]);
});

async function setUp(world: World) {
  await plantNames(world, 'crowd', 10_001);
  await plantNames(world, 'few', 3);
}

/** Writes names of users directly into the store, without the users, who are read only when they are returned. */
async function plantNames(world: World, prefix: string, count: number): Promise<void> {
  const { store, ids } = world.api.platform;
  const instance = await instanceId(store, world.instance);
  for (let first = 0; first < count; first += 100) {
    const writes = Array.from({ length: Math.min(100, count - first) }, (_, at) => {
      const key = usernameEntity.key(instance, encodeText(`${prefix}-${first + at}`));
      return createItem(usernameEntity, key, { user: first + at + 1 });
    });
    const change = { actor: {}, cause: 'maintenance', depth: 0 } as const;
    await store.write({ id: ids.random(), change, writes });
  }
}

/** Sends requests to a platform whose methods to open scans and to run passwords are watched. */
function watched(api: Api, seen: (share: Share, budget?: unknown) => void) {
  const { scans, passwords } = api.platform;
  const dispatch = createDispatch(
    routes,
    {
      ...api.platform,
      scans: {
        open: (...[share, budget]: Parameters<typeof scans.open>) => {
          seen(share, budget);
          return scans.open(share, budget);
        },
      },
      passwords: {
        ...passwords,
        run: (...[job, share]: Parameters<typeof passwords.run>) => {
          seen(share);
          return passwords.run(job, share);
        },
      },
    },
    { renderer: responseTemplates },
  );
  return (as: string, method: string, path: string, value: Json = null) =>
    dispatch({
      id: 'test',
      method,
      sourceAddress: '127.0.0.1',
      headers: { 'x-api-key': as },
      path: path.split('?')[0] ?? '',
      query: new URLSearchParams(path.split('?')[1]),
      body: { kind: 'json', value },
    });
}
