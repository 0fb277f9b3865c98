import type { Json, JsonObject } from '../../values/json/json.ts';
import type { QueryField } from './fields.ts';
import type { Scalar } from './operands.ts';

/** Lookups that compare with one value. */
export const comparisons = ['gt', 'gte', 'lt', 'lte', 'eq', 'neq'] as const;
/** One of the comparisons. */
export type Comparison = (typeof comparisons)[number];

/** Lookups into text, besides their variants that ignore case. */
export const textLookups = ['startswith', 'endswith', 'contains', 'like', 'eq'] as const;
/** One of the lookups into text. */
export type TextLookup = (typeof textLookups)[number];

/** One thing that must hold of an object; a query is a list of them, all of which must hold. */
export type Condition =
  | {
      readonly kind: 'compare';
      readonly field: QueryField;
      readonly comparison: Comparison;
      readonly value: Scalar;
    }
  | {
      readonly kind: 'among';
      readonly field: QueryField;
      readonly values: readonly Scalar[];
      /** None of them; an object where the field is not set fits. */
      readonly isNegated: boolean;
    }
  | { readonly kind: 'exists'; readonly field: QueryField; readonly isSet: boolean }
  | {
      readonly kind: 'text';
      readonly field: QueryField;
      readonly lookup: TextLookup;
      readonly text: string;
      readonly ignoresCase: boolean;
    }
  /** An array or relation that has all of these. */
  | { readonly kind: 'holds'; readonly field: QueryField; readonly members: readonly Json[] }
  /** A relation that has one of these. */
  | { readonly kind: 'meets'; readonly field: QueryField; readonly ids: ReadonlySet<number> }
  | { readonly kind: 'near'; readonly field: QueryField; readonly circle: Circle };

/** A point and the distance around it, its edge included. */
export interface Circle {
  readonly longitude: number;
  readonly latitude: number;
  readonly kilometers: number;
}

/** A condition on the objects that a field refers to, still to be read by the schema of their class. */
export interface NestedQuery {
  readonly field: QueryField;
  /** `self`, `user` or a class, in lower case. */
  readonly target: string;
  readonly query: JsonObject;
}

/** A query as parsed. */
export interface ParsedQuery {
  readonly conditions: readonly Condition[];
  readonly nested: readonly NestedQuery[];
}
