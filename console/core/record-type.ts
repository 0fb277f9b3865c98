import { below, type RequestPath } from '../../shared/values/text/request-path.ts';

/** Describes a kind of records: what they are called, and where they are in the interface and in the console. */
export interface RecordType<Item> {
  /** A record in a sentence: `trigger`. */
  readonly noun: string;
  /** Heading of the list: `Triggers`. */
  readonly title: string;
  /** Path of the list in the interface. */
  readonly path: (instance: string) => RequestPath;
  /** Place in the console below which each record has its screen. */
  readonly place: (instance: string) => RequestPath;
  /** Place of the list; absent: `place`. */
  readonly list?: (instance: string) => RequestPath;
  /** Id or name: the last part of a record's path. */
  readonly keyOf: (item: Item) => string | number;
  readonly nameOf: (item: Item) => string;
}

/** Returns the path of a record in the interface. */
export function itemPath<Item>(
  { path }: RecordType<Item>,
  instance: string,
  key: string | number,
): RequestPath {
  return below(path(instance))`${key}/`;
}

/** Returns the place of a record's screen. */
export function itemPlace<Item>(
  { place, keyOf }: RecordType<Item>,
  instance: string,
  item: Item,
): RequestPath {
  return below(place(instance))`/${keyOf(item)}`;
}
