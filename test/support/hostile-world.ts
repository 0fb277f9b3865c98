import { expect } from 'vitest';
import type { Call } from './api.ts';
import { openFilledWorld } from './filled-world.ts';
import { apiTest } from './fixtures.ts';
import { lawful } from './lawful.ts';
import { watch } from './watched-store.ts';

const untouched = new Set(Reflect.ownKeys(Object.prototype));

/**
 * Returns a `test` with the platform, `world`, its account with one of every resource in `blog-1`, `call` and
 * `attack`; after each test, nothing that all requests share may be damaged.
 */
export function hostileTest() {
  const it = apiTest({ settings: { maxClasses: 10_000, maxInstances: 10_000 }, wrap: watch })
    .extend('world', { scope: 'file' }, ({ api }) => openFilledWorld(api, 'blog-1', 'marker'))
    // sends a request, whose response must keep the common rules
    .extend('call', { scope: 'file' }, ({ api, world: _ }) => lawful(api))
    // the same by the owner, unless it names another caller; an error response must not have changed anything
    .extend('attack', { scope: 'file' }, ({ store, world, call }) => async (sent: Call) => {
      const before = store.commits;
      const response = await call({ as: world.owner, ...sent });
      // expect is called for a difference alone, because it takes time
      if (response.status >= 400 && store.commits !== before)
        expect.fail(`${sent.method} ${sent.path}: ${response.status}, and a change`);
      return response;
    });
  it.afterEach(async ({ api, world, call }) => {
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(new Set(Reflect.ownKeys(Object.prototype))).toEqual(untouched);
    expect(api.logged.filter(({ level }) => level === 'error')).toEqual([]);
    // and the next attempts use a valid key
    expect((await call({ as: world.owner, path: world.base })).status).toBe(200);
  });
  return it;
}
