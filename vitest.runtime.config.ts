import { defineConfig } from 'vitest/config';
import { hasMoto } from './test/aws-emulator/moto.ts';
import { hasRuntimeClient } from './test/aws-emulator/runtime-client.ts';

const isHere = hasRuntimeClient() && hasMoto();

/** The walk through all families on AWS's own runtime client, suspended between requests, and functions that must fail. */
export default defineConfig({
  test: {
    include: isHere ? ['test/moto/{story,walk}.test.ts', 'test/runtime-client/*.test.ts'] : [],
    passWithNoTests: true,
    globalSetup: isHere ? './test/aws-emulator/moto.ts' : [],
    env: {
      TEST_RUNNER: 'runtime-client', // read by test/moto/stack/runner.ts
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 1, // the time in which functions end is limited
  },
});
