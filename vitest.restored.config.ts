import { defineConfig } from 'vitest/config';
import { workers } from './test/support/workers.ts';

/** Files that could not have another result: they ask about texts, headers and bodies, or start servers of their own. */
const sameAfterRestore = [
  'test/api/{costly-bodies,error-codes,ignored-names,operation-names,options}.test.ts',
  'test/api/{response-headers,root,schema,schema-laws,adapters,durability}.test.ts',
];

/** The API suite with instances whose data id is not their id. Single tests are skipped by test/support/medium.ts. */
export default defineConfig({
  test: {
    include: ['test/api/**/*.test.ts'],
    exclude: [
      ...sameAfterRestore,
      'test/api/soak.test.ts',
      // a process that has cached nothing takes the instance id for the data id, which costs it one more read
      'test/api/round-trips.test.ts',
      'test/api/isolation.test.ts', // spells the partitions of an instance
    ],
    env: { TEST_MEDIUM: 'restored' }, // read by test/support/medium.ts
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: workers,
    isolate: false, // files that share a process load the sources once
  },
});
