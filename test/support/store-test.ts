import { test } from 'vitest';
import { temporaryStore } from './temporary.ts';

/** A `test` with the fixture `store`: an empty one for each test, without a platform. */
export const storeTest = test.extend('store', temporaryStore());
