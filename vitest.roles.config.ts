import { existsSync, readdirSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { servedByOthers } from './test/support/tiers.ts';
import { workers } from './test/support/workers.ts';

const families = readdirSync('functions').filter(
  (name) => existsSync(`functions/${name}/resource.ts`) && !servedByOthers.includes(name),
);

/**
 * Files that have each operation of the map served under its role, which the run demands, on each of the ways through
 * it that use another part of AWS: the file of each family, and those that do what it leaves out. Each file starts all
 * functions. What operations respond is asked by `npm test`.
 */
const files = [
  `test/api/{${families.join()}}.test.ts`,
  'test/api/{account-codes,account-mails,admins,aliases,config,invitations}.test.ts',
  'test/api/{data-endpoint-runs,object-indexes,rendering}.test.ts',
  'test/api/{groups,user-access,user-mail-texts,user-redirects-plain,user-sessions}.test.ts',
  'test/api/user-accounts/{addresses,codes,deletion}.test.ts',
  'test/api/{raw-bodies,script-endpoint-runs,script-runs}.test.ts',
  'test/api/{trace-retry,trigger-runs}.test.ts',
  'test/api/{item-operations,rights}.test.ts',
  'test/api/{messages,smoke}.test.ts',
  'test/api/{backup-owners,backup-rescue,file-names,files,private-files}.test.ts',
];

/** Files that download, on a deployment without a CDN as well. */
const withDownloads = ['test/api/{file-names,files,smoke}.test.ts'];

const common = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  isolate: false, // files that share a process load the sources once
};
const env = {
  TEST_MEDIUM: 'roles', // read by test/support/medium.ts
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
};

/**
 * The API suite on a deployment: each request is served by its family's bundle under the permissions of its role.
 * Single tests are skipped by test/support/medium.ts.
 */
export default defineConfig({
  test: {
    globalSetup: './test/aws-emulator/roles-setup.ts', // once for both projects
    pool: 'forks',
    maxWorkers: workers + 2, // requests pass through three processes, one after the other
    projects: [
      { test: { ...common, name: 'roles', include: files, env } },
      {
        test: {
          ...common,
          name: 'without-cdn',
          include: withDownloads,
          env: { ...env, TEST_CDN: 'false' }, // read by test/support/medium.ts
        },
      },
    ],
  },
});
