import { defineConfig } from 'vitest/config';
import { hasEndpoint } from './test/aws-emulator/dynamodb-local.ts';
import { workers } from './test/support/workers.ts';

/**
 * The store's suite, and files with results that the table can change: writes that conflict, transactions, counters,
 * pages, indexes and queries, and per family one that creates, lists, updates and deletes. Left out are files about
 * bodies, texts, headers and rights, which are settled before or after the store, and those that wait for consumers of
 * the change feed, which do not run here.
 */
const files = [
  'test/store/dynamodb.test.ts',
  // capacity units of requests, and the figures of the guide
  'test/aws/units.test.ts',
  // write conflicts, transactions and counters
  'test/api/{attempts,batch,class-races,generations,object-races,object-unique,throttling,usage}.test.ts',
  // pages, indexes and queries
  'test/api/{composite-indexes,last-page,long-lists,object-indexes,object-list,paging}.test.ts',
  'test/api/{queries,query-model}.test.ts',
  // families
  'test/api/{account,admins,aliases,api-keys,config,instances,invitations,tenants}.test.ts',
  'test/api/{classes,object-access,object-life,objects,uploads}.test.ts',
  'test/api/{groups,social,user-access,user-session-keys,user-sessions,user-social,users}.test.ts',
  'test/api/{user-redirects,user-redirects-takeover}.test.ts',
  'test/api/{data-endpoints,push,push-config,templates}.test.ts',
  'test/api/{schedules,script-endpoints,scripts,trace-retry,trace-storage}.test.ts',
  'test/api/{channels,messages}.test.ts',
];

/** Files of the store's suite and the API suite on DynamoDB. Single tests are skipped by test/support/medium.ts. */
export default defineConfig({
  test: {
    include: hasEndpoint() ? files : [],
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
