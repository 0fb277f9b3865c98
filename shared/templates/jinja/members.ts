import {
  type Callable,
  compare,
  createDict,
  type Dict,
  display,
  elements,
  isDict,
  isEqual,
  Namespace,
  own,
  RenderError,
  typeName,
  Undefined,
  type Value,
} from './values.ts';

const unsafeNames = new Set(['constructor', 'prototype']);

/** Reads `value.name` or `value[name]`; returns an `Undefined` when there is no such member. */
export function member(value: Value, name: Value, isCalled = false): Value {
  if (value instanceof Undefined && value.isUnsafe) throw value.undefinedError();
  if (typeof name === 'string' && (name.startsWith('__') || unsafeNames.has(name))) {
    const text = `access to attribute '${name}' of '${typeName(value)}' object is unsafe.`;
    return new Undefined(text, true);
  }
  if (value instanceof Undefined) throw value.undefinedError();
  if (typeof name === 'number') return elementAt(value, name);
  if (typeof name !== 'string') return undefinedMember(value, name);
  const method = methodOf(value, name);
  if (method !== undefined && isCalled) return method; // a key of the same name does not shadow it
  const found = firstDefined(ownValue(value, name), method);
  return found === undefined ? undefinedMember(value, name) : found;
}

/** Returns the first value unless it is undefined. Null is a value. */
function firstDefined(a: Value | undefined, b: Value | undefined): Value | undefined {
  return a === undefined ? b : a;
}

function ownValue(value: Value, name: string): Value | undefined {
  if (Array.isArray(value)) return groupMember(value, name);
  const dict = value instanceof Namespace ? value.values : value;
  return isDict(dict) ? own(dict, name) : undefined;
}

/** Reads the named elements of a group from `groupby`; other lists have none. */
function groupMember(list: Value[] & { grouper?: Value; list?: Value }, name: string) {
  return name === 'grouper' || name === 'list' ? list[name] : undefined;
}

function elementAt(value: Value, at: number): Value {
  const list = typeof value === 'string' ? [...value] : value;
  const found = Array.isArray(list)
    ? list[at < 0 ? list.length + at : at]
    : ownValue(value, String(at));
  return found === undefined ? undefinedMember(value, at) : found;
}

function undefinedMember(value: Value, name: Value): Undefined {
  const of = value === null ? 'None' : `${typeName(value)} object`;
  return new Undefined(
    typeof name === 'string'
      ? `'${of}' has no attribute '${name}'`
      : `${of} has no element ${display(name)}`,
  );
}

/** Returns `value[start:stop:step]` of a list or string; null means omitted. */
export function slice(value: Value, start: Value, stop: Value, step: Value): Value {
  if (value instanceof Undefined) throw value.undefinedError();
  const list = typeof value === 'string' ? [...value] : value;
  if (!Array.isArray(list))
    throw new RenderError(`'${typeName(value)}' object is not subscriptable`);
  const increment = step === null ? 1 : toInteger(step);
  if (increment === 0) throw new RenderError('slice step cannot be zero');
  const part: Value[] = [];
  const [first, end] = increment > 0 ? [0, list.length] : [list.length - 1, -1];
  const clamp = (bound: Value, fallback: number) => {
    if (bound === null) return fallback;
    const at = toInteger(bound) < 0 ? toInteger(bound) + list.length : toInteger(bound);
    return Math.min(
      Math.max(at, increment > 0 ? 0 : -1),
      increment > 0 ? list.length : list.length - 1,
    );
  };
  const last = clamp(stop, end);
  for (let at = clamp(start, first); increment > 0 ? at < last : at > last; at += increment) {
    part.push(list[at] ?? null);
  }
  return typeof value === 'string' ? part.join('') : part;
}

function toInteger(value: Value): number {
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  throw new RenderError('slice indices must be integers or None or have an __index__ method');
}

type Method<Of> = (of: Of, args: readonly Value[]) => Value;

function methodOf(value: Value, name: string): Callable | undefined {
  if (typeof value === 'string') return bindMethod(textMethods, value, name);
  if (Array.isArray(value)) return bindMethod(listMethods, value, name);
  return isDict(value) ? bindMethod(dictMethods, value, name) : undefined;
}

function bindMethod<Of>(
  methods: Readonly<Record<string, Method<Of>>>,
  of: Of,
  name: string,
): Callable | undefined {
  const method = own(methods, name);
  return method && ((args) => method(of, args));
}

/** Sets a key of a dictionary, also `__proto__`. */
function setKey(dict: Dict, key: Value, value: Value): void {
  const property = { value, enumerable: true, writable: true, configurable: true };
  Object.defineProperty(dict, display(key), property);
}

function getKey(dict: Dict, key: Value = null, fallback: Value = null): Value {
  return firstDefined(ownValue(dict, display(key)), fallback) as Value; // `fallback` is never undefined
}

const dictMethods: Readonly<Record<string, Method<Dict>>> = {
  items: (dict) => Object.entries(dict),
  iteritems: (dict) => Object.entries(dict),
  keys: (dict) => Object.keys(dict),
  iterkeys: (dict) => Object.keys(dict),
  values: (dict) => Object.values(dict),
  itervalues: (dict) => Object.values(dict),
  get: (dict, [key, fallback]) => getKey(dict, key, fallback),
  has_key: (dict, [key = null]) => Object.hasOwn(dict, display(key)),
  copy: (dict) => createDict(Object.entries(dict)),
  pop: (dict, [key = null, fallback]) => {
    const name = display(key);
    const found = firstDefined(ownValue(dict, name), fallback);
    if (found === undefined) throw new RenderError(`'${name}'`);
    delete dict[name];
    return found;
  },
  setdefault: (dict, [key = null, value = null]) => {
    if (!Object.hasOwn(dict, display(key))) setKey(dict, key, value);
    return getKey(dict, key);
  },
  update: (dict, [other = null]) => {
    if (!isDict(other)) throw new RenderError(`'${typeName(other)}' object is not a dictionary`);
    for (const [key, value] of Object.entries(other)) setKey(dict, key, value);
    return null;
  },
};

const listMethods: Readonly<Record<string, Method<Value[]>>> = {
  append: (list, [value = null]) => {
    list.push(value);
    return null;
  },
  extend: (list, [more = null]) => {
    for (const each of [...elements(more)]) list.push(each);
    return null;
  },
  insert: (list, [at = 0, value = null]) => {
    list.splice(toInteger(at), 0, value);
    return null;
  },
  pop: (list, [at = -1]) => {
    const [removed] = list.splice(toInteger(at), 1);
    if (removed === undefined) throw new RenderError('pop index out of range');
    return removed;
  },
  remove: (list, [value = null]) => {
    list.splice(positionOf(list, value), 1);
    return null;
  },
  index: (list, [value = null]) => positionOf(list, value),
  count: (list, [value = null]) => list.filter((each) => isEqual(each, value)).length,
  reverse: (list) => {
    list.reverse();
    return null;
  },
  sort: (list) => {
    list.sort(compare);
    return null;
  },
};

function positionOf(list: readonly Value[], value: Value): number {
  const at = list.findIndex((each) => isEqual(each, value));
  if (at < 0) throw new RenderError(`${display(value)} is not in list`);
  return at;
}

/** Removes the characters of `set`, by default white space, from the ends of a string. */
function strip(text: string, set: Value | undefined, ends: 'both' | 'left' | 'right'): string {
  const isStripped = (character: string | undefined) =>
    character !== undefined &&
    (typeof set === 'string' ? set.includes(character) : /\s/.test(character));
  let [from, to] = [0, text.length];
  while (ends !== 'right' && from < to && isStripped(text[from])) from += 1;
  while (ends !== 'left' && to > from && isStripped(text[to - 1])) to -= 1;
  return text.slice(from, to);
}

function split(text: string, separator: Value | undefined, maxSplits: Value | undefined): Value[] {
  if (typeof separator !== 'string') return text.split(/\s+/).filter((part) => part !== '');
  if (separator === '') throw new RenderError('empty separator');
  const parts = text.split(separator);
  const limit = typeof maxSplits === 'number' && maxSplits >= 0 ? maxSplits : parts.length;
  if (parts.length <= limit + 1) return parts;
  return [...parts.slice(0, limit), parts.slice(limit).join(separator)];
}

const textMethods: Readonly<Record<string, Method<string>>> = {
  upper: (text) => text.toUpperCase(),
  lower: (text) => text.toLowerCase(),
  capitalize: (text) => text.charAt(0).toUpperCase() + text.slice(1).toLowerCase(),
  title: (text) =>
    text.toLowerCase().replace(/\p{L}+/gu, (word) => word.charAt(0).toUpperCase() + word.slice(1)),
  strip: (text, [set]) => strip(text, set, 'both'),
  lstrip: (text, [set]) => strip(text, set, 'left'),
  rstrip: (text, [set]) => strip(text, set, 'right'),
  split: (text, [separator, maxSplits]) => split(text, separator, maxSplits),
  splitlines: (text) => text.replace(/\r?\n$/, '').split(/\r?\n/),
  replace: (text, [old = '', by = '']) => text.replaceAll(display(old), () => display(by)),
  startswith: (text, [start = '']) => text.startsWith(display(start)),
  endswith: (text, [end = '']) => text.endsWith(display(end)),
  join: (text, [list = null]) => elements(list).map(display).join(text),
  find: (text, [part = '']) => text.indexOf(display(part)),
  count: (text, [part = '']) => text.split(display(part)).length - 1,
  isdigit: (text) => /^\d+$/.test(text),
  isalpha: (text) => /^\p{L}+$/u.test(text),
  isalnum: (text) => /^[\p{L}\p{N}]+$/u.test(text),
  isupper: (text) => text !== text.toLowerCase() && text === text.toUpperCase(),
  islower: (text) => text !== text.toUpperCase() && text === text.toLowerCase(),
  zfill: (text, [width = 0]) => text.padStart(toInteger(width), '0'),
  ljust: (text, [width = 0, fill = ' ']) => text.padEnd(toInteger(width), display(fill)),
  rjust: (text, [width = 0, fill = ' ']) => text.padStart(toInteger(width), display(fill)),
};
