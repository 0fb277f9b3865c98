import type { CompiledClass } from '../../classes/rules/compiled-class.ts';
import { dataMessages } from '../../values/errors/data-messages.ts';
import { isJsonObject, type Json, type JsonObject } from '../../values/json/json.ts';
import {
  isStorable,
  readDoubles,
  readJson,
  readWellFormed,
} from '../../values/json/json-values.ts';
import { characterCount, read, reject, type ValueResult } from '../../values/scalars.ts';
import { schemaOf, type ValueSchema } from '../../values/values.ts';
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

/** The lookup whose value is a query. */
export const nestedLookup = '_is';
const maxKeys = 16;
const maxKeyLength = 64;
const maxValueLength = 8192;
const maxNested = 4;
const doubleNested = 'Double nested queries are not allowed.';
const tooManyNested = `Too many nested queries defined (exceeds ${maxNested}).`;

/**
 * Parses the filter of a list (docs/reference/queries.md#grammar).
 *
 * @param texts every occurrence of the `query` parameter; all apply, an empty one is ignored, and equal texts count
 *              once, since clients add theirs to links that already have it
 * @throws ApiError 400 for the first error
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
  if (nested.length > maxNested) throw queryErrors.form([tooManyNested]);
  return { conditions, nested };
}

/**
 * Parses a query whose form was checked: a nested one.
 *
 * @throws ApiError 400 for the first error
 */
export function parseQuery(query: JsonObject, compiled: CompiledClass): ParsedQuery {
  return readLookups(query, (name) => findField(compiled, name));
}

/**
 * Parses a nested query on users; converts its names to lower case, as names are stored.
 *
 * @param profile the class of profiles
 * @throws ApiError 400 for the first error
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

/** Returns a field if filters may use it. */
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

/** Parses the text of a query and checks its form, including nested queries. */
function readQuery(text: string): JsonObject {
  const parsed = readJson(text);
  if (!parsed.ok) throw queryErrors.notJson();
  const form = readForm(parsed.value);
  if (!form.ok) throw queryErrors.form(form.messages);
  return form.value;
}

/**
 * Returns the schema of a stored query: its form is checked, its fields are not. The empty text is the empty query
 * (docs/reference/data-endpoints.md#record).
 */
export function queryForm(): ValueSchema<JsonObject> {
  return schemaOf((input) => {
    const parsed = input === '' ? read({}) : readJson(input);
    const doubles = parsed.ok ? readDoubles(parsed.value) : parsed; // stored, unlike the query of a request
    return doubles.ok ? readForm(doubles.value) : doubles;
  });
}

function readForm(value: unknown): ValueResult<JsonObject> {
  if (!isJsonObject(value) || !isStorable(value)) {
    return reject(dataMessages.invalidFormat('Query'));
  }
  const fault = formFault(value, 'outer');
  return fault === undefined ? readWellFormed<JsonObject>(value) : reject(fault);
}

/** Returns the error in the form of a query, including nested queries: in its type or the lengths of its parts. */
function formFault(query: Json | undefined, level: 'outer' | 'nested'): string | undefined {
  if (!isJsonObject(query)) return dataMessages.invalidFormat('Query');
  const entries = Object.entries(query);
  if (entries.length > maxKeys) return dataMessages.tooManyKeys(maxKeys);
  const nested = entries.flatMap(([, value]) =>
    isJsonObject(value) && Object.hasOwn(value, nestedLookup) ? [value[nestedLookup]] : [],
  );
  return (
    firstOf(entries, ([key, value]) => lengthFault(key, value)) ??
    (nested.length > 0 && level === 'nested' ? doubleNested : undefined) ??
    (nested.length > maxNested ? tooManyNested : undefined) ??
    firstOf(nested, (inner) => formFault(inner, 'nested'))
  );
}

function lengthFault(key: string, value: Json | undefined): string | undefined {
  if (characterCount(key) > maxKeyLength) return dataMessages.keyTooLong(maxKeyLength);
  return JSON.stringify(value).length > maxValueLength
    ? dataMessages.valueTooLong(key, maxValueLength)
    : undefined;
}

function firstOf<Part>(
  parts: readonly Part[],
  faultOf: (part: Part) => string | undefined,
): string | undefined {
  for (const part of parts) {
    const fault = faultOf(part);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
