import type { Store, Stored } from './store.ts';

/** Some items of a partition. */
export interface SomeItems {
  readonly items: readonly Stored[];
  /** Sort key after which to continue; absent: these were the last. */
  readonly last?: string;
}

/** Reads the next items of a partition, for jobs that scan it in steps; from the start without a sort key. */
export async function itemsAfter(
  store: Store,
  pk: string,
  after: string | undefined,
  limit: number,
): Promise<SomeItems> {
  const lower = after === undefined ? {} : { lower: { key: after, inclusive: false } };
  const { items, positions, more } = await store.query({ pk, ...lower, limit });
  const last = more ? positions.at(-1) : undefined;
  return last === undefined ? { items } : { items, last };
}
