import { declareEntity as declare, type Kind } from '../store/entity.ts';
import type { Key, Stored } from '../store/store.ts';
import type { LetterItem } from './records/jobs.ts';

/**
 * What the declaration of an item kind says of it. Deletions, backups, restores, counters and dead letters read it, and
 * the table of docs/internals/table.md.
 */
export interface KindFacts<in Data extends object> {
  /**
   * Its owner: the deployment, an account, an instance itself, or the contents of an instance. `contents` are backed up;
   * `derived` items belong to the contents too, but follow from others or from what happens: backups do not read them.
   */
  readonly belongsTo: 'deployment' | 'account' | 'instance' | 'contents' | 'derived';
  /**
   * What deletes items of an instance before or instead of the deletion of their owner: that of a class, of which they
   * have a partition (`class`) or are the one item (`class item`); that of a push provider's or an item's partition; their
   * time to live; or the request that deletes the name. Absent: the key of their partition contains only the instance.
   */
  readonly clearedWith?: 'class' | 'class item' | 'provider' | 'item' | 'time' | 'name';
  /** Counter, or counters, of their ids or list positions. */
  readonly counter?: string | readonly string[];
  /** Whether ids may exceed 32 bits, because clients do not refer to items by them. */
  readonly hasLongIds?: true;
  /** Whether ids order items of several processes. */
  readonly hasOrderedIds?: true;
  /** Name under which backups count its items. */
  readonly shownAs?: string;
  /** Returns the partition that ends with an item, made of the ids of instance and item. */
  readonly below?: (instance: number, id: number) => string;
  /** Returns the key of the file that an item names. */
  readonly namedFile?: (sk: string, data: Data) => string | undefined;
  /** Describes a changed item in words of the interface; absent: `other`. */
  readonly inLetters?: (change: ChangedItem) => Described;
}

/** A change of an item; versions of it may have only their size as data. */
export interface ChangedItem {
  readonly key: Key;
  readonly before?: Stored | undefined;
  readonly after?: Stored | undefined;
}

/** A changed item in words of the interface; `action` is that of the change unless the item is an event. */
type Described = Omit<LetterItem, 'action'> & Partial<Pick<LetterItem, 'action'>>;

/** Declares a kind of item. */
export function entity<Data extends object>(kind: string) {
  return declare<Data, KindFacts<Data>>(kind);
}

/** A declared kind, whatever its items are. */
export interface DeclaredKind extends Kind<object> {
  readonly prefix: string;
  readonly facts: KindFacts<never>;
}

/** Returns the action that an event names. */
export function actionNamed(text: string): LetterItem['action'] {
  return text === 'create' || text === 'delete' ? text : 'update';
}
