import type { Bound, Key, Store, Stored } from './store.ts';

/** Reads all items of a partition under a prefix: only for lists with a limit of their own. */
export async function allUnder(store: Store, at: Key): Promise<readonly Stored[]> {
  const items: Stored[] = [];
  let lower: Bound = { key: at.sk, inclusive: true };
  const upper: Bound = { key: `${at.sk}\u{10FFFF}`, inclusive: false };
  for (;;) {
    const page = await store.query({ pk: at.pk, lower, upper, limit: 1000 });
    items.push(...page.items);
    const last = page.positions.at(-1);
    if (!page.more || last === undefined) return items;
    lower = { key: last, inclusive: false };
  }
}
