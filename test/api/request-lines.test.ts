import { expect, it } from 'vitest';
import { api } from '../support/api-fixture.ts';
import { useWorld, world } from '../support/world-fixture.ts';

useWorld();

/** Returns what the line of the last request says of its path. */
async function lineOf(call: Parameters<typeof api.send>[0]) {
  await api.send(call);
  const lines = api.logged.filter(({ message }) => message === 'request');
  const { method, family, route } = { ...lines.at(-1) } as Record<string, unknown>;
  return { count: lines.length, line: { method, family, route } };
}

it.each([
  ['GET', 'classes/', 'classes', '/v1.1/instances/{instance}/classes/'],
  ['PATCH', 'classes/nothing/', 'classes', '/v1.1/instances/{instance}/classes/{class}/'],
  ['OPTIONS', 'triggers/7/', 'triggers', '/v1.1/instances/{instance}/triggers/{id}/'],
])(
  'the line of %s %s has the family and the template of its path',
  async (method, below, ...of) => {
    const { line } = await lineOf({ as: world.owner, method, path: world.base + below });

    const [family, route] = of;
    expect(line).toEqual({ method, family, route });
  },
);

it('so has that of a request without a key, of the root, and of an older version', async () => {
  const path = '/v1/instances/blog-1/codeboxes/';
  const { line } = await lineOf({ path });

  expect(line).toEqual({
    method: 'GET',
    family: 'scripts',
    route: '/v1/instances/{instance}/codeboxes/',
  });
  expect((await lineOf({ path: '/' })).line).toEqual({ method: 'GET', family: 'root', route: '/' });
});

it('so has that of a request with another method in its body or headers', async () => {
  const { line } = await lineOf({
    as: world.owner,
    method: 'POST',
    path: `${world.base}api_keys/`,
    headers: { 'X-HTTP-Method-Override': 'GET' },
  });

  expect(line).toMatchObject({ family: 'api-keys', route: '/v1.1/instances/{instance}/api_keys/' });
});

it('an unknown path has neither', async () => {
  const { line } = await lineOf({ as: world.owner, path: `${world.base}nothing/` });

  expect(line).toEqual({ method: 'GET', family: undefined, route: undefined });
});

it('a batch is one line, of the batch', async () => {
  const { count: before } = await lineOf({ path: '/' });
  const requests = [{ method: 'GET', path: `${world.base}classes/` }];
  const { count, line } = await lineOf({
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
