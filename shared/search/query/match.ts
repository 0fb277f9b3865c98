import type { Json } from '../../values/json/json.ts';
import type { Comparison, Condition } from './conditions.ts';
import type { QueriedObject } from './fields.ts';
import { distanceKm, toPoint } from './geo/geo.ts';
import type { Scalar } from './operands.ts';
import { textMatcher } from './text-match.ts';
import { compareText } from './text-order.ts';

/** Checks whether an object meets a condition. */
export type Matcher = (object: QueriedObject) => boolean;

/** Returns a function that checks whether an object meets all `conditions`. */
export function matcherOf(conditions: readonly Condition[]): Matcher {
  const matchers = conditions.map(matcher);
  switch (matchers.length) {
    case 0:
      return () => true;
    case 1:
      return matchers[0] as Matcher; // exists, by the length
    default:
      return (object) => matchers.every((matches) => matches(object));
  }
}

/**
 * Compares two values of one field: negative when `a` comes first; false is before true, texts are in the order of
 * their code points.
 */
export function compareValues(a: Scalar, b: Scalar): number {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  return Number(a) - Number(b);
}

function matcher(condition: Condition): Matcher {
  const valueIn = condition.field.valueOf;
  switch (condition.kind) {
    case 'compare':
      return comparisonMatcher(condition);
    case 'among': {
      const { isNegated } = condition;
      const values = new Set<Json | undefined>(condition.values);
      // null is not in the list, so it matches a negated condition
      return (object) => values.has(valueIn(object)) !== isNegated;
    }
    case 'exists':
      return (object) => isSet(valueIn(object)) === condition.isSet;
    case 'text': {
      const matches = textMatcher(condition);
      return (object) => {
        const value = valueIn(object);
        return typeof value === 'string' && matches(value);
      };
    }
    case 'holds': {
      const { members } = condition;
      return (object) => {
        const value = valueIn(object);
        return Array.isArray(value) && members.every((member) => value.includes(member));
      };
    }
    case 'meets': {
      const { ids } = condition;
      return (object) => {
        const value = valueIn(object);
        return Array.isArray(value) && value.some((id) => ids.has(id));
      };
    }
    case 'near': {
      const { circle } = condition;
      return (object) => {
        const point = toPoint(valueIn(object));
        return point !== undefined && distanceKm(point, circle) <= circle.kilometers;
      };
    }
  }
}

function isSet(value: Json | undefined): value is Exclude<Json, null> {
  return value !== undefined && value !== null;
}

function comparisonMatcher(condition: Extract<Condition, { readonly kind: 'compare' }>): Matcher {
  const { field, comparison, value: wanted } = condition;
  const fits = outcomes[comparison];
  return (object) => {
    const value = field.valueOf(object);
    // stored values of a comparable field are scalars
    return isSet(value) ? fits(compareValues(value as Scalar, wanted)) : comparison === 'neq';
  };
}

/** Results of `compareValues` that match, by comparison. */
const outcomes: Readonly<Record<Comparison, (order: number) => boolean>> = {
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
  eq: (order) => order === 0,
  neq: (order) => order !== 0,
};
