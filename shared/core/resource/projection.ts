import { isJsonObject, type Json, type JsonObject } from '../../values/json/json.ts';
import { queryValue } from '../http/message.ts';
import { type ItemBody, membersOf } from '../http/response-cache.ts';
import type { Field, Fields } from '../routing/forms.ts';

const maxParts = 65; // docs/reference/responses.md#field-projection

/** Removes fields from a response. */
export type Projection = <Body extends ItemBody>(body: Body, fields: Fields) => Body | JsonObject;

/** Keeps a response as it is. */
export const keepAll: Projection = (body) => body;

/** Reads `fields` and `excluded_fields`. Both apply to nested objects too. */
export function parseProjection(query: URLSearchParams): Projection {
  const wanted = names(queryValue(query, 'fields'));
  const unwanted = names(queryValue(query, 'excluded_fields'));
  if (wanted === undefined && unwanted === undefined) return keepAll;
  const isKept = (name: string) =>
    (wanted === undefined || wanted.has(name)) && (unwanted === undefined || !unwanted.has(name));
  const project = (body: JsonObject, fields: Fields): JsonObject => {
    const kept = Object.entries(body).filter(([name]) => isKept(name));
    return Object.fromEntries(
      kept.map(([name, value]) => [name, inside(value, childrenOf(fields[name]))]),
    );
  };
  const inside = (value: Json, children: Fields | undefined): Json => {
    if (children === undefined) return value;
    if (Array.isArray(value)) return value.map((entry: Json) => inside(entry, children));
    return isJsonObject(value) ? project(value, children) : value;
  };
  return (body, fields) => project(membersOf(body), fields);
}

/** Returns a check whether `fields` names a field: some are in no response that does not ask for them. */
export function namedFields(query: URLSearchParams): (field: string) => boolean {
  const named = names(queryValue(query, 'fields'));
  return (field) => named?.has(field) === true;
}

function childrenOf(field: Field | undefined): Fields | undefined {
  return field?.children ?? field?.child?.children;
}

function names(text: string | undefined): ReadonlySet<string> | undefined {
  if (text === undefined || text === '') return undefined;
  return new Set(text.split(',', maxParts));
}
