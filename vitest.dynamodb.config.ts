import { defineConfig } from 'vitest/config';
import { hasEndpoint } from './test/support/dynamodb-local.ts';
import { workers } from './test/support/workers.ts';

const suites = ['test/store/dynamodb.test.ts', 'test/api/**/*.test.ts'];

/** What follows in the background by itself, where nobody works. */
const scenarios = ['and the old file cannot be removed at once', 'with the field of its class'];

/** The store's suite and the whole API suite on DynamoDB. */
export default defineConfig({
  test: {
    include: hasEndpoint() ? suites : [],
    exclude: [
      'test/api/background*.test.ts', // nobody brings the changes of a table to their consumers yet
      'test/api/soak.test.ts', // the same
      'test/api/quotas.test.ts', // the same: what is stored is counted from the changes
      'test/api/query-reads.test.ts', // its 100,000 objects take the emulator too long
    ],
    testNamePattern: new RegExp(`^(?!.*(${scenarios.join('|')}))`),
    passWithNoTests: true,
    globalSetup: './test/support/dynamodb-local.ts',
    setupFiles: './test/support/slow-time.ts',
    env: {
      TEST_MEDIUM: 'dynamodb', // read by test/support/api.ts
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: workers,
  },
});
