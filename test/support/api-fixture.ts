import { afterAll, beforeAll } from 'vitest';
import { type Api, type ApiOptions, startApi } from './api.ts';

/** The platform of the current file. */
export let api: Api;

/** Starts the platform before the tests of the calling file, which may share its process, and closes it after them. */
export function useApi(options: ApiOptions = {}): void {
  let started: Api | undefined;
  beforeAll(async () => {
    started = await startApi(options);
    api = started;
  });
  afterAll(() => started?.close());
}
