import { maxStructure } from '../bounds.ts';
import { messages } from '../errors/messages.ts';
import { type Reading, read, refuse } from '../scalars.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { measureStructure } from './json-structure.ts';

/** Maximum nesting of lists and objects in a stored value. Deeper ones could exhaust the stack. */
export const maxDepth = 100;

/**
 * Reads JSON: text is parsed, any other value is used unchanged (forms and some clients send JSON as text). Text with
 * more than {@link maxStructure} brackets, commas and colons is rejected.
 */
export function readJson(input: unknown): Reading<unknown> {
  if (typeof input !== 'string') return read(input);
  if (isTooCostly(input)) return refuse(messages.notJson);
  try {
    return read(JSON.parse(input));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return refuse(messages.notJson);
  }
}

function isTooCostly(text: string): boolean {
  if (text.length <= maxStructure) return false;
  return measureStructure(text, maxStructure, Number.POSITIVE_INFINITY).characters > maxStructure;
}

/**
 * Checks whether a parsed JSON value may be stored: at most {@link maxDepth} levels, and no number that JSON cannot
 * represent (`1e999` is parsed as infinity).
 */
export function isStorable(value: unknown): value is Json {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= maxDepth; depth += 1) {
    const below: unknown[] = [];
    for (const entry of level) {
      if (entry === Number.POSITIVE_INFINITY || entry === Number.NEGATIVE_INFINITY) return false;
      addMembers(below, entry);
    }
    if (below.length === 0) return true;
    level = below;
  }
  return false;
}

/** Adds members without spreading into `push`: a list of a million members would exhaust the stack. */
function addMembers(below: unknown[], parent: unknown): void {
  if (typeof parent !== 'object' || parent === null) return;
  for (const member of Array.isArray(parent) ? parent : Object.values(parent)) below.push(member);
}

/** A lone surrogate in JSON text; the first branch skips escaped backslashes. */
const escapedSurrogates = /\\\\|\\ud[89a-f][0-9a-f]{2}/g;

/**
 * Replaces every lone surrogate, in keys too, with U+FFFD; returns the same value when there is none.
 *
 * @param value one that {@link isStorable}
 */
export function wellFormedJson<T extends Json>(value: T): T {
  if (isWellFormed(value)) return value;
  const text = JSON.stringify(value);
  // the shape is unchanged: only characters inside texts change
  return JSON.parse(text.replace(escapedSurrogates, (part) => (part === '\\\\' ? part : '\uFFFD')));
}

/** Checks whether no key and no text has a lone surrogate; faster than writing the value. */
function isWellFormed(value: Json): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isWellFormed);
  const members = value as JsonObject; // an object that is no list
  for (const name in members) {
    if (!name.isWellFormed() || !isWellFormed(members[name] ?? null)) return false;
  }
  return true;
}

/**
 * Checks whether two JSON values are equal: types are distinguished (`1` is neither `"1"` nor `true`), the order of an
 * object's keys does not matter.
 *
 * @param a one that {@link isStorable}
 */
export function isSameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) && a.length === b.length && a.every((item, i) => isSameJson(item, b[i]))
    );
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isSameJson(a[key], b[key]));
}
