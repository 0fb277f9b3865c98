import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Log } from '../../../../ports/ports.ts';
import type { StartProcess } from '../../../../runtimes/process.ts';
import type { Runner } from '../../../../runtimes/runner-process.ts';
import { stackOf } from '../../../../values/caught.ts';
import { neverRejects } from '../../../../values/promises/in-background.ts';
import { endLeftRunners } from './left-runners.ts';
import { findLeftFolders, type RunFolder, tryToDelete } from './run-folders.ts';

/*
 * Deletes folders of runs that an ordinary deletion has left: with folders that cannot be listed, or deeper than the
 * longest path. A process does it, one at a time, because it may take long or fail.
 */

const program = fileURLToPath(new URL('../../launcher/remove-folder.cjs', import.meta.url));
const triesMs = [0, 1_000, 5_000]; // waits before each try; then the next left folder or the next start is one
const programMs = 70_000; // more than the program takes before it gives up
const maxFolders = 100; // of one process; the others have their turn at the next
const maxReasons = 2_000; // characters in the log

/** Deletes what runs have left. */
export interface FolderRemoval {
  /** Deletes all folders that nothing uses, in the background, and reports those that remain. */
  begin(): void;
  /** Disposes of the folder of a process after its end, in the background. */
  afterEnd(process: Pick<Runner, 'ended'>, dispose: RunFolder['dispose']): void;
  /** Resolves when nothing is being deleted, or after this time; returns the folders that are left then. */
  idle(maxMs: number): Promise<readonly string[]>;
}

/** Opens the removal of folders, whose processes start by `start`. */
export function openFolderRemoval(start: StartProcess, log: Log | undefined): FolderRemoval {
  let sweeping: Promise<void> | undefined;
  let isAskedAgain = false;
  const disposals = new Set<Promise<unknown>>();

  async function sweep(): Promise<void> {
    do {
      isAskedAgain = false;
      const problem = await removeLeft(start);
      if (problem !== '') {
        const message = 'folders of script runs could not be deleted; the next start tries again';
        log?.({ level: 'error', message, cause: problem });
      }
    } while (isAskedAgain);
    sweeping = undefined;
  }

  function begin(): void {
    isAskedAgain = true;
    sweeping ??= sweep();
  }

  async function clear(dispose: RunFolder['dispose']): Promise<void> {
    const disposal = dispose();
    disposals.add(disposal);
    if (!(await disposal)) begin();
    disposals.delete(disposal);
  }

  return {
    begin,
    afterEnd: ({ ended }, dispose) => neverRejects(ended.then(() => clear(dispose))),
    idle: async (maxMs) => {
      const stop = new AbortController();
      const { signal } = stop;
      // nothing else keeps this process alive until then
      const time = setTimeout(maxMs, undefined, { signal }).catch(() => {}); // it was stopped
      const done = Promise.all(disposals).then(() => sweeping);
      await Promise.race([done, time]);
      stop.abort();
      return sweeping === undefined ? [] : findLeftFolders().catch(() => []); // the next start finds them
    },
  };
}

/** Tries until nothing is left. Never rejects: returns the reason of what remains, else an empty text. */
async function removeLeft(start: StartProcess): Promise<string> {
  let problem = '';
  for (const waitMs of triesMs) {
    await setTimeout(waitMs, undefined, { ref: false });
    try {
      problem = await tryOnce(start);
    } catch (error) {
      problem = stackOf(error); // the temporary folder cannot be read, or there are no descriptors
    }
    if (problem === '') return '';
  }
  return problem;
}

async function tryOnce(start: StartProcess): Promise<string> {
  const stubborn: string[] = [];
  for (const folder of (await findLeftFolders()).slice(0, maxFolders)) {
    await endLeftRunners(folder);
    if ((await tryToDelete(folder)) !== undefined) stubborn.push(folder);
  }
  return stubborn.length === 0 ? '' : removeInProcess(start, stubborn);
}

/** Deletes folders in a process. Returns why some are left, else an empty text. */
async function removeInProcess(start: StartProcess, folders: readonly string[]): Promise<string> {
  const args = [program, ...folders];
  const child = start({ program: process.execPath, args, variables: {}, folder: '/' });
  const timer = globalThis.setTimeout(child.kill, programMs);
  try {
    const streams = await child.streams;
    for (const stream of Object.values(streams ?? {})) stream.on('error', () => {}); // `ended` resolves
    streams?.stdout.resume();
    streams?.control.resume();
    const [reasons, end] = await Promise.all([textOf(streams?.stderr), child.ended]);
    if (end.exitCode === 0) return '';
    return reasons || end.reason || `exit code ${end.exitCode}, signal ${end.signal}`;
  } finally {
    clearTimeout(timer);
  }
}

/** Reads a stream to its end, or to an error of it. */
function textOf(stream: Readable | undefined): Promise<string> {
  if (stream === undefined) return Promise.resolve('');
  let text = '';
  stream.setEncoding('utf8').on('data', (part: string) => {
    if (text.length < maxReasons) text += part;
  });
  return new Promise((resolve) => stream.once('close', () => resolve(text.trim())));
}
