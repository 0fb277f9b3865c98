import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { machineDisk } from '../shared/platforms/local/store/log/disk.ts';
import {
  createFiles,
  logFileBytes,
  newState,
  openLog,
} from '../shared/platforms/local/store/log/log.ts';

/** The log of the store with nothing behind it. */
export interface BareLog {
  /** Appends a text; calls `done` when it is on the disk. */
  append(text: string, done: () => void): void;
  /** Deletes its files. */
  remove(): void;
}

interface Waiting {
  readonly text: string;
  readonly done: () => void;
}

/** Creates an empty log in a temporary folder. A text that is alone is flushed in the event loop. */
export async function openBareLog(): Promise<BareLog> {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-bare-'));
  const state = newState();
  await createFiles(folder, machineDisk, state);
  const log = openLog(folder, machineDisk, state);
  let waiting: Waiting[] = [];
  let isRunning = false;
  let bytes = 0;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      const operations = group.map(({ text }, at) => {
        return { table: 'items' as const, key: `item ${at}`, value: text };
      });
      bytes += await log.append(operations, group.length === 1);
      if (bytes > logFileBytes / 2) {
        log.switchFile();
        bytes = 0;
      }
      for (const { done } of group) done();
    }
    isRunning = false;
  }

  return {
    append: (text, done) => {
      waiting.push({ text, done });
      if (isRunning) return;
      isRunning = true;
      setImmediate(run);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
