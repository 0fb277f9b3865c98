import { defineConfig } from 'vitest/config';
import { hasMoto } from './test/aws-emulator/moto.ts';
import { hasRuntimeClient } from './test/aws-emulator/runtime-client.ts';
import { workers } from './test/support/workers.ts';

const isHere = hasMoto();

/** The store's suite, the stack and its first deployment, a walk through all families, and the removal, on moto. */
export default defineConfig({
  test: {
    include: isHere ? ['test/moto/*.test.ts', 'test/aws/remove.test.ts'] : [],
    // the story is told on AWS's runtime client where that can be had: npm run test:runtime
    exclude: hasRuntimeClient() ? ['test/moto/story.test.ts'] : [],
    passWithNoTests: true,
    globalSetup: isHere ? './test/aws-emulator/moto.ts' : [],
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: workers,
  },
});
