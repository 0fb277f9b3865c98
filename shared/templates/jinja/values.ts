/*
 * The values of a template: plain data and a few functions of this project. Type names and error messages are those of
 * Jinja, the language of the templates.
 */

/** Thrown when a template cannot be rendered. The message is shown to the client. */
export class RenderError extends Error {}

/** Thrown when a template uses a member that it may not access. */
export class UnsafeAccess extends Error {}

/** A missing value. It prints nothing, has no elements and is false; any other use throws. */
export class Undefined {
  readonly hint: string;
  readonly isUnsafe: boolean;

  constructor(hint: string, isUnsafe = false) {
    this.hint = hint;
    this.isUnsafe = isUnsafe;
  }

  /** Creates the error for an invalid use of this value. */
  undefinedError(): Error {
    return this.isUnsafe ? new UnsafeAccess() : new RenderError(this.hint);
  }

  toJSON(): null {
    return null;
  }
}

/** A function that a template may call. */
export type Callable = (args: readonly Value[], named: Readonly<Record<string, Value>>) => Value;

/** Named values, the only ones whose attributes `set` can change. */
export class Namespace {
  readonly values: Dict;

  constructor(values: Dict) {
    this.values = values;
  }
}

/** Values by key; only its own properties count. */
export interface Dict {
  [key: string]: Value;
}

/** The value of an expression. */
export type Value =
  | null
  | boolean
  | number
  | string
  | Undefined
  | Namespace
  | Callable
  | Value[]
  | Dict;

/** Checks whether a value is a dictionary. */
export function isDict(value: Value): value is Dict {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Undefined) &&
    !(value instanceof Namespace)
  );
}

/** Reads the entry of a table with a name that may come from a template. Inherited properties are absent. */
export function own<Entry>(
  table: Readonly<Record<string, Entry>>,
  name: string,
): Entry | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Creates a dictionary without a prototype. */
export function createDict(entries: Iterable<readonly [string, Value]> = []): Dict {
  const dict: Dict = Object.create(null);
  for (const [key, value] of entries) dict[key] = value;
  return dict;
}

/** Creates a group as `groupby` returns it: a pair whose elements also have names. */
export function createGroup(grouper: Value, list: Value[]): Value[] {
  return Object.assign([grouper, list], { grouper, list });
}

/** Returns the name of a value's type. */
export function typeName(value: Value): string {
  if (value === null) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'number':
      return Number.isInteger(value) ? 'int' : 'float';
    case 'string':
      return 'str';
    case 'function':
      return 'function';
    default:
      if (value instanceof Undefined) return 'Undefined';
      return value instanceof Namespace ? 'Namespace' : 'dict';
  }
}

/** Converts a value to its printed text; lists and dictionaries become compact JSON. */
export function display(value: Value): string {
  if (typeof value === 'string') return value;
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'function') return '<function>';
  if (value instanceof Undefined) return '';
  return toJson(value instanceof Namespace ? value.values : value);
}

export function toJson(value: Value, indent?: number): string {
  return JSON.stringify(value, undefined, indent) ?? 'null';
}

/** Checks whether a value is true in a condition; empty values are false. */
export function isTrue(value: Value): boolean {
  if (value instanceof Undefined) return false;
  if (Array.isArray(value)) return value.length > 0;
  if (isDict(value)) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** Returns the values that a loop iterates over: elements, characters or keys. */
export function elements(value: Value): Value[] {
  if (value instanceof Undefined) {
    if (value.isUnsafe) throw value.undefinedError();
    return [];
  }
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') return [...value];
  if (isDict(value)) return Object.keys(value);
  throw new RenderError(`'${typeName(value)}' object is not iterable`);
}

/** Checks whether two values are equal. Lists and dictionaries are compared by content. */
export function isEqual(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (a instanceof Undefined) return b instanceof Undefined;
  if (typeof a === 'boolean' || typeof b === 'boolean') {
    return numberOrUndefined(a) !== undefined && numberOrUndefined(a) === numberOrUndefined(b);
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((each, at) => isEqual(each, b[at] ?? null));
  }
  return isDict(a) && isDict(b) && isEqualDict(a, b);
}

function isEqualDict(a: Dict, b: Dict): boolean {
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key] ?? null, b[key] ?? null))
  );
}

/** Checks whether a string, a list or the keys of a dictionary contain a value. */
export function contains(container: Value, part: Value): boolean {
  if (typeof container === 'string') {
    if (typeof part === 'string') return container.includes(part);
    throw new RenderError(`'in <string>' requires string as left operand, not ${typeName(part)}`);
  }
  if (isDict(container)) return typeof part === 'string' && Object.hasOwn(container, part);
  return elements(container).some((each) => isEqual(each, part));
}

/**
 * Compares two numbers, strings or lists.
 *
 * @returns below 0, 0 or above 0, as for sorting
 * @throws RenderError when the values have no order
 */
export function compare(a: Value, b: Value): number {
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  if (Array.isArray(a) && Array.isArray(b)) return compareLists(a, b);
  const [first, second] = [numberOrUndefined(a), numberOrUndefined(b)];
  if (first !== undefined && second !== undefined) return first - second;
  for (const value of [a, b]) if (value instanceof Undefined) throw value.undefinedError();
  const types = `'${typeName(a)}' and '${typeName(b)}'`;
  throw new RenderError(`'<' not supported between instances of ${types}`);
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Compares lists by the first elements that differ, then by length. */
function compareLists(a: readonly Value[], b: readonly Value[]): number {
  for (const [at, each] of a.entries()) {
    const other = b[at];
    if (other === undefined) return 1;
    if (!isEqual(each, other)) return compare(each, other);
  }
  return a.length - b.length;
}

/** Converts a number or boolean to a number; undefined for other types. */
export function numberOrUndefined(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'boolean' ? Number(value) : undefined;
}
