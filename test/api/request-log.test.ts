import { expect } from 'vitest';
import type { Api } from '../support/api.ts';
import { worldTest } from '../support/fixtures.ts';

const it = worldTest();

it.for([
  ['GET', 'classes/', 'classes', '/v1.1/instances/{instance}/classes/'],
  ['PATCH', 'classes/nothing/', 'classes', '/v1.1/instances/{instance}/classes/{class}/'],
  ['OPTIONS', 'triggers/7/', 'triggers', '/v1.1/instances/{instance}/triggers/{id}/'],
] as const)(
  'the line of %s %s has the family and the template of its path',
  async ([method, below, ...of], { api, world }) => {
    const { line } = await lineOf(api, { as: world.owner, method, path: world.base + below });

    const [family, route] = of;
    expect(line).toEqual({ method, family, route });
  },
);

it('so has that of a request without a key, of the root, and of an older version', async ({
  api,
}) => {
  const path = '/v1/instances/blog-1/codeboxes/';
  const { line } = await lineOf(api, { path });

  expect(line).toEqual({
    method: 'GET',
    family: 'scripts',
    route: '/v1/instances/{instance}/codeboxes/',
  });
  expect((await lineOf(api, { path: '/' })).line).toEqual({
    method: 'GET',
    family: 'root',
    route: '/',
  });
});

it('so has that of a request with another method in its body or headers', async ({
  api,
  world,
}) => {
  const { line } = await lineOf(api, {
    as: world.owner,
    method: 'POST',
    path: `${world.base}api_keys/`,
    headers: { 'X-HTTP-Method-Override': 'GET' },
  });

  expect(line).toMatchObject({ family: 'api-keys', route: '/v1.1/instances/{instance}/api_keys/' });
});

it('an unknown path has neither', async ({ api, world }) => {
  const { line } = await lineOf(api, { as: world.owner, path: `${world.base}nothing/` });

  expect(line).toEqual({ method: 'GET', family: undefined, route: undefined });
});

it('a batch is one line, of the batch', async ({ api, world }) => {
  const { count: before } = await lineOf(api, { path: '/' });
  const requests = [{ method: 'GET', path: `${world.base}classes/` }];
  const { count, line } = await lineOf(api, {
    as: world.owner,
    method: 'POST',
    path: `${world.base}batch/`,
    body: { requests },
  });

  expect(count).toBe(before + 1);
  expect(line).toEqual({
    method: 'POST',
    family: 'batch',
    route: '/v1.1/instances/{instance}/batch/',
  });
});

/** Returns what the line of the last request says of its path. */
async function lineOf(api: Api, call: Parameters<typeof api.send>[0]) {
  await api.send(call);
  const lines = api.logged.filter(({ message }) => message === 'request');
  const { method, family, route } = { ...lines.at(-1) } as Record<string, unknown>;
  return { count: lines.length, line: { method, family, route } };
}
