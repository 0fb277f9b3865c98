import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTemporaryStore } from '../../shared/platforms/local/store/store.ts';

/** The second argument of a fixture. */
interface Scope {
  onCleanup(clean: () => unknown): void;
}

/** Returns a fixture: a folder, which is removed after the test, or after the file. */
export function temporaryFolder(prefix: string) {
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
  return ({}, { onCleanup }: Scope) => {
    const folder = mkdtempSync(join(tmpdir(), prefix));
    onCleanup(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
    return folder;
  };
}

/** Returns a fixture: a store in memory, which is closed after the test, or after the file. */
export function temporaryStore(
  options: Parameters<typeof openTemporaryStore>[0] = { now: Date.now },
) {
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
  return async ({}, { onCleanup }: Scope) => {
    const store = await openTemporaryStore(options);
    onCleanup(() => store.close());
    return store;
  };
}
