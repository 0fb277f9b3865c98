import { expect, test } from 'vitest';
import { api, routes } from '../../functions/api.ts';
import { lazyRoutes } from '../../shared/core/routing/lazy-routes.ts';
import { createRouter, type Match } from '../../shared/core/routing/router.ts';
import { samplePaths } from '../support/sample-paths.ts';

const whole = createRouter(routes);

/** The whole map, and the names of the families in the order in which they are loaded. */
function openMap() {
  const loads: string[] = [];
  const families = api.map((family) => ({
    paths: family.routes.map(({ paths, isRoot }) => ({ paths, ...(isRoot && { isRoot }) })),
    load: async () => {
      loads.push(family.name);
      return family;
    },
  }));
  return { ...lazyRoutes(families), loads };
}

test.each(routes.flatMap(samplePaths))('%s has the route that the whole map has', async (path) => {
  const { router, loads } = openMap();

  const match = await router(path);

  expect(match).toEqual(whole(path));
  expect(loads).toEqual([match?.route.family]);
});

test('a path has this route whatever its names are, and whichever families are loaded', async () => {
  const { router } = openMap();
  const templates = routes.flatMap(({ paths }) =>
    Object.entries(paths).map(([version, path]) => `/${version}${path}`),
  );
  const words = new Set(templates.flatMap((path) => path.split('/').slice(4)));
  const paths = templates.flatMap((path) =>
    [...words].map((word) => path.replace('{instance}', 'a').replace(/\{\w+\}/g, word)),
  );

  const wrong: string[] = [];
  for (const path of paths) {
    if (summary(await router(path)) !== summary(whole(path))) wrong.push(path);
  }

  expect(wrong).toEqual([]);
});

function summary(match: Match | undefined): string {
  const { route, version, params } = match ?? {};
  return JSON.stringify([route?.family, route?.paths, version, params]);
}

test.each(['/v1.1/nothing/', '/v2/instances/', '/v1.1/instances', '', 'v1.1/'])(
  '%j is no path, and loads no family',
  (path) => {
    const { router, loads } = openMap();

    expect(router(path)).toBeUndefined();
    expect(loads).toEqual([]);
  },
);

test('a family is loaded once, and then its routes are found at once', async () => {
  const { router, loads } = openMap();
  const [list, item] = ['/v1.1/instances/a/classes/', '/v1.1/instances/a/classes/b/'];

  const first = await router(list);

  expect(router(list)).toEqual(first);
  expect(router(item)).toEqual(whole(item));
  expect(loads).toEqual(['classes']);
});

test('routes that are loaded in parallel are the same', async () => {
  const { router, all } = openMap();
  const path = '/v1.1/instances/a/classes/';

  const [first, second, list] = await Promise.all([router(path), router(path), all()]);

  expect(second?.route).toBe(first?.route);
  expect(list).toContain(first?.route);
});

test('all routes are those of the map, in one list', async () => {
  const { all } = openMap();

  const list = await all();

  expect(list).toEqual(routes);
  expect(await all()).toBe(list);
});

test('a family that failed to load is loaded again', async () => {
  let isBroken = true;
  const [root] = api;
  if (root === undefined) throw new Error('the map is empty');
  const load = async () => {
    if (isBroken) throw new Error('no code');
    return root;
  };
  const { router } = lazyRoutes([{ paths: root.routes, load }]);
  await expect(router('/v1/')).rejects.toThrow('no code');
  isBroken = false;

  expect(await router('/v1/')).toMatchObject({ version: 'v1', route: { family: root.name } });
});
