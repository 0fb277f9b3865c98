import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { putItem } from '../../shared/store/writes.ts';
import { instanceNameEntity } from '../../shared/table/entities/instances.ts';
import type { Tenant } from '../../shared/values/tenant.ts';
import { write } from '../store/fixture.ts';
import { expected, openWorld, type World } from '../support/api.ts';
import { api, useApi } from '../support/api-fixture.ts';
import { dataIdOf } from '../support/moved-store.ts';
import { makeEndpoint } from '../support/script-endpoint.ts';

useApi();

/** Work in other processes carries its owner, because slots are shared between owners. */

let world: World;
let tenant: Tenant;
let publicLink: string;

beforeAll(async () => {
  const earlier = { email: 'earlier@example.com', password: 'a password' };
  expected(await api.send({ path: '/v1.1/account/register/', body: earlier }), 201);
  world = await openWorld(api);
  const owner = expected(await api.send({ as: world.owner, path: '/v1.1/account/' }), 200).id;
  tenant = { instance: dataIdOf((await nameRecord()).data.instance), owner };
  const made = await makeEndpoint(world, 'hello', 'console.log(1)', { public: true });
  publicLink = made.links['public-link'] ?? '';
  const template = { name: 'page', content: '{{ action }}', content_type: 'text/plain' };
  expected(await world.call(world.owner, 'POST', 'snippets/templates/', template), 201);
});
afterEach(() => vi.restoreAllMocks());

async function nameRecord() {
  const found = await instanceNameEntity.read(api.platform.store, world.instance);
  if (found === undefined) throw new Error('the instance has no name');
  return found;
}

const runsOf: Readonly<Record<string, () => Promise<unknown>>> = {
  'of an endpoint': () => world.call(world.owner, 'GET', 'endpoints/scripts/hello/run/'),
  'by public link': () => api.send({ path: publicLink }),
  'of a script': () => world.call(world.owner, 'POST', 'snippets/scripts/1/run/', {}),
  'in a batch': () =>
    world.call(world.owner, 'POST', 'batch/', {
      requests: [{ method: 'GET', path: `${world.base}endpoints/scripts/hello/run/` }],
    }),
};

describe.each(Object.entries(runsOf))('a run %s', (_, start) => {
  it('names the owner of its instance', async () => {
    const run = vi.spyOn(api.platform.scripts, 'run');

    await start();
    await api.platform.idle();

    expect(run.mock.calls).toMatchObject([[tenant]]);
  });
});

it('a template that is checked or rendered names the owner of its instance', async () => {
  const check = vi.spyOn(api.platform.templates, 'check');
  const render = vi.spyOn(api.platform.templates, 'render');
  const page = { template_response: 'page' };
  const asked = [
    ['PATCH', 'snippets/templates/page/', { content: '{{ instance }}' }],
    ['POST', 'snippets/templates/page/render/', {}],
    ['GET', `endpoints/scripts/hello/run/?${new URLSearchParams(page)}`],
    ['GET', `classes/?${new URLSearchParams(page)}`],
  ] as const;

  const statuses = [];
  for (const [method, path, body] of asked) {
    statuses.push((await world.call(world.owner, method, path, body)).status);
  }

  expect(statuses).toEqual([200, 200, 200, 200]);
  expect(check.mock.calls).toEqual([['{{ instance }}', tenant]]);
  expect(render.mock.calls.map((given) => given[2])).toEqual([tenant, tenant, tenant]);
});

it('an instance whose name was stored without its owner, or renamed since, has one', async () => {
  const run = vi.spyOn(api.platform.scripts, 'run');
  const { data, key } = await nameRecord();
  const { owner: _, ...before } = data;
  await write(api.platform.store, putItem(instanceNameEntity, key, before));
  const name = 'blog-2';
  await api.send({ path: publicLink });

  expected(await world.call(world.owner, 'POST', 'rename/', { new_name: name }), 200);
  await api.send({ path: publicLink.replace(world.instance, name) });
  expected(
    await api.send({
      as: world.owner,
      path: `/v1.1/instances/${name}/rename/`,
      body: { new_name: world.instance },
    }),
    200,
  );

  expect(run.mock.calls).toMatchObject([[tenant], [tenant]]);
  expect((await nameRecord()).data).toEqual(data);
});
