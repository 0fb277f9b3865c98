/*
 * What a template works with: plain data, and a few functions of ours. Names of types and texts of errors are those
 * of the language that templates are written for (Jinja).
 */

/** Thrown when a template cannot be rendered: its message is for the client. */
export class RenderError extends Error {}

/** Thrown when a template goes on from something that it may not reach. */
export class UnsafeAccess extends Error {}

/** Something that is not there. It prints nothing, holds nothing and is false; all else done with it is an error. */
export class Undefined {
  readonly hint: string;
  readonly isUnsafe: boolean;

  constructor(hint: string, isUnsafe = false) {
    this.hint = hint;
    this.isUnsafe = isUnsafe;
  }

  /** The error of whoever goes on from here. */
  refusal(): Error {
    return this.isUnsafe ? new UnsafeAccess() : new RenderError(this.hint);
  }

  toJSON(): null {
    return null;
  }
}

/** A function that a template may call. */
export type Callable = (args: readonly Value[], named: Readonly<Record<string, Value>>) => Value;

/** A set of values by name, which alone can be changed by `set`. */
export class Namespace {
  readonly values: Dict;

  constructor(values: Dict) {
    this.values = values;
  }
}

/** Values by key: its own properties and nothing else. */
export interface Dict {
  [key: string]: Value;
}

/** Anything that an expression can give. */
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

/** Tells whether a value is a dictionary. */
export function isDict(value: Value): value is Dict {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Undefined) &&
    !(value instanceof Namespace)
  );
}

/** Returns what a table holds under a name that a template may have chosen; names that all objects inherit are absent. */
export function own<Entry>(
  table: Readonly<Record<string, Entry>>,
  name: string,
): Entry | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** An empty dictionary. */
export function createDict(entries: Iterable<readonly [string, Value]> = []): Dict {
  const dict: Dict = Object.create(null);
  for (const [key, value] of entries) dict[key] = value;
  return dict;
}

/** What `groupby` gives of items with one value: a pair, whose halves have names too. */
export function createGroup(grouper: Value, list: Value[]): Value[] {
  return Object.assign([grouper, list], { grouper, list });
}

/** Name of a value's type. */
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

/** A value as it is printed: lists and dictionaries as compact JSON. */
export function display(value: Value): string {
  if (typeof value === 'string') return value;
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'function') return '<function>';
  if (value instanceof Undefined) return '';
  return toJson(value instanceof Namespace ? value.values : value);
}

/** The JSON text of a value. */
export function toJson(value: Value, indent?: number): string {
  return JSON.stringify(value, undefined, indent) ?? 'null';
}

/** Tells whether a value counts as true: nothing that is empty does. */
export function isTrue(value: Value): boolean {
  if (value instanceof Undefined) return false;
  if (Array.isArray(value)) return value.length > 0;
  if (isDict(value)) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** What a loop over a value visits: elements, characters or keys. */
export function elements(value: Value): Value[] {
  if (value instanceof Undefined) {
    if (value.isUnsafe) throw value.refusal();
    return [];
  }
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') return [...value];
  if (isDict(value)) return Object.keys(value);
  throw new RenderError(`'${typeName(value)}' object is not iterable`);
}

/** Tells whether two values are equal, lists and dictionaries by what they hold. */
export function isEqual(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (a instanceof Undefined) return b instanceof Undefined;
  if (typeof a === 'boolean' || typeof b === 'boolean') {
    return numberOf(a) !== undefined && numberOf(a) === numberOf(b);
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

/** Tells whether a value is in a text, a list or the keys of a dictionary. */
export function contains(whole: Value, part: Value): boolean {
  if (typeof whole === 'string') {
    if (typeof part === 'string') return whole.includes(part);
    throw new RenderError(`'in <string>' requires string as left operand, not ${typeName(part)}`);
  }
  if (isDict(whole)) return typeof part === 'string' && Object.hasOwn(whole, part);
  return elements(whole).some((each) => isEqual(each, part));
}

/**
 * Compares two numbers, texts or lists.
 *
 * @returns below 0, 0 or above 0, as for sorting
 * @throws RenderError when they have no order
 */
export function compare(a: Value, b: Value): number {
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  if (Array.isArray(a) && Array.isArray(b)) return compareLists(a, b);
  const [first, second] = [numberOf(a), numberOf(b)];
  if (first !== undefined && second !== undefined) return first - second;
  for (const value of [a, b]) if (value instanceof Undefined) throw value.refusal();
  const types = `'${typeName(a)}' and '${typeName(b)}'`;
  throw new RenderError(`'<' not supported between instances of ${types}`);
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The first elements that differ decide, and then the length. */
function compareLists(a: readonly Value[], b: readonly Value[]): number {
  for (const [at, each] of a.entries()) {
    const other = b[at];
    if (other === undefined) return 1;
    if (!isEqual(each, other)) return compare(each, other);
  }
  return a.length - b.length;
}

/** A number, or a boolean as one; undefined for all else. */
export function numberOf(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'boolean' ? Number(value) : undefined;
}
