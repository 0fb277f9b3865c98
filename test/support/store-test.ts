import { test } from 'vitest';
import { openTemporaryStore } from '../../shared/platforms/local/store/store.ts';

/** A `test` with the fixture `store`: an empty one for each test, without a platform. */
export const storeTest = test.extend(
  'store',
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
  async ({}, { onCleanup }) => {
    const store = await openTemporaryStore({ now: Date.now });
    onCleanup(() => store.close());
    return store;
  },
);
