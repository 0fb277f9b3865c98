import { defineConfig } from 'vitest/config';
import { workers } from './test/support/workers.ts';

/**
 * What takes minutes: attacks and shares under load, a minute of mixed requests, and generated tables as a whole, of
 * which other runs take a sample.
 */
export default defineConfig({
  test: {
    include: [
      'test/soak/*.test.ts',
      'test/api/{isolation,laws,query-model,query-reads,soak}.test.ts',
      'test/scripts/{cases,python-cases,fairness,mixed-traffic}.test.ts',
      'test/local/proxies.test.ts',
      'test/pages/{browsing,foreign-pages,quickstart}.test.ts',
      'test/local/full-disk.test.ts',
    ],
    env: { TEST_SOAK: 'true' }, // read by test/support/sample.ts
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: workers,
  },
});
