import { ExactNumber } from './exact-number.ts';

/** A value that JSON can represent. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

/** Checks whether `value` is an object in the sense of JSON: neither null nor a list nor a number. */
export function isJsonObject(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null) return false;
  return !Array.isArray(value) && !(value instanceof ExactNumber);
}

/**
 * Returns the word that clients expect for the type of a JSON value (docs/reference/errors.md#field-messages; the names
 * are Python's).
 */
export function jsonTypeName(value: unknown): string {
  if (value === null || value === undefined) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  if (value instanceof ExactNumber) return value.isInteger ? 'int' : 'float';
  switch (typeof value) {
    case 'string':
      return 'str';
    case 'boolean':
      return 'bool';
    case 'number':
      return Number.isInteger(value) ? 'int' : 'float';
    default:
      return 'dict';
  }
}
