import type { Json, JsonObject } from '../../values/json/json.ts';
import type { QueryField } from './fields.ts';
import type { Scalar } from './operands.ts';

/** Lookups that compare with one value. */
export const comparisons = ['gt', 'gte', 'lt', 'lte', 'eq', 'neq'] as const;
export type Comparison = (typeof comparisons)[number];

/** Lookups into text, without their variants that ignore case. */
export const textLookups = ['startswith', 'endswith', 'contains', 'like', 'eq'] as const;
export type TextLookup = (typeof textLookups)[number];

/** Condition on an object; all conditions of a query must be met. */
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
      /** Whether none of the values may match; an object whose field is unset matches. */
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
  /** An array or relation that contains all of these. */
  | { readonly kind: 'holds'; readonly field: QueryField; readonly members: readonly Json[] }
  /** A relation that contains at least one of these. */
  | { readonly kind: 'meets'; readonly field: QueryField; readonly ids: ReadonlySet<number> }
  | { readonly kind: 'near'; readonly field: QueryField; readonly circle: Circle };

/** A point and a distance around it, including the edge. */
export interface Circle {
  readonly longitude: number;
  readonly latitude: number;
  readonly kilometers: number;
}

/** Condition on the objects that a field refers to, not yet parsed by the schema of their class. */
export interface NestedQuery {
  readonly field: QueryField;
  /** `self`, `user` or a class, in lower case. */
  readonly target: string;
  readonly query: JsonObject;
}

/** Parsed query. */
export interface ParsedQuery {
  readonly conditions: readonly Condition[];
  readonly nested: readonly NestedQuery[];
}
