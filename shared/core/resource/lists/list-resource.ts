import type { Key, Stored } from '../../../store/store.ts';
import type { Access, Right } from '../../../values/access.ts';
import type { ItemRange } from '../../../values/paging.ts';
import type { Body } from '../../http/body/body.ts';
import type { ItemBody } from '../../http/response-cache.ts';
import type { Field, Fields, QueryParameters } from '../../routing/forms.ts';
import type { Known } from '../../routing/known.ts';
import type { Context, FieldsAt, OperationName, PageHintsAt } from '../../routing/route.ts';
import type { Input } from '../input.ts';
import type { Link } from '../links.ts';
import type { LoadsOf, RecordLoad } from '../loads/loads.ts';
import type { ListItems, Page } from '../page.ts';
import type { Show, ShownName } from '../show.ts';

/**
 * A resource that is a list of items: `path` lists and creates, `path{item}/` gets, updates and deletes, and actions
 * are below the item. Everything general is derived from this value.
 *
 * @typeParam Data   what an item holds in the table
 * @typeParam View   what a response is made of: the item, joined with data of other records
 * @typeParam F      its fields, from which the types of its input follow; see {@link ListOf}
 * @typeParam Loaded further records that operations get
 */
export interface ListResource<
  Data extends object,
  View = Stored<Data>,
  F extends Fields = Fields,
  Loaded extends object = object,
> {
  /** In words, as introspection shows it, without `List` or `Instance`. */
  readonly name: string;
  readonly description?: string;
  /** An item in plain English for the interface document, where that differs from `name`: `class` for `Klass`. */
  readonly noun?: string;
  /** Names in the interface document, where they do not follow from the noun: `createClass`. */
  readonly operationNames?: Readonly<Partial<Record<ListOperation, OperationName>>>;
  /** The list below the version, for example `/instances/{instance}/api_keys/`. */
  readonly path: string;
  /** Its path in version 1, where that differs. */
  readonly v1Path?: string;
  /** The parameter that names an item. */
  readonly item: string;
  readonly access: Access;
  /** Of an item and its actions; see Route. */
  readonly hide?: (context: Context) => void;
  readonly fields: F;
  /** Describes fields as they are for one request. */
  readonly fieldsAt?: FieldsAt<Loaded>;
  readonly pageHints?: PageHintsAt<Loaded>;
  /** Query parameters of the list, in addition to those of every list. */
  readonly parameters?: QueryParameters;
  readonly links: readonly Link<View>[];
  /** The item that the path names. */
  readonly record: RecordLoad<Data>;
  /** The item that the path names while nothing is stored; its first write creates it. */
  readonly unwritten?: (context: Context<Loaded>) => Stored<Data> | undefined;
  /** Further records, which operations get in `context.loaded`. */
  readonly loads?: LoadsOf<Loaded>;
  /** Counter for the ids of new items. */
  readonly counter?: (known: Known) => Key | undefined;
  /** Rules beyond the access table, checked before the body is read. */
  readonly authorize?: (context: Context<Loaded>, right: Right) => void;
  /** Rules of the item itself. Throws 404 for an item that the client may not see, 403 for a forbidden action. */
  readonly authorizeItem?: (context: Context<Loaded>, item: Stored<Data>, right: Right) => void;
  /** Items of a range of list positions that the client may see, in the order of reading. */
  readonly readItems?: (context: Context<Loaded>, range: ItemRange) => Promise<ListItems<Data>>;
  /** Replaces `readItems` where a list has filters and orders of its own: the page that a request asks for. */
  readonly page?: (context: Context<Loaded>, path: string) => Promise<Page<Data>>;
  /** Joins items with the data that their responses need. */
  readonly view: (
    context: Context<Loaded>,
    items: readonly Stored<Data>[],
  ) => Promise<readonly View[]>;
  /** Absent: shows the fields from the item's data. */
  readonly show?: Show<View, Loaded>;
  /**
   * Creates a function that returns the body of an item with its links, in place of `show`.
   *
   * @param list path of the request's list, as links show it
   */
  readonly bodies?: (context: Context<Loaded>, list: string) => (view: View) => ItemBody;
  /** Name of an item in a path. */
  readonly segment: (view: View) => string;
  // these two are methods, which TypeScript compares less strictly: the framework calls them without knowing F
  create?(context: Context<Loaded>, input: Input<F, 'create'>): Promise<View>;
  /** Tries once; after a write conflict it is retried with the new state. */
  update?(context: Context<Loaded>, update: Update<Data, F>): Promise<View>;
  readonly remove?: (context: Context<Loaded>, item: Stored<Data>) => Promise<void>;
  /** A page may be too large for a response: then it ends earlier. */
  readonly isBulky?: true;
  /** A create exports contents for the owner, who may do so while the instance is suspended. */
  readonly exportsData?: true;
  /** Ignores `fields` and `excluded_fields`. */
  readonly ignoresProjection?: true;
  readonly actions?: readonly Action<Data, View, Loaded>[];
}

/** A list with typed fields. It needs `show` or `bodies` unless the data of its view has all of them. */
export type ListOf<
  Data extends object,
  View,
  F extends Fields,
  Loaded extends object = object,
> = ListResource<Data, View, F, Loaded> &
  (View extends ShownAsStored<F>
    ? unknown
    :
        | { readonly show: Show<View, Loaded> }
        | Required<Pick<ListResource<Data, View, F, Loaded>, 'bodies'>>);

interface ShownAsStored<F extends Fields> {
  readonly data: Readonly<Record<ShownName<F>, unknown>>;
}

/** Operations of a list and its items, by the verbs of their names. */
export type ListOperation = 'list' | 'create' | 'get' | 'replace' | 'update' | 'delete';

/** An update as a resource sees it. */
export interface Update<Data extends object, F extends Fields = Fields> {
  readonly current: Stored<Data>;
  readonly input: Input<F, 'replace' | 'patch'>;
}

/** A POST below an item. */
export interface Action<Data extends object, View, Loaded extends object = object> {
  /** Path below the item, for example `reset_key/`. */
  readonly path: string;
  /** In words, for introspection. */
  readonly name: string;
  /** Its name in the interface document. */
  readonly operationName: OperationName;
  readonly fields: Readonly<Record<string, Field>>;
  /** Tries once; returns the item of the response, or undefined for a response without body. */
  readonly run: (
    context: Context<Loaded>,
    current: Stored<Data>,
    body: Body,
  ) => Promise<View | undefined>;
  /** Its responses never have a body. */
  readonly isSilent?: true;
}
