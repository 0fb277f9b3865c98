import { defineConfig } from 'vitest/config';
import { workers } from './test/support/workers.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
    testTimeout: 120_000, // a busy machine takes its time to start processes
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: workers,
  },
});
