import { defineConfig } from 'vitest/config';
import { load, slow, tables } from './test/support/tiers.ts';
import { workers } from './test/support/workers.ts';

/** Tests of modules alone. After a small edit, `npx vitest run --changed --project modules` takes seconds. */
const modules = [
  'test/{accounts,channels,city,classes,core,files,http,instances,jobs,objects,ports,push,schedules,search,store,support,table,templates,triggers,usage,values}/**/*.test.ts',
];

/** Tests that look at the processes, descriptors or heap of their own process, or replace modules. */
const isolated = [
  'test/local/{calls,certificates,connections,launcher,proxies,registration}.test.ts',
  'test/local/{serve,storage-trouble,template-renderer}.test.ts',
  'test/pages/assets.test.ts',
  'test/scripts/{cases,client-escapes,escapes,first-turns,isolation,landlock}.test.ts',
  'test/scripts/{python,python-cases,python-escapes}.test.ts',
];

/** Files of other runs. Capacity units are counted on DynamoDB Local. */
const elsewhere = [
  ...load,
  ...slow,
  ...tables,
  'test/moto/**',
  'test/runtime-client/**',
  'test/aws/units.test.ts',
];

/** The tests are in three projects, which start in the order of their names: the longest files come first. */
export default defineConfig({
  test: {
    env: {
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      GROUNDWORK_PUSH_MODE: 'outbox', // no server of a test sends pushes, unless the test says where to
    },
    testTimeout: 120_000, // a busy machine takes its time to start processes
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: workers + 2, // many files wait for processes for half of their time
    maxConcurrency: 16, // tests marked as concurrent mostly wait
    experimental: { fsModuleCache: true }, // a file with the whole API starts with 2.8 CPU seconds instead of 4.8
    projects: [
      { extends: true, test: { name: 'isolated', include: isolated } },
      // files that share a process load the sources once: this halves the CPU time of most
      { extends: true, test: { name: 'modules', include: modules, isolate: false } },
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...modules, ...isolated, ...elsewhere],
          isolate: false,
        },
      },
    ],
  },
});
