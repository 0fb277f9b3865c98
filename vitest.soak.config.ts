import { defineConfig } from 'vitest/config';
import { workers } from './test/support/workers.ts';

/** What limits times, or does as much as it can in some time: attacks and shares under load, a minute of mixed requests. */
const load = [
  'test/soak/{attacks,background-crash,server-end,shares,shifted-clock,trigger-crash}.test.ts',
  'test/api/soak.test.ts',
  'test/scripts/{fairness,mixed-traffic}.test.ts',
];

/** Generated tables as a whole, of which other runs take a sample, and what needs other programs. */
const tables = [
  'test/soak/*.test.ts',
  'test/api/{isolation,kept-values,laws,query-model,query-reads}.test.ts',
  'test/scripts/{cases,folder-faults,python-cases}.test.ts',
  'test/local/{proxies,slow-clients}.test.ts',
  'test/pages/{browsing,foreign-pages,quickstart,reference,views}.test.ts',
  'test/console/*.test.ts',
  'test/local/full-disk.test.ts',
];

/** What takes minutes. Nothing else should run beside the project `load`. */
export default defineConfig({
  test: {
    env: { TEST_SOAK: 'true' }, // read by test/support/sample.ts
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: workers,
    projects: [
      { extends: true, test: { name: 'load', include: load } },
      { extends: true, test: { name: 'tables', include: tables, exclude: load } },
    ],
  },
});
