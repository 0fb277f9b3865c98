import { randomUUID } from 'node:crypto';
import type {
  Check,
  Delete,
  IndexName,
  Key,
  Put,
  Query,
  Store,
  Stored,
  Write,
  WriteCause,
  WriteCondition,
} from '../../shared/store/store.ts';

/** Some reason for a write. */
export const change: WriteCause = { actor: { admin: 7 }, cause: 'client', depth: 0 };

/** Returns a random id of a write. */
export function newId(): string {
  return randomUUID().replaceAll('-', '');
}

/** Returns a put of `{}` without condition, with overrides. */
export function put(key: Key, given: Partial<Put> = {}): Put {
  return { action: 'put', key, kind: 'thing', data: {}, condition: { kind: 'none' }, ...given };
}

/** Returns a delete, by default without condition. */
export function del(key: Key, condition: WriteCondition = { kind: 'none' }): Delete {
  return { action: 'delete', key, condition };
}

/** Returns a check. */
export function check(key: Key, condition: WriteCondition): Check {
  return { action: 'check', key, condition };
}

/** Writes with a new id, which is returned. */
export async function write(store: Store, ...writes: readonly Write[]): Promise<string> {
  const id = newId();
  await store.write({ id, change, writes });
  return id;
}

/** Reads one item. */
export async function getOne(store: Store, key: Key): Promise<Stored | undefined> {
  const [item] = await store.get([key]);
  return item;
}

/** Returns the sort keys of a query's items, in its order. */
export async function sortKeys(store: Store, query: Query): Promise<readonly string[]> {
  const { items } = await store.query(query);
  return items.map((item) => item.key.sk);
}

/** Reads all pages of `limit` items, each from the last position of the previous one. */
export async function walkPages(
  store: Store,
  query: { pk: string; index?: IndexName | undefined; descending: boolean; limit: number },
): Promise<readonly string[]> {
  const { pk, index, descending, limit } = query;
  const found: string[] = [];
  let last: string | undefined;
  for (;;) {
    const bound = last === undefined ? undefined : { key: last, inclusive: false };
    const page = await store.query({
      pk,
      descending,
      limit,
      ...(index && { index }),
      ...(bound && (descending ? { upper: bound } : { lower: bound })),
    });
    found.push(...page.items.map((item) => item.key.sk));
    if (!page.more) return found;
    if (found.length > 10_000) throw new Error('the pages have no end');
    last = page.positions.at(-1) ?? last;
  }
}

/** Orders texts by the bytes of their UTF-8. */
export function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
