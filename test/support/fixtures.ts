import { test } from 'vitest';
import { type ApiOptions, openWorld, startApi } from './api.ts';

/** Returns a `test` with the fixture `api`: the platform of the file, started when the first test asks for it. */
export function apiTest(options: ApiOptions = {}) {
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
  return test.extend('api', { scope: 'file' }, async ({}, { onCleanup }) => {
    const api = await startApi(options);
    onCleanup(() => api.close());
    return api;
  });
}

/** Returns a `test` with `api` and `world`: the account of the file, which owns the instance `blog-1`. */
export function worldTest(options: ApiOptions = {}) {
  return apiTest(options).extend('world', { scope: 'file' }, ({ api }) => openWorld(api));
}
