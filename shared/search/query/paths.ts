import type { FieldType } from '../../classes/rules/field-types.ts';
import type { CellRange } from './geo/cells.ts';
import type { Scalar } from './operands.ts';

/** Where to read. */
export type Path =
  /** Objects of these ids. */
  | { readonly kind: 'ids'; readonly ids: readonly number[] }
  /** All objects. */
  | { readonly kind: 'all' }
  /** What is shared, and what the user owns. */
  | { readonly kind: 'rights'; readonly user: number | undefined }
  | { readonly kind: 'owned'; readonly owners: readonly number[] }
  /** Points in some cells, in no order. */
  | { readonly kind: 'cells'; readonly slot: number; readonly cells: readonly CellRange[] }
  | CompositeIndexPath
  | IndexPath;

/** A part of the slot of a pair: objects of one value of a field, in the order of another one. */
export interface CompositeIndexPath {
  readonly kind: 'pair';
  readonly slot: number;
  readonly type: FieldType;
  /** The value that they have in common, null for unset. */
  readonly value: Scalar | null;
  /** The same part of the order's own index. */
  readonly order: IndexPath;
}

/** A part of an index over one field. */
export interface IndexPath {
  readonly kind: 'index';
  /** A slot, or the index by time of change. */
  readonly index: number | 'updated';
  readonly type: FieldType;
  /** The values to look up, null among them for unset; absent: a range. */
  readonly points?: readonly (Scalar | null)[];
  /** What bounds the range; all apply. */
  readonly limits: readonly Limit[];
}

/** One bound of a range of values. */
export type Limit =
  | { readonly kind: 'above' | 'from' | 'below' | 'upTo'; readonly value: Scalar }
  | { readonly kind: 'prefix'; readonly value: string }
  | { readonly kind: 'set' };

/** Ids between which all objects are that fit, both bounds out. */
export interface IdBounds {
  readonly above: number;
  readonly below: number;
}
