import { defineConfig } from 'vitest/config';
import { workers } from './test/support/workers.ts';

/** Files that depend on what a deployment does not have, or has in another form. */
const excluded = [
  'test/api/background*.test.ts', // the emulated change feed delivers no objects
  'test/api/{durability,script-crash,trigger-crash}.test.ts', // kill servers and open their data folders
  // these read the files of a folder; test/aws/bundles.test.ts stores files in S3 under the roles
  'test/api/files.test.ts',
  'test/api/uploads.test.ts',
  'test/api/push*.test.ts', // read the outbox; test/aws/push.test.ts asserts the requests to SNS
  'test/api/schedule-runs.test.ts', // set the clock of the jobs; test/aws/schedules.test.ts has ticks at once
  'test/api/soak.test.ts', // reads index entries, and needs a changed class to be ready at once
  'test/api/composite-indexes.test.ts', // waits for indexes, which are built a minute later there
  // these count, compare or disturb what the test's own process does
  'test/api/adapters.test.ts',
  'test/api/query-model.test.ts',
  'test/api/query-reads.test.ts',
  'test/api/round-trips.test.ts',
  // these start the platform with settings of their own
  'test/api/quotas.test.ts',
  'test/api/tenants.test.ts',
  'test/api/trace-storage.test.ts',
  // these replace the social services by functions of the test
  'test/api/social*.test.ts',
  'test/api/user-social.test.ts',
  // there each process counts for itself; test/aws/metering.test.ts asserts what they write
  'test/api/throttling.test.ts',
  'test/api/usage.test.ts',
];

/**
 * The API suite on a deployment: each request is served by its family's bundle under the permissions of its role.
 * Single tests are skipped by test/support/medium.ts.
 */
export default defineConfig({
  test: {
    include: ['test/api/**/*.test.ts'],
    exclude: excluded,
    globalSetup: './test/aws-emulator/roles-setup.ts',
    env: {
      TEST_MEDIUM: 'roles', // read by test/support/medium.ts
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: workers,
    isolate: false, // files that share a process load the sources once
  },
});
