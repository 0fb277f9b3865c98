import { defineConfig } from 'vitest/config';
import { workers } from './test/support/workers.ts';

/**
 * Files that are left out, because another store could not change a result: they ask about paths, texts, headers,
 * bodies and rights, which are settled before an operation or after it, or start platforms and servers of their own.
 */
const sameOnEachStore = [
  // every path with every caller, and invalid values in every field
  'test/api/{hostile,isolation,laws,rights}.test.ts',
  'test/api/{costly-bodies,error-codes,ignored-names,order-of-checks,projection}.test.ts',
  'test/api/{operation-names,options,root,schema,schema-laws}.test.ts',
  // pages, templates, headers, and what scripts receive and return
  'test/api/{pages,rendering,response-headers,script-endpoint-runs}.test.ts',
  // platforms or servers of their own
  'test/api/{adapters,durability,push-send,script-crash}.test.ts',
];

/** The API suite on a store whose index reads lack the last writes. Single tests are skipped by test/support/medium.ts. */
export default defineConfig({
  test: {
    include: ['test/api/**/*.test.ts'],
    exclude: [
      ...sameOnEachStore,
      // these read the index entries of the last writes
      'test/api/background*.test.ts',
      'test/api/object-indexes.test.ts',
      'test/api/soak.test.ts',
      'test/api/query-reads.test.ts', // counts the reads of an index of 100,000 objects
    ],
    env: { TEST_MEDIUM: 'late' }, // read by test/support/medium.ts
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: workers,
    isolate: false, // files that share a process load the sources once
  },
});
