import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of a platform in memory. */
export interface TemporaryFolder {
  readonly path: string;
  /** Deletes it. */
  close(): void;
}

/** Creates a folder that is deleted when it is closed, or else when the process ends. */
export function openTemporaryFolder(name: string): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), `groundwork-${name}-`));
  const remove = () => rmSync(path, { recursive: true, force: true });
  process.once('exit', remove);
  return {
    path,
    close: () => {
      process.off('exit', remove);
      remove();
    },
  };
}
