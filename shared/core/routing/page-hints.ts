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

/** A method of a path, in a table of contents. */
export interface ContentsMethod {
  readonly method: string;
  /** What it does; empty where nothing says it. */
  readonly summary: string;
  /** Address of its details, relative to the page; undefined: there are none. */
  readonly details: string | undefined;
}

/** A path with its methods, in a table of contents. */
export interface ContentsPath {
  /** With `{parameters}`; one without any is a page of its own. */
  readonly path: string;
  readonly methods: readonly ContentsMethod[];
}

/** What a page shows in place of a response that is too long for one. */
export interface PageContents {
  /** Addresses of the whole, relative to the page, with their texts. */
  readonly whole: readonly (readonly [address: string, text: string])[];
  readonly sections: readonly { readonly name: string; readonly paths: readonly ContentsPath[] }[];
}

/** Properties of a resource that its page uses, in addition to its description. */
export interface PageHints {
  /** Returns the table of contents of a response; undefined: it is shown itself. */
  readonly contents?: (body: unknown) => PageContents | undefined;
  /** Returns the path of the list in which a reference with this target finds its item. */
  readonly listOf?: (target: string) => string;
  /** Fields for the `query` and `order_by` of a list. */
  readonly queryable?: readonly QueryableField[];
  /** Checks whether an item will change soon by itself: its page is loaded again until it has. */
  readonly isPending?: (item: JsonObject) => boolean;
}
