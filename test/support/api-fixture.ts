import { test as base } from 'vitest';
import { type Api, type ApiOptions, openWorld, startApi } from './api.ts';

// of the file that is being collected or run; `test.override` would change all later files of the process
let options: ApiOptions = {};

/** Sets the options of the calling file's platform. To be called at its top, after {@link useApi}. */
export function setOptions(chosen: ApiOptions): void {
  options = chosen;
}

/**
 * The platform of a test file, started before its first test and closed after its last one, and on request an
 * account on it that owns the instance `blog-1`.
 */
export const test = base
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the names of fixtures from the pattern
  .extend('api', { scope: 'file' }, async ({}, { onCleanup }): Promise<Api> => {
    const started = await startApi(options);
    onCleanup(() => started.close());
    return started;
  })
  .extend('world', { scope: 'file' }, ({ api }) => openWorld(api));

/** The platform of the current file, for helpers outside of tests. */
export let api: Api;

/** Sets `api` before the hooks and tests of the calling file; files may share a process. */
export function useApi(): void {
  options = {};
  test.beforeAll(({ api: started }) => {
    api = started;
  });
}
