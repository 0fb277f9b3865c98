import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { endProcesses, type ProcessOptions, startProcess } from './server-process.ts';
import { temporaryFolder } from './temporary.ts';

/** Returns a `test` with `root`, a folder of the file, and `start`, which starts a server with data of its own there. */
export function serverTest(prefix: string) {
  return test
    .extend('root', { scope: 'file' }, temporaryFolder(prefix))
    .extend('start', { scope: 'file' }, ({ root }, { onCleanup }) => {
      onCleanup(endProcesses);
      return (options: ProcessOptions = {}) =>
        startProcess(mkdtempSync(join(root, 'data-')), options);
    });
}
