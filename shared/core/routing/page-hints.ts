import type { JsonObject } from '../../values/json/json.ts';

/** A field that a list can be filtered or ordered by. */
export interface QueryableField {
  readonly name: string;
  /** Names of the lookups that conditions on it may use; empty: it cannot be filtered by. */
  readonly lookups: readonly string[];
  /** Its values are text; those of other fields are JSON. */
  readonly isText: boolean;
  readonly isOrderable: boolean;
}

/** Properties of a resource that its page uses, in addition to its description. */
export interface PageHints {
  /** Returns the path of the list in which a reference with this target finds its item. */
  readonly listOf?: (target: string) => string;
  /** Fields for the `query` and `order_by` of a list. */
  readonly queryable?: readonly QueryableField[];
  /** Checks whether an item will change soon by itself: its page is loaded again until it has. */
  readonly isPending?: (item: JsonObject) => boolean;
}
