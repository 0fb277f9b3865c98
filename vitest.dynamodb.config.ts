import { defineConfig } from 'vitest/config';
import { hasEndpoint } from './test/aws-emulator/dynamodb-local.ts';
import { sameOnEachStore } from './test/support/same-on-each-store.ts';
import { workers } from './test/support/workers.ts';

const suites = ['test/store/dynamodb.test.ts', 'test/api/**/*.test.ts'];

/** The store's suite and the API suite on DynamoDB. Single tests are skipped by test/support/medium.ts. */
export default defineConfig({
  test: {
    include: hasEndpoint() ? suites : [],
    exclude: [
      ...sameOnEachStore,
      // these wait for consumers of the change feed, which do not run here
      'test/api/background*.test.ts',
      'test/api/{item-operations,object-channels,schedule-runs,trigger*}.test.ts',
      'test/api/soak.test.ts',
      'test/api/quotas.test.ts',
      'test/api/query-reads.test.ts', // creates 100,000 objects, which takes too long here
    ],
    passWithNoTests: true,
    globalSetup: './test/aws-emulator/dynamodb-local.ts',
    setupFiles: './test/aws-emulator/slow-time.ts',
    env: {
      TEST_MEDIUM: 'dynamodb', // read by test/support/medium.ts
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: workers,
    isolate: false, // files that share a process load the sources once
  },
});
