import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isServerRoot, nobodyId } from './other-user.ts';
import { isOfThisServer } from './run-folders.ts';

/**
 * Ends the runners of an earlier server that work in a left folder. A script in an endless loop outlives a server of root
 * whose launcher was killed with it: a process that becomes another user loses the signal of its parent's death.
 */
export async function endLeftRunners(folder: string): Promise<void> {
  if (!isServerRoot || isOfThisServer(folder)) return;
  const names = await readdir('/proc').catch(() => []); // there is none outside of Linux
  for (const name of names) {
    if (/^\d+$/.test(name) && (await isRunnerIn(folder, join('/proc', name)))) end(Number(name));
  }
}

async function isRunnerIn(folder: string, process: string): Promise<boolean> {
  try {
    const [{ uid }, runnerFolder] = await Promise.all([
      lstat(process),
      readlink(join(process, 'cwd')),
    ]);
    return uid === nobodyId && (runnerFolder === folder || runnerFolder.startsWith(`${folder}/`));
  } catch {
    return false; // it has ended
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended
  }
}
