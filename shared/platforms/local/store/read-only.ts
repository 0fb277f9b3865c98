import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Store, Stored } from '../../../store/store.ts';
import { StartError } from '../server/start-error.ts';
import { createItemCache } from './cache/item-cache.ts';
import { isExpired, parseItem } from './envelope.ts';
import { hasStore } from './identity.ts';
import { parseItemKey } from './keys.ts';
import { machineDisk } from './log/disk.ts';
import { copyLog, readLogFiles } from './log/log.ts';
import type { LogRecord } from './log/record.ts';
import type { Layer } from './pending/layer.ts';
import { layTables } from './pending/layered-tables.ts';
import { layerOf, readLogState, unappliedRecords } from './pending/recover.ts';
import { createReader } from './read.ts';
import { openTables, type StoredTables } from './tables.ts';

const pageSize = 1000; // items; between pages a server may reuse the space of old data
const cacheBytes = 1_000_000;
const lowest: string | undefined = '\u0001'; // no key begins with less

/** Reads of a store that a server may have open. */
export interface StoreReader extends Pick<Store, 'get' | 'query' | 'close'> {
  /** Passes all items of some kinds to `take`, and the number of items read so far to `progress`. */
  walk(
    kinds: readonly string[],
    to: { readonly take: (item: Stored) => void; readonly progress: (read: number) => void },
  ): Promise<void>;
  /** Writes the store as it is now, without its free space, into an empty folder. */
  snapshot(folder: string): Promise<void>;
}

/**
 * Opens the store of a data folder for reading only, also while a server uses it. It has all that the server
 * acknowledged before.
 *
 * @throws StartError when the folder has no store, or its log is damaged
 */
export async function openStoreReader(folder: string): Promise<StoreReader> {
  const path = join(folder, 'store');
  if (!(await hasStore(path))) throw new StartError(`${folder} has no store`);
  const stored = openTables({ folder: path, durable: true, readOnly: true });
  const records = await readPending(stored, path);
  const tables = layTables(stored, openLayers(stored, records));
  const now = () => Date.now() / 1000;
  const reader = createReader({ tables, cache: createItemCache(cacheBytes), now });
  return {
    ...reader,
    walk: async (kinds, { take, progress }) => {
      const wanted = new Set(kinds);
      const takeText = (key: string, text: string) => {
        if (!wanted.has(text.slice(0, text.indexOf('\n')))) return;
        const { stored: item, expiresAt } = parseItem(parseItemKey(key), text);
        if (!isExpired(expiresAt, now)) take(item);
      };
      let read = 0;
      for (let start = lowest; start !== undefined; ) {
        const page = [...tables.items.getRange({ start, exclusiveStart: true, limit: pageSize })];
        for (const { key, value } of page) takeText(key, value);
        read += page.length;
        progress(read);
        start = page.at(-1)?.key;
        await new Promise((resolve) => setImmediate(resolve)); // begins a new snapshot
      }
    },
    snapshot: async (target) => {
      await stored.environment.backup(target, true); // the tables after the log: they may have some of it already
      const state = newestState(stored);
      if (state !== undefined) await copyLog(target, machineDisk, { id: state.id, records });
    },
    close: async () => {
      await stored.close();
    },
  };
}

const mostReads = 100; // of a log that its server changes
const pauseMs = 20;

/**
 * Returns the records that the tables do not have. A server may write them, apply them and use their file again at any
 * moment: the log is read until its tables are the same before and after.
 */
async function readPending(stored: StoredTables, folder: string): Promise<readonly LogRecord[]> {
  for (let reads = 1; ; reads += 1) {
    const state = newestState(stored);
    const files = readLogFiles(folder, machineDisk);
    const isSame = newestState(stored)?.applied === state?.applied;
    try {
      if (isSame) return unappliedRecords(files, { state, folder });
    } catch (error) {
      if (reads >= mostReads) throw error; // no server is changing it
    }
    if (reads >= mostReads)
      throw new StartError(`the store in ${folder} changes too fast to be read`);
    await setTimeout(pauseMs);
  }
}

function newestState(stored: StoredTables) {
  stored.environment.resetReadTxn();
  return readLogState(stored);
}

/** Returns the layer of those records that the tables do not have at the moment. */
function openLayers(stored: StoredTables, records: readonly LogRecord[]): () => readonly Layer[] {
  let layers: readonly Layer[] = [];
  let applied = -1;
  return () => {
    const now = readLogState(stored)?.applied ?? 0;
    if (now !== applied) layers = [layerOf(records.filter(({ number }) => number > now))];
    applied = now;
    return layers;
  };
}
