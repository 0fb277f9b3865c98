import type { Context } from '../core/routing/route.ts';
import type { Scan } from '../ports/limits/scans.ts';
import { maxQueryLimit } from '../store/limits.ts';
import type { Store, Stored } from '../store/store.ts';
import { usernameEntity } from '../table/entities/users.ts';
import { decodeIndexText, encodeText } from '../table/index-keys.ts';
import { successor } from '../table/object-ranges.ts';
import type { UsernameData } from '../table/records/records.ts';
import { maxKeysRead } from './object-scan.ts';
import type { Condition } from './query/conditions.ts';
import { queryTookTooLong } from './query/errors.ts';
import { asUser } from './query/fields.ts';
import { matcherOf } from './query/match.ts';

/** Properties of the request that a search by name uses. */
export type NameCall = Pick<Context, 'platform'> & {
  readonly instance: number;
  readonly scan: Scan;
};

/**
 * Finds users by conditions on their names: names that are listed are read directly, otherwise those with a prefix, or
 * all, are scanned.
 *
 * @returns ids of all that match, ascending
 * @throws ApiError 408 when it takes more than 10,000 names or the time
 */
export async function findUsersByName(
  { platform: { store }, instance, scan }: NameCall,
  conditions: readonly Condition[],
): Promise<readonly number[]> {
  const names = namesOf(conditions);
  const items =
    names === undefined
      ? await readUserNames(store, { instance, prefix: prefixOf(conditions), scan })
      : await usernameEntity.readAll(
          store,
          names.map((name) => [instance, encodeText(name)]),
        );
  const matches = matcherOf(conditions);
  return items
    .filter((item) => item !== undefined)
    .filter(({ key }) => matches(asUser(decodeIndexText(key.sk))))
    .map(({ data }) => data.user)
    .sort((a, b) => a - b);
}

/** Returns the names that conditions list; undefined without such a condition. */
function namesOf(conditions: readonly Condition[]): readonly string[] | undefined {
  for (const condition of conditions) {
    if (condition.kind === 'compare' && condition.comparison === 'eq') {
      return [String(condition.value)];
    }
    if (condition.kind === 'among' && !condition.isNegated) {
      return [...new Set(condition.values.map(String))];
    }
  }
  return undefined;
}

function prefixOf(conditions: readonly Condition[]): string {
  const [prefix = ''] = conditions.flatMap((one) =>
    one.kind === 'text' && one.lookup === 'startswith' ? [one.text] : [],
  );
  return prefix;
}

/** Names to read. */
export interface Names {
  readonly instance: number;
  /** In lower case; empty: all names. */
  readonly prefix: string;
  readonly scan: Scan;
}

/**
 * Reads names of users, in their order.
 *
 * @throws ApiError 408 when there are more than 10,000, or the time is up
 */
export async function readUserNames(
  store: Store,
  { instance, prefix, scan }: Names,
): Promise<readonly Stored<UsernameData>[]> {
  const code = encodeText(prefix);
  const lower = { key: code, inclusive: true };
  const upper = { key: successor(code), inclusive: false };
  const items: Stored<UsernameData>[] = [];
  let after: string | undefined;
  for (;;) {
    const part = { lower, upper, after, limit: maxQueryLimit, turns: scan };
    const page = await usernameEntity.list(store, [instance], part);
    items.push(...page.items);
    after = page.last;
    if (after === undefined) return items;
    if (items.length >= maxKeysRead || scan.isSpent()) throw queryTookTooLong();
  }
}
