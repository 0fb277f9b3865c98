import { maxStructure } from '../bounds.ts';
import { messages } from '../errors/messages.ts';
import { halfCharacterIn, read, reject, type ValueResult } from '../scalars.ts';
import {
  asDouble,
  ExactNumber,
  parseExactJson,
  wellFormedText,
  writeExactJson,
} from './exact-number.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { measureStructure } from './json-structure.ts';

/** Maximum nesting of lists and objects in a stored value. Deeper ones could exhaust the stack. */
export const maxDepth = 100;

/**
 * Reads JSON: text is parsed, any other value is used unchanged (forms and some clients send JSON as text). Text with
 * more than {@link maxStructure} brackets, commas and colons is rejected. The value may have an `ExactNumber` anywhere.
 */
export function readJson(input: unknown): ValueResult<unknown> {
  if (typeof input !== 'string') return read(input);
  if (isTooCostly(input)) return reject(messages.notJson);
  try {
    return read(parseExactJson(input));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return reject(messages.notJson);
  }
}

function isTooCostly(text: string): boolean {
  if (text.length <= maxStructure) return false;
  return measureStructure(text, maxStructure, Number.POSITIVE_INFINITY).characters > maxStructure;
}

/**
 * Reads JSON that is stored as it is: as {@link readDoubles}, and without lone surrogates.
 *
 * @param message about a value that is not {@link isStorable}
 */
export function readStorable(value: unknown, message: string): ValueResult<Json> {
  const numbers: ExactNumber[] = [];
  if (!isStorable(value, numbers)) return reject(message);
  const doubles = numbers.length === 0 ? read(value) : toDoubles(value, numbers);
  return doubles.ok ? readWellFormed(doubles.value) : doubles;
}

/**
 * Rejects JSON with a lone surrogate, in keys too: it could not be stored as it is (docs/reference/requests.md#text).
 *
 * @param value one that {@link isStorable}
 */
export function readWellFormed<T extends Json>(value: T): ValueResult<T> {
  const broken = brokenTextIn(value);
  return broken === undefined ? read(value) : reject(halfCharacterIn(broken));
}

/**
 * Rejects JSON with an integer that a double does not give back; other numbers become doubles
 * (docs/reference/requests.md#large-numbers). What is not {@link isStorable} is left to the caller.
 */
export function readDoubles(value: unknown): ValueResult<unknown> {
  const numbers: ExactNumber[] = [];
  const isRead = !isStorable(value, numbers) || numbers.length === 0;
  return isRead ? read(value) : toDoubles(value, numbers);
}

function toDoubles(value: Json, numbers: readonly ExactNumber[]): ValueResult<Json> {
  const integer = numbers.find(({ isInteger }) => isInteger);
  return integer === undefined
    ? read(withDoubles(value) as Json) // the shape is unchanged
    : reject(messages.inexact(integer.text));
}

function withDoubles(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withDoubles);
  if (!isJsonObject(value)) return asDouble(value);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withDoubles(each)]));
}

/**
 * Checks whether a parsed JSON value may be stored: at most {@link maxDepth} levels, and no number that JSON cannot
 * represent (`1e999` is parsed as infinity).
 *
 * @param numbers gets the numbers of the value that no double gives back
 */
export function isStorable(value: unknown, numbers?: ExactNumber[]): value is Json {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= maxDepth; depth += 1) {
    const below: unknown[] = [];
    for (const entry of level) {
      if (entry === Number.POSITIVE_INFINITY || entry === Number.NEGATIVE_INFINITY) return false;
      if (entry instanceof ExactNumber) numbers?.push(entry);
      else addMembers(below, entry);
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

/**
 * Replaces every lone surrogate, in keys too, with U+FFFD; returns the same value when there is none. For arguments of
 * scripts, which third parties choose.
 *
 * @param value one that {@link isStorable}
 */
export function wellFormedJson<T extends Json>(value: T): T {
  if (brokenTextIn(value) === undefined) return value;
  // the shape is unchanged: only characters inside texts change
  return parseExactJson(wellFormedText(writeExactJson(value))) as T;
}

/** Returns a key or a text that has a lone surrogate; undefined when none has. Faster than writing the value. */
function brokenTextIn(value: Json): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : value;
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return firstBroken(value);
  const members = value as JsonObject; // an object that is no list
  for (const name in members) {
    if (!name.isWellFormed()) return name;
    const broken = brokenTextIn(members[name] ?? null);
    if (broken !== undefined) return broken;
  }
  return undefined;
}

function firstBroken(list: readonly Json[]): string | undefined {
  for (const each of list) {
    const broken = brokenTextIn(each);
    if (broken !== undefined) return broken;
  }
  return undefined;
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
