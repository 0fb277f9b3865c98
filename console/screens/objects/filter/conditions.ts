import { writeExactJson } from '../../../../shared/values/json/exact-number.ts';
import { lookupTexts } from '../../../../shared/values/queries/lookup-texts.ts';
import { ApiProblem } from '../../../core/api.ts';
import { parseJson, parseNumber, parseObject } from '../../../core/json-text.ts';
import type { ObjectColumn } from '../object-data.ts';

/** A condition of a filter as a person edits it. */
export interface FilterCondition {
  readonly field: string;
  readonly lookup: string;
  /** The value as text; see `parseValue`. */
  readonly text: string;
}

const comparing = ['_eq', '_neq', '_gt', '_gte', '_lt', '_lte', '_in', '_nin', '_exists'];
const reading = ['_startswith', '_endswith', '_contains', '_like'];
const readingAnyCase = ['_istartswith', '_iendswith', '_icontains', '_ilike', '_ieq'];

/** Returns a condition as a person reads it: `stock > 990`. */
export function conditionText({ field, lookup, text }: FilterCondition): string {
  if (lookup === '_exists') return `${field} is ${text === 'false' ? 'not set' : 'set'}`;
  return `${field} ${lookupTexts[lookup]} ${text}`;
}

/** Returns the lookups that a column allows, each with its name in words. */
export function columnLookups(
  column: ObjectColumn,
): readonly (readonly [lookup: string, label: string])[] {
  return lookupNames(column).map((lookup) => [lookup, lookupTexts[lookup] ?? lookup]);
}

function lookupNames({ type, isSystem }: ObjectColumn): readonly string[] {
  switch (type) {
    case 'string':
      return isSystem ? comparing : [...comparing, ...reading, ...readingAnyCase];
    case 'reference':
      return isSystem ? comparing : [...comparing, '_is'];
    case 'relation':
      return ['_contains', '_exists', '_is'];
    case 'array':
      return ['_contains'];
    case 'geopoint':
      return ['_near', '_exists'];
    default:
      return comparing;
  }
}

/** How a value is typed. */
export type ValueKind = 'boolean' | 'list' | 'near' | 'query' | 'number' | 'datetime' | 'text';

/** Tells how the value of a condition is typed. */
export function valueKind({ type }: ObjectColumn, lookup: string): ValueKind {
  if (lookup === '_exists') return 'boolean';
  if (lookup === '_is') return 'query';
  if (lookup === '_near') return 'near';
  if (lookup === '_in' || lookup === '_nin' || type === 'array' || type === 'relation') {
    return 'list';
  }
  if (type === 'boolean' || type === 'datetime') return type;
  return ['integer', 'float', 'reference'].includes(type) ? 'number' : 'text';
}

/**
 * Returns the conditions as the text of a `query`; undefined when there is none.
 *
 * @throws ApiProblem for a value that cannot be read, and for one lookup of a field twice
 */
export function toQuery(
  conditions: readonly FilterCondition[],
  columns: readonly ObjectColumn[],
): string | undefined {
  const query: Record<string, Record<string, unknown>> = {};
  for (const { field, lookup, text } of conditions) {
    const column = columns.find(({ name }) => name === field);
    if (column === undefined) continue;
    const lookups = query[field] ?? {};
    query[field] = lookups;
    if (lookup in lookups) {
      throw new ApiProblem(
        0,
        `The filter already has a condition with ${field} ${lookupTexts[lookup]}.`,
      );
    }
    lookups[lookup] = parseValue(column, lookup, text);
  }
  return conditions.length === 0 ? undefined : writeExactJson(query);
}

function parseValue(column: ObjectColumn, lookup: string, text: string): unknown {
  switch (valueKind(column, lookup)) {
    case 'boolean':
      return text !== 'false';
    case 'number':
      return checkNumber(parseNumber(text));
    case 'list':
      return parseList(column, text);
    case 'near': {
      const [latitude, longitude, distance_in_kilometers] = text.split(',').map(Number);
      return { latitude, longitude, distance_in_kilometers };
    }
    case 'query':
      return parseObject(text);
    case 'datetime':
    case 'text':
      return text;
  }
}

function checkNumber<Value>(value: Value): Value {
  if (Number.isNaN(value)) throw new ApiProblem(0, 'Enter a number.');
  return value;
}

/** Reads items between commas, or a JSON list for items that contain some. */
function parseList({ type }: ObjectColumn, text: string): unknown {
  if (text.trim().startsWith('[')) return parseJson(text);
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  const isNumber = ['integer', 'float', 'reference', 'relation'].includes(type);
  return isNumber ? items.map((item) => checkNumber(parseNumber(item))) : items;
}

/** Returns the conditions of a query; undefined when it is none that the form can show. */
export function fromQuery(
  query: string | undefined,
  columns: readonly ObjectColumn[],
): readonly FilterCondition[] | undefined {
  try {
    return query === undefined ? [] : readConditions(parseObject(query), columns);
  } catch {
    return undefined; // typed by hand: the server tells what is wrong
  }
}

function readConditions(
  parsed: object,
  columns: readonly ObjectColumn[],
): readonly FilterCondition[] | undefined {
  const conditions: FilterCondition[] = [];
  for (const [field, lookups] of Object.entries(parsed)) {
    const column = columns.find(({ name, mayFilter }) => name === field && mayFilter);
    if (column === undefined || typeof lookups !== 'object' || lookups === null) return undefined;
    for (const [lookup, value] of Object.entries(lookups)) {
      if (!lookupNames(column).includes(lookup)) return undefined;
      conditions.push({ field, lookup, text: textOf(column, lookup, value) });
    }
  }
  return conditions;
}

function textOf(column: ObjectColumn, lookup: string, value: unknown): string {
  if (valueKind(column, lookup) === 'near' && typeof value === 'object' && value !== null) {
    const point = value as Readonly<Record<string, unknown>>;
    return [point.latitude, point.longitude, point.distance_in_kilometers].join(', ');
  }
  return typeof value === 'string' ? value : writeExactJson(value);
}
