import { defineConfig } from 'vitest/config';

/** Scenarios that do not go through the functions of a deployment. */
const elsewhere = [
  'test/api/background*.test.ts', // nobody brings the changes of the table to their consumers here
  'test/api/durability.test.ts', // kills servers and opens their data folders
  'test/api/query-model.test.ts', // these three ask a dispatch in the test's own process
  'test/api/query-reads.test.ts',
  'test/api/round-trips.test.ts',
  'test/api/social.test.ts', // the services that are asked are functions of the test
  'test/api/user-social.test.ts',
];

/** Attempts that compete within the time that one may wait: it runs out sooner in more processes. */
const hurried = ['is counted when many try at once', 'starts to count anew after a right password'];

/** The API suite on a deployment: each call is served by its family's bundle, which may do what its role grants. */
export default defineConfig({
  test: {
    include: ['test/api/**/*.test.ts'],
    exclude: elsewhere,
    testNamePattern: new RegExp(`^(?!.*(${hurried.join('|')}))`),
    globalSetup: './test/support/roles-setup.ts',
    env: {
      TEST_MEDIUM: 'roles', // read by test/support/api.ts
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2, // one waits much: each call goes through several processes
  },
});
