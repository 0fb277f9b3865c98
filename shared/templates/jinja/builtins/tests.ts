import { comparisonOperators } from '../operators.ts';
import {
  contains,
  display,
  isDict,
  numberOrUndefined,
  own,
  RenderError,
  Undefined,
  type Value,
} from '../values.ts';

type Test = (value: Value, other: Value) => boolean;

/** Checks whether a test with this name exists. */
export function hasTest(name: string): boolean {
  return Object.hasOwn(tests, name);
}

/** Applies a test to the first argument. */
export function applyTest(name: string, [value = null, other = null]: readonly Value[]): boolean {
  const test = own(tests, name);
  if (test === undefined) throw new RenderError(`no test named '${name}'`);
  return test(value, other);
}

function remainder(value: Value, by: Value): number | undefined {
  const [number, divisor] = [numberOrUndefined(value), numberOrUndefined(by)];
  return number === undefined || divisor === undefined ? undefined : Math.abs(number % divisor);
}

/** Creates a test from a comparison operator. */
function comparison(sign: string): Test {
  return (value, other) => own(comparisonOperators, sign)?.(value, other) === true;
}

const isList = (value: Value) => Array.isArray(value) || typeof value === 'string' || isDict(value);
const [equal, unequal] = [comparison('=='), comparison('!=')];
const [greater, less] = [comparison('>'), comparison('<')];
const [atLeast, atMost] = [comparison('>='), comparison('<=')];

const tests: Readonly<Record<string, Test>> = {
  boolean: (value) => typeof value === 'boolean',
  callable: (value) => typeof value === 'function',
  defined: (value) => !(value instanceof Undefined),
  divisibleby: (value, by) => remainder(value, by) === 0,
  ...{ eq: equal, equalto: equal, ne: unequal, sameas: equal },
  ...{ gt: greater, greaterthan: greater, ge: atLeast },
  ...{ lt: less, lessthan: less, le: atMost },
  even: (value) => remainder(value, 2) === 0,
  false: (value) => value === false,
  float: (value) => typeof value === 'number' && !Number.isInteger(value),
  in: (value, container) => contains(container, value),
  integer: (value) => Number.isInteger(value),
  iterable: isList,
  lower: (value) => display(value) === display(value).toLowerCase(),
  mapping: isDict,
  none: (value) => value === null,
  number: (value) => numberOrUndefined(value) !== undefined,
  odd: (value) => remainder(value, 2) === 1,
  sequence: isList,
  string: (value) => typeof value === 'string',
  true: (value) => value === true,
  undefined: (value) => value instanceof Undefined,
  upper: (value) => display(value) === display(value).toUpperCase(),
};
