import { defineConfig } from 'vitest/config';
import { workers } from './test/support/workers.ts';

/** The API suite on a store whose index reads lack the last writes. Single tests are skipped by test/support/medium.ts. */
export default defineConfig({
  test: {
    include: ['test/api/**/*.test.ts'],
    exclude: [
      // these read the index entries of the last writes
      'test/api/background*.test.ts',
      'test/api/object-indexes.test.ts',
      'test/api/soak.test.ts',
      'test/api/query-reads.test.ts', // counts the reads of an index of 100,000 objects
      // these start platforms or servers of their own, which are the same on each medium
      'test/api/adapters.test.ts',
      'test/api/{durability,script-crash,trigger-crash}.test.ts',
      'test/api/push-send.test.ts',
    ],
    env: { TEST_MEDIUM: 'late' }, // read by test/support/medium.ts
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: workers,
    isolate: false, // files that share a process load the sources once
  },
});
