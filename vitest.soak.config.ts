import { defineConfig } from 'vitest/config';
import { load, sampled, slow, tables } from './test/support/tiers.ts';
import { workers } from './test/support/workers.ts';

/** What `npm test` leaves out, or takes a sample of. Nothing else should run beside the project `load`. */
export default defineConfig({
  test: {
    env: {
      TEST_SOAK: 'true', // read by test/support/sample.ts
      GROUNDWORK_PUSH_MODE: 'outbox', // no server of a test sends pushes, unless the test says where to
    },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: workers,
    projects: [
      { extends: true, test: { name: 'load', include: load } },
      { extends: true, test: { name: 'slow', include: slow } },
      { extends: true, test: { name: 'tables', include: [...tables, ...sampled], exclude: load } },
      {
        extends: true,
        test: {
          name: 'imported', // the original client in an instance with imported records
          include: ['test/client/syncano.test.ts'],
          env: { TEST_IMPORTED: 'true' }, // read by test/support/client-calls.ts
        },
      },
    ],
  },
});
