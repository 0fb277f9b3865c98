import { afterEach, describe, expect, vi } from 'vitest';
import { putItem } from '../../shared/store/writes.ts';
import { instanceNameEntity } from '../../shared/table/entities/instances.ts';
import { write } from '../store/fixture.ts';
import { type Api, expected, openWorld, type World } from '../support/api.ts';
import { apiTest } from '../support/fixtures.ts';
import { dataIdOf } from '../support/moved-store.ts';
import { makeEndpoint } from '../support/script-endpoint.ts';

/** Work in other processes carries its owner, because slots are shared between owners. */

const it = apiTest().extend('given', { scope: 'file', auto: true }, ({ api }) => setUp(api));

afterEach(() => vi.restoreAllMocks());

const runsOf: Readonly<Record<string, (given: Given) => Promise<unknown>>> = {
  'of an endpoint': ({ world }) => world.own('GET', 'endpoints/scripts/hello/run/'),
  'by public link': ({ world, publicLink }) => world.api.send({ path: publicLink }),
  'of a script': ({ world }) => world.own('POST', 'snippets/scripts/1/run/', {}),
  'in a batch': ({ world }) =>
    world.own('POST', 'batch/', {
      requests: [{ method: 'GET', path: `${world.base}endpoints/scripts/hello/run/` }],
    }),
};

describe.each(Object.entries(runsOf))('a run %s', (_, start) => {
  it('names the owner of its instance', async ({ api, given }) => {
    const run = vi.spyOn(api.platform.scripts, 'run');

    await start(given);
    await api.platform.idle();

    expect(run.mock.calls).toMatchObject([[given.tenant]]);
  });
});

it('a template that is checked or rendered names the owner of its instance', async ({
  api,
  given: { world, tenant },
}) => {
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
    statuses.push((await world.own(method, path, body)).status);
  }

  expect(statuses).toEqual([200, 200, 200, 200]);
  expect(check.mock.calls).toEqual([['{{ instance }}', tenant]]);
  expect(render.mock.calls.map((given) => given[2])).toEqual([tenant, tenant, tenant]);
});

it('an instance whose name was stored without its owner, or renamed since, has one', async ({
  api,
  given: { world, tenant, publicLink },
}) => {
  const run = vi.spyOn(api.platform.scripts, 'run');
  const { data, key } = await nameRecord(world);
  const { owner: _, ...before } = data;
  await write(api.platform.store, putItem(instanceNameEntity, key, before));
  const name = 'blog-2';
  await api.send({ path: publicLink });

  expected(await world.own('POST', 'rename/', { new_name: name }), 200);
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
  expect((await nameRecord(world)).data).toEqual(data);
});

async function setUp(api: Api) {
  const earlier = { email: 'earlier@example.com', password: 'a password' };
  expected(await api.send({ path: '/v1.1/account/register/', body: earlier }), 201);
  const world = await openWorld(api);
  const owner = expected(await api.send({ as: world.owner, path: '/v1.1/account/' }), 200).id;
  const tenant = { instance: dataIdOf((await nameRecord(world)).data.instance), owner };
  const made = await makeEndpoint(world, 'hello', 'console.log(1)', { public: true });
  const publicLink: string = made.links['public-link'] ?? '';
  const template = { name: 'page', content: '{{ action }}', content_type: 'text/plain' };
  await world.create('snippets/templates/', template);
  return { world, tenant, publicLink };
}

type Given = Awaited<ReturnType<typeof setUp>>;

async function nameRecord({ api, instance }: World) {
  const found = await instanceNameEntity.read(api.platform.store, instance);
  if (found === undefined) throw new Error('the instance has no name');
  return found;
}
