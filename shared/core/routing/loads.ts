import type { Key, Stored } from '../../store/store.ts';
import type { Right } from '../../values/access.ts';
import type { ApiError } from '../../values/errors/errors.ts';
import type { Cache, Caches } from './caches.ts';
import type { Known } from './known.ts';

/** A record that a request loads. */
export interface Load<Value> {
  /** Returns the key; undefined while it is not known, and where it does not exist. */
  readonly key: (known: Known) => Key | undefined;
  /** Returns what handlers get for the item at the key. */
  readonly take: (item: Stored | undefined, known: Known) => Value;
  /** Rights of the operations that load it; all when absent. */
  readonly rights?: readonly Right[];
  /** Makes the error of a request whose record is absent; without it handlers get undefined. */
  readonly absent?: () => ApiError;
  /** Present in a lookup. */
  readonly gives?: Gives<unknown>;
}

/** The value that a lookup finds, for the keys of further records. */
export interface Gives<Value> {
  readonly value: (item: Stored) => Value;
  /** Values by the key of the record. */
  readonly cache: (caches: Caches) => Cache<Key, Value>;
  /** A record that holds the values of many; a process without a cached value reads it in the first step. */
  readonly listed?: {
    readonly key: (known: Known) => Key | undefined;
    /** Returns the values, with the keys of the records that prove them. */
    readonly entries: (item: Stored, known: Known) => readonly (readonly [Key, Value])[];
  };
}

/** A load with its name in `context.loaded`. */
export interface NamedLoad {
  readonly name: string;
  /** Its name among all records of a request. */
  readonly slot: string;
  /** The same of the record that lists many values. */
  readonly listedSlot: string;
  readonly load: Load<unknown>;
}

/** A lookup with its name. */
export interface NamedLookup extends NamedLoad {
  readonly load: Load<unknown> & { readonly gives: Gives<unknown> };
}
