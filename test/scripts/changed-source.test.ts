import { afterAll, expect, test } from 'vitest';
import { openScripts } from '../../shared/platforms/local/scripts/scripts.ts';
import { SourceChanged } from '../../shared/scripts/script-sources.ts';

const scripts = openScripts({ slots: 2 });
afterAll(() => scripts.close());

// a script that is edited faster than a process starts must not wait for its edits to end
test('a run whose source has changed starts no process', async () => {
  const run = scripts.run({
    instance: 1,
    owner: 1,
    script: 1,
    version: 1,
    runtime: 'node',
    source: () => Promise.reject(new SourceChanged()),
    args: {},
    config: {},
    meta: {},
    timeoutMs: 10_000,
    waitMs: 10_000,
    isAwaited: true,
  });

  await expect(run).rejects.toThrow(SourceChanged);
  expect(scripts.size()).toBe(0);
});
