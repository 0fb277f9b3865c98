import { defineConfig } from 'vitest/config';
import { workers } from './test/support/workers.ts';

/** Items of a batch that list what an item before them has made. */
const scenarios = ['a query keeps its letters', 'a user key goes to every item'];

/** The API suite on a store whose index reads lack the last writes. */
export default defineConfig({
  test: {
    include: ['test/api/**/*.test.ts'],
    exclude: [
      'test/api/background*.test.ts', // these two assert what stands in the indexes
      'test/api/object-indexes.test.ts',
      'test/api/soak.test.ts', // the same
      'test/api/query-reads.test.ts', // counts what is read of an index of 100,000 objects
    ],
    testNamePattern: new RegExp(`^(?!.*(${scenarios.join('|')}))`),
    env: { TEST_MEDIUM: 'late' }, // read by test/support/api.ts
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: workers,
  },
});
