import type { Bound, Key, Query, Store, Stored } from './store.ts';

/** A kind of item, as far as a stored item shows it. */
export interface Kind<Data extends object> {
  /** Its name in the table. */
  readonly kind: string;
  /** Checks whether an item is of this kind. */
  readonly matches: (item: Stored) => item is Stored<Data>;
}

/**
 * A kind of item: its keys, and typed reads of its items.
 *
 * @typeParam Args parts of a key
 * @typeParam List parts that all items of a list share, the first of `Args`; never: there is no list
 * @typeParam Partition parts of a partition key, the first of `Args`
 */
export interface Entity<
  Data extends object,
  Args extends readonly unknown[],
  List extends readonly unknown[] = never,
  Partition extends readonly unknown[] = List,
> extends Kind<Data> {
  /** Beginning of all its sort keys, as far as it is a fixed text. */
  readonly prefix: string;
  readonly key: (...args: Args) => Key;
  readonly partition: (...args: Partition) => string;
  /** Returns the range of the table that holds a list, for reads of several kinds. */
  readonly range: (...list: List) => KeySpan;
  /** Refers to an item, for {@link readTogether}. */
  readonly at: (...args: Args) => ItemReference<Data>;
  /** Reads an item. */
  readonly read: (store: Getting, ...args: Args) => Promise<Stored<Data> | undefined>;
  /** Reads items in one round trip, in the order of their keys. */
  readonly readAll: (store: Getting, all: readonly Readonly<Args>[]) => Promise<FoundItems<Data>>;
  /** Reads some items of a list, in order. */
  readonly list: (
    store: Querying,
    list: Readonly<List>,
    part: ListPart<Data>,
  ) => Promise<Items<Data>>;
  /** Reads all items of a list: only for lists with a limit of their own. */
  readonly listAll: (store: Querying, list: Readonly<List>) => Promise<readonly Stored<Data>[]>;
}

type Getting = Pick<Store, 'get'>;
type Querying = Pick<Store, 'query'>;

/** Items in the order of their keys; undefined where an item does not exist. */
export type FoundItems<Data extends object> = readonly (Stored<Data> | undefined)[];

/** A range of a partition of the table. */
export type KeySpan = Pick<Query, 'pk' | 'lower' | 'upper'>;

/** A part of a list, or with `index` of a whole partition; without bounds it is all of it. */
export interface ListPart<Data extends object>
  extends Pick<Query, 'index' | 'descending' | 'limit' | 'turns'> {
  readonly lower?: Bound | undefined;
  readonly upper?: Bound | undefined;
  /** Position after which to continue, in the order of reading. */
  readonly after?: string | undefined;
  /** As that of a query; only for a store that is near. */
  readonly isEnough?: ((item: Stored<Data>) => boolean) | undefined;
}

/** Some items of a list, in the order of reading. */
export interface Items<Data extends object> {
  readonly items: readonly Stored<Data>[];
  /** Sort key (of the table or index that was read) of each item. */
  readonly positions: readonly string[];
  /** Position after which to continue; absent: these were the last. */
  readonly last?: string;
}

/** An item to read, with its kind. */
export interface ItemReference<Data extends object> {
  readonly key: Key;
  readonly entity: Kind<Data>;
}

type References = Readonly<
  Record<string, ItemReference<object> | readonly ItemReference<object>[]>
>;

/** The items of {@link readTogether}, under the names of their references. */
type FoundTogether<All extends References> = {
  readonly [name in keyof All]: All[name] extends ItemReference<infer Data>
    ? Stored<Data> | undefined
    : All[name] extends readonly ItemReference<infer Data>[]
      ? FoundItems<Data>
      : never;
};

/** Reads items of several kinds in one round trip. */
export async function readTogether<All extends References>(
  store: Getting,
  references: All,
): Promise<FoundTogether<All>> {
  const named = Object.entries(references);
  const keys = named.flatMap(([, asked]) => asked).map(({ key }) => key);
  const items = keys.length === 0 ? [] : await store.get(keys);
  let next = 0;
  const take = ({ entity: kind }: ItemReference<object>) => {
    next += 1;
    return as(kind, items[next - 1]);
  };
  const found = named.map(([name, asked]) => [
    name,
    'key' in asked ? take(asked) : asked.map(take),
  ]);
  return Object.fromEntries(found) as FoundTogether<All>; // the same names, and each item was checked
}

/** Reads all items of a range, of any kind: only for ranges with a limit of their own. */
export async function readRange(store: Querying, range: KeySpan): Promise<readonly Stored[]> {
  const items: Stored[] = [];
  let { lower } = range;
  for (;;) {
    const page = await store.query({ ...range, ...(lower && { lower }), limit: 1000 });
    items.push(...page.items);
    const last = page.positions.at(-1);
    if (!page.more || last === undefined) return items;
    lower = { key: last, inclusive: false };
  }
}

/** Returns an item with the type of its kind. A different kind at its key is an internal error. */
export function as<Data extends object>(kind: Kind<Data>, item: Stored): Stored<Data>;
export function as<Data extends object>(
  kind: Kind<Data>,
  item: Stored | undefined,
): Stored<Data> | undefined;
export function as<Data extends object>(
  kind: Kind<Data>,
  item: Stored | undefined,
): Stored<Data> | undefined {
  if (item === undefined || kind.matches(item)) return item;
  throw new Error(`found ${item.kind} where ${kind.kind} belongs`);
}

type Values = readonly unknown[];
type Text<Args extends Values> = (...args: Args) => string;

/**
 * Rejects functions with optional parameters, defaults or rest parameters: the number of their parameters determines
 * which parts of a key they get.
 */
type Fixed<Args extends Values> = number extends Args['length']
  ? never
  : Args['length'] extends Required<Args>['length']
    ? unknown
    : never;

/** An entity with what its declaration says of it beside its keys. */
export type Declared<Keyed, Facts> = Keyed & { readonly facts: Facts };

/** Declares the keys of an entity, and facts about it. */
interface Keying<Data extends object, Known extends object> {
  /** With one sort key, a text. */
  keyed<Partition extends Values, const Facts extends Known>(
    partition: Text<Partition> & Fixed<Partition>,
    sort: string,
    facts: Facts,
  ): Declared<Entity<Data, Partition, never, Partition>, Facts>;
  /** With sort keys of a prefix, which selects a list in its partition, and the rest. */
  keyed<Partition extends Values, Rest extends Values, const Facts extends Known>(
    partition: Text<Partition> & Fixed<Partition>,
    prefix: string,
    rest: Text<Rest> & Fixed<Rest>,
    facts: Facts,
  ): Declared<Entity<Data, [...Partition, ...Rest], Partition>, Facts>;
  /** With several lists in its partition, whose prefixes have parts of their own. */
  keyed<
    Partition extends Values,
    List extends [...Partition, ...Values],
    Rest extends Values,
    const Facts extends Known,
  >(
    partition: Text<Partition> & Fixed<Partition>,
    prefix: Text<List> & Fixed<List>,
    rest: Text<Rest> & Fixed<Rest>,
    facts: Facts,
  ): Declared<Entity<Data, [...List, ...Rest], List, Partition>, Facts>;
}

/**
 * Declares a kind of item.
 *
 * @typeParam Known what its declaration says of it; see `KindFacts` of the table
 */
export function declareEntity<Data extends object, Known extends object = object>(
  kind: string,
): Keying<Data, Known> {
  return {
    // the overloads have typed the arguments that these functions get, and what they give
    keyed: (
      partition: Text<never>,
      prefix: string | Text<never>,
      ...more: readonly [Known] | readonly [Text<never>, Known]
    ) => {
      const [rest, facts] = more.length === 1 ? [none, more[0]] : more;
      const keys = { partition, prefix, rest } as Keys;
      return entityOf<Data>(kind, keys, facts) as never;
    },
  };
}

interface Keys {
  readonly partition: AnyText;
  readonly prefix: string | AnyText;
  readonly rest: AnyText;
}

type AnyText = Text<Values>;
type AnyEntity<Data extends object> = Entity<Data, Values, Values>;

function none(): string {
  return '';
}

/** Creates an entity; each function gets as many parts of a key as it has parameters. */
function entityOf<Data extends object>(
  kind: string,
  { partition, prefix, rest }: Keys,
  facts: object,
): AnyEntity<Data> {
  const start = typeof prefix === 'string' ? () => prefix : prefix;
  const ofList = Math.max(partition.length, start.length); // parts that belong to a list, before those of an item in it
  const key = (...parts: Values): Key => {
    const list = parts.slice(0, ofList);
    return { pk: partition(...list), sk: start(...list) + rest(...parts.slice(ofList)) };
  };
  const matches = (item: Stored): item is Stored<Data> => item.kind === kind;
  const range = (...list: Values): KeySpan => rangeUnder(partition(...list), start(...list));
  const self: Declared<AnyEntity<Data>, object> = {
    kind,
    facts,
    prefix: typeof prefix === 'string' ? prefix : '',
    matches,
    key,
    partition,
    range,
    at: (...args) => ({ key: key(...args), entity: self }),
    read: async (store, ...args) => as(self, (await store.get([key(...args)]))[0]),
    readAll: async (store, all) => {
      const items = all.length === 0 ? [] : await store.get(all.map((args) => key(...args)));
      return items.map((item) => as(self, item));
    },
    list: (store, list, part) => readPart(self, store, range(...list), part),
    listAll: async (store, list) =>
      (await readRange(store, range(...list))).map((item) => as(self, item)),
  };
  return self;
}

function rangeUnder(pk: string, prefix: string): KeySpan {
  if (prefix === '') return { pk };
  const upper = { key: `${prefix}\u{10FFFF}`, inclusive: false }; // after each character that an id or a name begins with
  return { pk, lower: { key: prefix, inclusive: true }, upper };
}

async function readPart<Data extends object>(
  kind: Kind<Data>,
  store: Querying,
  range: KeySpan,
  { index, after, lower, upper, descending = false, limit, turns, isEnough }: ListPart<Data>,
): Promise<Items<Data>> {
  const edge = after === undefined ? undefined : { key: after, inclusive: false };
  const whole = index === undefined ? range : { pk: range.pk };
  const from = (descending ? undefined : edge) ?? lower ?? whole.lower;
  const to = (descending ? edge : undefined) ?? upper ?? whole.upper;
  const { items, positions, more } = await store.query({
    pk: range.pk,
    index,
    lower: from,
    upper: to,
    descending,
    limit,
    turns,
    isEnough: isEnough && ((item) => isEnough(as(kind, item))),
  });
  const last = more ? positions.at(-1) : undefined;
  const typed = items.map((item) => as(kind, item));
  return { items: typed, positions, ...(last !== undefined && { last }) };
}
