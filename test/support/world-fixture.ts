import { beforeAll } from 'vitest';
import { type ApiOptions, openWorld, type World } from './api.ts';
import { api, useApi } from './api-fixture.ts';

/** The account of the current file, which owns the instance `blog-1`. */
export let world: World;

/** Starts the platform like {@link useApi}, and opens `world` on it. */
export function useWorld(options: ApiOptions = {}): void {
  useApi(options);
  beforeAll(async () => {
    world = await openWorld(api);
  });
}
