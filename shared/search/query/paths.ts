import type { ClassFieldType } from '../../classes/rules/field-types.ts';
import type { CellRange } from './geo/cells.ts';
import type { Scalar } from './operands.ts';

/** Access path. */
export type Path =
  /** Objects of these ids. */
  | { readonly kind: 'ids'; readonly ids: readonly number[] }
  /** All objects. */
  | { readonly kind: 'all' }
  /** Shared objects, and those that the user owns. */
  | { readonly kind: 'rights'; readonly user: number | undefined }
  | { readonly kind: 'owned'; readonly owners: readonly number[] }
  /** Points in some cells, in no order. */
  | { readonly kind: 'cells'; readonly slot: number; readonly cells: readonly CellRange[] }
  | CompositeIndexPath
  | IndexPath;

/** Part of a composite index: objects with one value of a field, in the order of another field. */
export interface CompositeIndexPath {
  readonly kind: 'composite';
  readonly slot: number;
  readonly type: ClassFieldType;
  /** The common value; null for unset. */
  readonly value: Scalar | null;
  /** Same part of the order's own index. */
  readonly order: IndexPath;
}

/** Part of an index over one field. */
export interface IndexPath {
  readonly kind: 'index';
  /** Slot, or the index by time of change. */
  readonly index: number | 'updated';
  readonly type: ClassFieldType;
  /** Values to look up, null among them for unset; absent: a range. */
  readonly points?: readonly (Scalar | null)[];
  /** Bounds of the range; all apply. */
  readonly limits: readonly RangeBound[];
}

/** Bound of a range of values. */
export type RangeBound =
  | { readonly kind: 'above' | 'from' | 'below' | 'upTo'; readonly value: Scalar }
  | { readonly kind: 'prefix'; readonly value: string }
  | { readonly kind: 'set' };

/** Ids between which all matching objects are, both bounds excluded. */
export interface IdBounds {
  readonly above: number;
  readonly below: number;
}
