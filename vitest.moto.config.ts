import { defineConfig } from 'vitest/config';
import { hasMoto } from './test/aws-emulator/moto.ts';

/** The store's suite, and a walk through all families, on moto. */
export default defineConfig({
  test: {
    include: hasMoto() ? ['test/moto/*.test.ts'] : [],
    passWithNoTests: true,
    globalSetup: hasMoto() ? './test/aws-emulator/moto.ts' : [],
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
  },
});
