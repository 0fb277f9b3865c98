import { defineConfig } from 'vitest/config';
import { workers } from './test/support/workers.ts';

/** Scenarios that do not go through the functions of a deployment. */
const elsewhere = [
  'test/api/background*.test.ts', // changes of scripts and work alone are brought to their consumers here
  'test/api/{durability,script-crash}.test.ts', // kill servers and open their data folders
  'test/api/files.test.ts', // these two read what is served by a folder; bundles.test.ts stores files in S3 under the roles
  'test/api/uploads.test.ts',
  'test/api/push*.test.ts', // read the outbox; what SNS is asked for is asserted in test/aws/push.test.ts
  'test/api/soak.test.ts', // looks into the indexes, and needs a class ready at once
  'test/api/pairs.test.ts', // waits for indexes, which are built a minute later there
  'test/api/query-model.test.ts', // these look into the test's own process
  'test/api/query-reads.test.ts',
  'test/api/round-trips.test.ts',
  'test/api/quotas.test.ts', // settings of a test's own
  'test/api/tenants.test.ts',
  'test/api/trace-storage.test.ts',
  'test/api/social*.test.ts', // the services that are asked are functions of the test
  'test/api/user-social.test.ts',
  'test/api/throttling.test.ts', // there each process counts for itself; test/aws/metering.test.ts sees what they write
  'test/api/usage.test.ts',
];

const scenarios = [
  'that takes longer than anybody waits', // asks a dispatch in the test's own process
  'is counted by run, in a batch as well', // each process counts for itself
  // attempts that compete within the time that one may wait: it runs out sooner in more processes
  'is counted when many try at once',
  'starts to count anew after a right password',
  // a class whose indexes change is ready a minute later there
  'a field of another type has a slot of its own',
  'an index that came later leaves nothing out',
  // count what reaches the store, and set the clock
  'writes side by side',
  'when time runs out',
];

/** The API suite on a deployment: each call is served by its family's bundle, which may do what its role grants. */
export default defineConfig({
  test: {
    include: ['test/api/**/*.test.ts'],
    exclude: elsewhere,
    testNamePattern: new RegExp(`^(?!.*(${scenarios.join('|')}))`),
    globalSetup: './test/support/roles-setup.ts',
    env: {
      TEST_MEDIUM: 'roles', // read by test/support/api.ts
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: workers,
  },
});
