import { join } from 'node:path';
import type { Store, Stored } from '../../../store/store.ts';
import { StartError } from '../server/start-error.ts';
import { createItemCache } from './cache/item-cache.ts';
import { isExpired, parseItem } from './envelope.ts';
import { hasStore } from './identity.ts';
import { parseItemKey } from './keys.ts';
import { createReader } from './read.ts';
import { openTables } from './tables.ts';

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
 * Opens the store of a data folder for reading only, also while a server uses it.
 *
 * @throws StartError when the folder has no store
 */
export async function openStoreReader(folder: string): Promise<StoreReader> {
  const path = join(folder, 'store');
  if (!(await hasStore(path))) throw new StartError(`${folder} has no store`);
  const tables = openTables({ folder: path, durable: true, readOnly: true });
  const now = () => Date.now() / 1000;
  const reader = createReader({ tables, cache: createItemCache(cacheBytes), now });
  return {
    ...reader,
    walk: async (kinds, { take, progress }) => {
      const wanted = new Set(kinds);
      const takeText = (key: string, text: string) => {
        if (!wanted.has(text.slice(0, text.indexOf('\n')))) return;
        const { stored, expiresAt } = parseItem(parseItemKey(key), text);
        if (!isExpired(expiresAt, now)) take(stored);
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
    snapshot: (target) => tables.environment.backup(target, true),
    close: async () => {
      await tables.environment.close();
    },
  };
}
