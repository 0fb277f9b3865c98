import { setTimeout as pause } from 'node:timers/promises';
import type { Key, Store, Stored } from '../../shared/store/store.ts';

interface Hidden {
  /** What readers see in its place. */
  readonly before: Stored | undefined;
}

const nameOf = ({ pk, sk }: Key) => `${pk}\n${sk}`;

/**
 * Wraps a store so that the items of a transaction become visible one by one, in any order, as reads of several items
 * may see them on DynamoDB. A transaction is acknowledged when all of them are visible. Every other operation takes a
 * random time as well.
 *
 * @param maxMs longest delay
 */
export function makeScattered(store: Store, maxMs: number): Store {
  const hidden = new Map<string, Hidden>();
  const delay = () => pause(Math.random() * maxMs);
  const seen = (item: Stored | undefined, key: Key) => {
    const veil = hidden.get(nameOf(key));
    return veil === undefined ? item : veil.before;
  };
  return {
    close: () => store.close(),
    next: async (counter, count, most) => {
      const first = await store.next(counter, count, most);
      await delay();
      return first;
    },
    get: async (keys) => {
      await delay();
      const items = await store.get(keys);
      return items.map((item, at) => seen(item, keys[at] as Key)); // one for each key
    },
    query: async (query) => {
      await delay();
      const page = await store.query(query);
      const shown = page.items.flatMap((item, at) => {
        const now = seen(item, item.key);
        return now === undefined ? [] : [{ item: now, position: page.positions[at] ?? '' }];
      });
      return {
        items: shown.map(({ item }) => item),
        positions: shown.map(({ position }) => position),
        more: page.more,
      };
    },
    write: async (transaction) => {
      await delay();
      const keys = transaction.writes.map(({ key }) => key);
      const before = await store.get(keys);
      const veils = keys.map((key, at): readonly [string, Hidden] => [
        nameOf(key),
        { before: hidden.get(nameOf(key))?.before ?? before[at] },
      ]);
      const written = store.write(transaction);
      for (const [name, veil] of veils) hidden.set(name, veil);
      const reveal = ([name, veil]: readonly [string, Hidden]) => {
        if (hidden.get(name) === veil) hidden.delete(name);
      };
      try {
        await written;
      } catch (error) {
        veils.forEach(reveal);
        throw error;
      }
      await Promise.all(veils.map((veil) => delay().then(() => reveal(veil))));
    },
  };
}
