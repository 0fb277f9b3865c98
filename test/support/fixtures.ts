import { test } from 'vitest';
import type { Store } from '../../shared/store/store.ts';
import { type ApiOptions, openWorld, startApi } from './api.ts';

/** Options of the platform of a file; `wrap` returns what tests receive as `store`. */
export interface FixtureOptions<Wrapped extends Store> extends ApiOptions {
  readonly wrap?: (store: Store) => Wrapped;
}

/**
 * Returns a `test` with the fixtures `api`, the platform of the file, and `store`, its wrapped store. The platform
 * starts when the first test requests it.
 */
export function apiTest<Wrapped extends Store = Store>(options: FixtureOptions<Wrapped> = {}) {
  const { wrap } = options;
  const stores: Wrapped[] = [];
  return (
    test
      // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
      .extend('api', { scope: 'file' }, async ({}, { onCleanup }) => {
        const api = await startApi({
          ...options,
          ...(wrap && {
            wrap: (inner: Store) => {
              const wrapped = wrap(inner);
              stores[0] = wrapped;
              return wrapped;
            },
          }),
        });
        onCleanup(() => api.close());
        return api;
      })
      .extend('store', { scope: 'file' }, ({ api: _ }) => {
        const [store] = stores;
        if (store === undefined) throw new Error('the options of this file wrap no store');
        return store;
      })
  );
}

/** Returns a `test` with `api` and `world`: the account of the file, which owns the instance `blog-1`. */
export function worldTest<Wrapped extends Store = Store>(options: FixtureOptions<Wrapped> = {}) {
  return apiTest(options).extend('world', { scope: 'file' }, ({ api }) => openWorld(api));
}

/** Returns a `test` whose `world` is another account and instance for each test: `<prefix>-1`, `<prefix>-2` and so on. */
export function newWorldTest<Wrapped extends Store = Store>(
  prefix: string,
  options: FixtureOptions<Wrapped> = {},
) {
  let count = 0;
  return apiTest(options).extend('world', ({ api }) => {
    count += 1;
    return openWorld(api, `${prefix}-${count}`);
  });
}

/** Returns a `test` with another platform for each test: `api`, and `world` on it. */
export function newApiTest(options: ApiOptions = {}) {
  return (
    test
      // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
      .extend('api', async ({}, { onCleanup }) => {
        const api = await startApi(options);
        onCleanup(() => api.close());
        return api;
      })
      .extend('world', ({ api }) => openWorld(api))
  );
}
