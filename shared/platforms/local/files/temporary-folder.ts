import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of a platform in memory. */
export interface TemporaryFolder {
  readonly path: string;
  /** Deletes it. */
  close(): void;
}

const open = new Set<string>();

/** Creates a folder that is deleted when it is closed, or else when the process ends. */
export function openTemporaryFolder(name: string): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), `groundwork-${name}-`));
  if (open.size === 0) process.once('exit', removeAll);
  open.add(path);
  return {
    path,
    close: () => {
      rmSync(path, { recursive: true, force: true });
      open.delete(path);
      if (open.size === 0) process.off('exit', removeAll);
    },
  };
}

function removeAll(): void {
  for (const path of open) rmSync(path, { recursive: true, force: true });
}
