import type { CompiledClass } from '../compiled-class.ts';
import { dataMessages } from '../data-messages.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { isStorable, readJson, wellFormedJson } from '../json-values.ts';
import { characterCount } from '../scalars.ts';
import type { Condition, NestedQuery, ParsedQuery } from './conditions.ts';
import { queryErrors } from './errors.ts';
import {
  type FoundField,
  findField,
  findUserField,
  type QueryField,
  usernameField,
} from './fields.ts';
import { parseLookup } from './lookups.ts';

const nestedLookup = '_is';
const maxKeys = 16;
const maxKeyLength = 64;
const maxValueLength = 8192;
const maxNested = 4;

/**
 * Reads the filter of a list (reference: query grammar, lookups by type).
 *
 * @param texts every copy of the `query` parameter; they apply together, an empty one does not count, and the same
 *              text counts once, since clients add theirs to links that have it already
 * @throws ApiError 400 for whatever is wrong first
 */
export function parseQueries(texts: readonly string[], compiled: CompiledClass): ParsedQuery {
  const conditions: Condition[] = [];
  const nested: NestedQuery[] = [];
  for (const text of new Set(texts)) {
    if (text === '') continue;
    const parsed = parseQuery(readQuery(text), compiled);
    conditions.push(...parsed.conditions);
    nested.push(...parsed.nested);
  }
  if (nested.length > maxNested) throw tooManyNested();
  return { conditions, nested };
}

/**
 * Reads a query whose form was checked: one stored with a data endpoint, or one nested in another.
 *
 * @throws ApiError 400 for whatever is wrong first
 */
export function parseQuery(query: JsonObject, compiled: CompiledClass): ParsedQuery {
  return readLookups(query, (name) => findField(compiled, name));
}

/**
 * Reads a nested query on users; what it says of names is in lower case, as names are.
 *
 * @param profile the class of profiles
 * @throws ApiError 400 for whatever is wrong first
 */
export function parseUserQuery(query: JsonObject, profile: CompiledClass): ParsedQuery {
  const { conditions, nested } = readLookups(query, (name) => findUserField(profile, name));
  return { nested, conditions: conditions.map(inLowerCase) };
}

function inLowerCase(condition: Condition): Condition {
  if (condition.field !== usernameField) return condition;
  switch (condition.kind) {
    case 'compare':
      return { ...condition, value: String(condition.value).toLowerCase() };
    case 'among':
      return { ...condition, values: condition.values.map((one) => String(one).toLowerCase()) };
    case 'text':
      return { ...condition, text: condition.text.toLowerCase() };
    case 'exists':
    case 'holds':
    case 'meets':
    case 'near':
      return condition;
  }
}

function readLookups(query: JsonObject, find: (name: string) => FoundField): ParsedQuery {
  const conditions: Condition[] = [];
  const nested: NestedQuery[] = [];
  for (const [name, lookups] of Object.entries(query)) {
    const field = usable(find(name), name);
    if (!isJsonObject(lookups)) throw queryErrors.notLookups(name);
    for (const [lookup, value] of Object.entries(lookups)) {
      if (lookup === nestedLookup && field.target !== undefined && isJsonObject(value)) {
        nested.push({ field, target: field.target.toLowerCase(), query: value });
      } else {
        conditions.push(parseLookup(field, lookup, value));
      }
    }
  }
  return { conditions, nested };
}

/** A field that was found, when filters may use it. */
function usable(found: FoundField, name: string): QueryField {
  switch (found.kind) {
    case 'unknown':
      throw queryErrors.unknownField(name);
    case 'system':
      if (found.field === undefined) throw queryErrors.notIndexed(name);
      return found.field;
    case 'class': {
      const { definition, index } = found.compiled;
      if (definition.filter_index !== true || index === 'building') {
        throw queryErrors.notIndexed(name);
      }
      return found.field;
    }
  }
}

/** Reads the text of a query and checks its form, that of nested queries included. */
function readQuery(text: string): JsonObject {
  const parsed = readJson(text);
  if (!parsed.ok) throw queryErrors.notJson();
  const { value } = parsed;
  if (!isStorable(value)) throw queryErrors.form(dataMessages.invalidFormat('Query'));
  const query = wellFormedJson(value);
  checkForm(query, 'outer');
  return query;
}

/**
 * Checks the form of a query: what it is, and the lengths of its parts.
 *
 * @throws ApiError 400
 */
function checkForm(query: unknown, level: 'outer' | 'nested'): asserts query is JsonObject {
  if (!isJsonObject(query)) throw queryErrors.form(dataMessages.invalidFormat('Query'));
  const entries = Object.entries(query);
  if (entries.length > maxKeys) throw queryErrors.form(dataMessages.tooManyKeys(maxKeys));
  for (const [key, value] of entries) checkLengths(key, value);
  const nested = entries.flatMap(([, value]) =>
    isJsonObject(value) && Object.hasOwn(value, nestedLookup) ? [value[nestedLookup]] : [],
  );
  if (nested.length > 0 && level === 'nested') {
    throw queryErrors.form('Double nested queries are not allowed.');
  }
  if (nested.length > maxNested) throw tooManyNested();
  for (const inner of nested) checkForm(inner, 'nested');
}

function checkLengths(key: string, value: Json | undefined): void {
  if (characterCount(key) > maxKeyLength) {
    throw queryErrors.form(dataMessages.keyTooLong(maxKeyLength));
  }
  if (JSON.stringify(value).length > maxValueLength) {
    throw queryErrors.form(dataMessages.valueTooLong(key, maxValueLength));
  }
}

function tooManyNested() {
  return queryErrors.form(`Too many nested queries defined (exceeds ${maxNested}).`);
}
