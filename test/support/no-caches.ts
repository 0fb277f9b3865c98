import { type Caches, createCaches } from '../../shared/core/routing/caches.ts';
import type { Query, Store, Stored } from '../../shared/store/store.ts';
import { TextItem } from '../../shared/store/text-item.ts';

/** Creates the caches of a process that keeps nothing. */
export function noCaches(filesAt: () => string): Caches {
  return createCaches({ address: filesAt }, () => ({ get: () => undefined, set: () => undefined }));
}

/**
 * Changes a store so that each read returns new items: what was kept with an item, or for it, is not found again. The
 * store itself is changed, not wrapped, because the jobs of its platform have it already.
 */
export function forgetItems(store: Store): Store {
  const { get, query } = store;
  return Object.assign(store, {
    get: async (keys: Parameters<Store['get']>[0]) => {
      const items = await get(keys);
      return items.map((item) => item && copyOf(item));
    },
    query: async (wanted: Query) => {
      const page = await query(wanted);
      return { ...page, items: page.items.map(copyOf) };
    },
  });
}

function copyOf(item: Stored): Stored {
  if (item instanceof TextItem) return new TextItem(item, item.text, item.at);
  return { ...item, data: structuredClone(item.data) };
}
