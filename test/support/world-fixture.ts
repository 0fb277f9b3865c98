import type { World } from './api.ts';
import { test, useApi } from './api-fixture.ts';

/** The world of the current file, for helpers outside of tests. */
export let world: World;

/** Sets `api` and `world` before the hooks and tests of the calling file; files may share a process. */
export function useWorld(): void {
  useApi();
  test.beforeAll(({ world: opened }) => {
    world = opened;
  });
}
