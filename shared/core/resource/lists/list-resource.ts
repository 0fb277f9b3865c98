import type { Key, Stored } from '../../../store/store.ts';
import type { Access, Right } from '../../../values/access.ts';
import type { Json } from '../../../values/json/json.ts';
import type { RowRange } from '../../../values/paging.ts';
import type { Field, Fields } from '../field.ts';
import type { Body } from '../input.ts';
import type { Link } from '../links.ts';
import type { Page, Rows } from '../page.ts';
import type { QueryParameters } from '../query-parameters.ts';
import type { Context, FieldsAt, Known, OperationName } from '../route.ts';
import type { Version } from '../versions.ts';

/**
 * A resource that is a list of items: `path` lists and creates, `path{item}/` shows, changes and removes, and
 * actions stand below the item. Everything general is derived from this value.
 *
 * @typeParam Data what an item holds in the table
 * @typeParam View what an answer is made of: the item, joined with what stands elsewhere
 */
export interface ListResource<Data extends object, View = Stored<Data>> {
  /** In words, as introspection shows it, without `List` or `Instance`. */
  readonly name: string;
  readonly description?: string;
  /** An item in plain English for the interface document, where `name` does not give it: `class` for `Klass`. */
  readonly noun?: string;
  /** Names in the interface document, where the noun does not give them: `createClass`. */
  readonly operationNames?: Readonly<Partial<Record<ListOperation, OperationName>>>;
  /** The list below the version, for example `/instances/{instance}/api_keys/`. */
  readonly path: string;
  /** Where version 1 has the same under another path. */
  readonly v1Path?: string;
  /** The parameter that names an item. */
  readonly item: 'id' | 'class' | 'instance' | 'member' | 'endpoint' | 'template' | 'device';
  /** Objects stand in a class. */
  readonly inClass?: true;
  readonly access: Access;
  readonly fields: Fields;
  /** Describes fields as they are at the place of a call. */
  readonly fieldsAt?: FieldsAt;
  /** Query parameters of the list, beside those of every list. */
  readonly parameters?: QueryParameters;
  readonly links: readonly Link<View>[];
  /** Where the item that the path names is; undefined when it cannot be anywhere. */
  readonly key: (known: Known) => Key | undefined;
  /** What stands for the item that the path names where nothing is stored; the first write of it inserts it. */
  readonly unwritten?: (context: Context) => Stored<Data> | undefined;
  /** Further records that an operation needs. */
  readonly reads?: (known: Known, right: Right) => Readonly<Record<string, Key | undefined>>;
  /** Ids of new items. */
  readonly counter?: (known: Known) => Key | undefined;
  /** Rules beyond the access table, before the body is looked at. */
  readonly authorize?: (context: Context, right: Right) => void;
  /** Rules of the item itself. Throws 404 for what the caller may not see, 403 for what it may not do. */
  readonly authorizeItem?: (context: Context, item: Stored<Data>, right: Right) => void;
  /** Items of a range of row numbers that the caller may see, in the order of the walk. */
  readonly rows?: (context: Context, range: RowRange) => Promise<Rows<Data>>;
  /** In place of `rows`, where a list has filters and orders of its own: the page that a call asks for. */
  readonly page?: (context: Context, path: string) => Promise<Page<Data>>;
  /** Joins items with what their answers need. */
  readonly view: (context: Context, items: readonly Stored<Data>[]) => Promise<readonly View[]>;
  /** The answer for one item, as an object made for it; links are added to it. */
  readonly show: (context: Context, view: View) => Record<string, Json>;
  /** Given where answers need not be made again: they are the same, whoever calls, for the same form, path and data. */
  readonly cached?: {
    /** What shapes an answer beside what it is made of. */
    readonly form: (context: Context) => object;
    /** All that it is made of; never changed. */
    readonly of: (view: View) => object;
  };
  /** Name of an item in a path. */
  readonly segment: (view: View) => string;
  readonly create?: (context: Context, body: Body) => Promise<View>;
  /** Tries once; a lost race is tried again with what is there then. */
  readonly update?: (context: Context, update: Update<Data>) => Promise<View>;
  readonly remove?: (context: Context, item: Stored<Data>) => Promise<void>;
  /** A page of it may be larger than an answer: then it ends earlier. */
  readonly isBulky?: true;
  /** `fields` and `excluded_fields` leave its answers whole. */
  readonly isUntrimmed?: true;
  /** POST on an item is a full update. */
  readonly postUpdates?: true;
  readonly actions?: readonly Action<Data, View>[];
}

/** What a list and its items have operations for, by the verbs of their names. */
export type ListOperation = 'list' | 'create' | 'get' | 'replace' | 'update' | 'delete';

/** An update as a resource sees it. */
export interface Update<Data extends object> {
  readonly current: Stored<Data>;
  readonly body: Body;
  readonly mode: 'replace' | 'patch';
}

/** A POST below an item. */
export interface Action<Data extends object, View> {
  /** Path below the item, for example `reset_key/`. */
  readonly path: string;
  /** In words, for introspection. */
  readonly name: string;
  /** Its name in the interface document. */
  readonly operationName: OperationName;
  readonly fields: Readonly<Record<string, Field>>;
  /** Tries once; gives the item to answer with, or undefined for an answer without body. */
  readonly run: (context: Context, current: Stored<Data>, body: Body) => Promise<View | undefined>;
  /** It always answers without body. */
  readonly isSilent?: true;
  /** Versions that have it; all when absent. */
  readonly versions?: readonly Version[];
}
