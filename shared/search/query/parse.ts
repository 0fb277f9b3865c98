import type { CompiledClass } from '../../classes/rules/compiled-class.ts';
import { dataMessages } from '../../values/errors/data-messages.ts';
import { isJsonObject, type Json, type JsonObject } from '../../values/json/json.ts';
import { isStorable, readJson, wellFormedJson } from '../../values/json/json-values.ts';
import { characterCount, type Reading, read, refuse } from '../../values/scalars.ts';
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

const nestedLookup = '_is';
const maxKeys = 16;
const maxKeyLength = 64;
const maxValueLength = 8192;
const maxNested = 4;
const doubleNested = 'Double nested queries are not allowed.';
const tooManyNested = `Too many nested queries defined (exceeds ${maxNested}).`;

/**
 * Reads the filter of a list (docs/reference/queries.md#grammar).
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
  if (nested.length > maxNested) throw queryErrors.form([tooManyNested]);
  return { conditions, nested };
}

/**
 * Reads a query whose form was checked: one nested in another.
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
  const form = readForm(parsed.value);
  if (!form.ok) throw queryErrors.form(form.messages);
  return form.value;
}

/**
 * A query that is kept to be applied later: its form is checked, what it says of fields is not. The empty text is
 * the empty query (docs/reference/data-endpoints.md#record).
 */
export function queryForm(): ValueSchema<JsonObject> {
  return schemaOf((input) => {
    const parsed = input === '' ? read({}) : readJson(input);
    return parsed.ok ? readForm(parsed.value) : parsed;
  });
}

function readForm(value: unknown): Reading<JsonObject> {
  if (!isJsonObject(value) || !isStorable(value)) {
    return refuse(dataMessages.invalidFormat('Query'));
  }
  const query = wellFormedJson(value);
  const fault = formFault(query, 'outer');
  return fault === undefined ? read(query) : refuse(fault);
}

/** What is wrong with the form of a query, nested queries included: what it is, and the lengths of its parts. */
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
