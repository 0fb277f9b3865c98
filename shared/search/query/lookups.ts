import { asDouble, withoutFraction } from '../../values/json/exact-number.ts';
import { isJsonObject, type Json } from '../../values/json/json.ts';
import { characterCount } from '../../values/scalars.ts';
import {
  type Circle,
  type Comparison,
  type Condition,
  comparisons,
  type TextLookup,
  textLookups,
} from './conditions.ts';
import { type LookupName, queryErrors } from './errors.ts';
import type { QueryField, QueryType } from './fields.ts';
import { readOperand, readText, type Scalar } from './operands.ts';

const maxValues = 128; // docs/reference/queries.md#grammar
const maxMemberText = 128;

/** Parses the value of one lookup of a field. */
type LookupReader = (field: QueryField, lookupName: LookupName, value: Json) => Condition;

/**
 * Parses one lookup and its value, except `_is`.
 *
 * @param lookup with its underscore
 * @throws ApiError 400 when the field's type does not have it, or the value is invalid
 */
export function parseLookup(field: QueryField, lookup: string, value: Json): Condition {
  const lookupName = { lookup, field: field.name };
  const reader = readers[field.type].get(lookup);
  if (reader === undefined) throw queryErrors.unknownLookup(lookupName);
  return reader(field, lookupName, value);
}

const exists: readonly [string, LookupReader] = [
  '_exists',
  (field, lookupName, value) => {
    if (typeof value !== 'boolean') throw queryErrors.valueType(lookupName);
    return { kind: 'exists', field, isSet: value };
  },
];

const compared: ReadonlyMap<string, LookupReader> = new Map<string, LookupReader>([
  ...comparisons.map((comparison) => [`_${comparison}`, comparisonReader(comparison)] as const),
  ['_in', amongReader(false)],
  ['_nin', amongReader(true)],
  exists,
]);

const text: ReadonlyMap<string, LookupReader> = new Map<string, LookupReader>(
  textLookups.flatMap((lookup) => [
    [`_i${lookup}`, textLookupReader(lookup, true)] as const,
    ...(lookup === 'eq' ? [] : [[`_${lookup}`, textLookupReader(lookup, false)] as const]),
  ]),
);

const builtInText = new Map<string, LookupReader>([
  ...compared,
  ...[...text.keys()].map((lookup): [string, LookupReader] => [
    lookup,
    () => {
      throw queryErrors.noTextLookup(lookup);
    },
  ]),
]);

const holds = new Map<string, LookupReader>([['_contains', readMembers]]);
const none: ReadonlyMap<string, LookupReader> = new Map();

/** The lookups of each type (docs/reference/queries.md#lookups-by-type). */
const readers: Readonly<Record<QueryType, ReadonlyMap<string, LookupReader>>> = {
  integer: compared,
  float: compared,
  boolean: compared,
  datetime: compared,
  reference: compared,
  string: new Map([...compared, ...text]),
  channel: builtInText,
  room: builtInText,
  array: holds,
  relation: new Map([...holds, exists]),
  geopoint: new Map([['_near', readNear], exists]),
  text: none,
  file: none,
  object: none,
};

/** Returns the names of the lookups that fields of a type have, except `_is`. */
export function lookupsOf(type: QueryType): readonly string[] {
  const names = readers[type] === builtInText ? compared : readers[type]; // others it only rejects by name
  return [...names.keys()];
}

function comparisonReader(comparison: Comparison): LookupReader {
  return (field, lookupName, value) => ({
    kind: 'compare',
    field,
    comparison,
    value: readValue(field, lookupName, value),
  });
}

function amongReader(isNegated: boolean): LookupReader {
  return (field, lookupName, value) => {
    const values = readList(lookupName, value).map((one) => readValue(field, lookupName, one));
    return { kind: 'among', field, values, isNegated };
  };
}

function textLookupReader(lookup: TextLookup, ignoresCase: boolean): LookupReader {
  return (field, lookupName, value) => {
    if (Array.isArray(value) || isJsonObject(value) || value === null) {
      throw queryErrors.valueType(lookupName);
    }
    const reading = readText(value);
    if (!reading.ok) throw queryErrors.value(lookupName, reading.messages.join(' '));
    return { kind: 'text', field, lookup, text: reading.value, ignoresCase };
  };
}

function readValue({ type }: QueryField, lookupName: LookupName, value: Json): Scalar {
  const reading = readOperand(type, value);
  if (reading === undefined) throw queryErrors.valueType(lookupName);
  if (!reading.ok) throw queryErrors.value(lookupName, reading.messages.join(' '));
  return reading.value;
}

function readList(lookupName: LookupName, value: Json): readonly Json[] {
  if (!Array.isArray(value)) throw queryErrors.valueType(lookupName);
  if (value.length > maxValues) throw queryErrors.tooManyValues(lookupName, maxValues);
  return value;
}

function readMembers(field: QueryField, lookupName: LookupName, value: Json): Condition {
  const members = readList(lookupName, value).map(withoutFraction) as readonly Json[]; // an integer is none
  const suits = field.type === 'relation' ? Number.isInteger : isMember;
  if (!members.every(suits)) throw queryErrors.valueType(lookupName);
  return { kind: 'holds', field, members };
}

function isMember(value: Json): boolean {
  if (typeof value === 'string') return characterCount(value) <= maxMemberText;
  return typeof value === 'boolean' || typeof value === 'number';
}

const kilometersInMile = 1.609344;
const defaultMiles = 100;
const maxMiles = 24901;
const maxKilometers = 40075;

function readNear(field: QueryField, lookupName: LookupName, value: Json): Condition {
  if (!isJsonObject(value)) throw queryErrors.valueType(lookupName);
  if (!Object.hasOwn(value, 'longitude') || !Object.hasOwn(value, 'latitude')) {
    throw queryErrors.valueType(lookupName);
  }
  const longitude = asDouble(value.longitude);
  const latitude = asDouble(value.latitude);
  // the bounds themselves are invalid, although points may lie on them
  if (!isInside(longitude, 180) || !isInside(latitude, 90)) throw queryErrors.coordinates();
  const circle: Circle = { longitude, latitude, kilometers: readDistance(value) };
  return { kind: 'near', field, circle };
}

function isInside(degrees: unknown, limit: number): degrees is number {
  return typeof degrees === 'number' && Math.abs(degrees) < limit;
}

/** Reads the distance in kilometers; miles take precedence. */
function readDistance(value: Readonly<Record<string, Json>>): number {
  if (Object.hasOwn(value, 'distance_in_miles')) {
    return checkDistance(value.distance_in_miles, maxMiles) * kilometersInMile;
  }
  if (Object.hasOwn(value, 'distance_in_kilometers')) {
    return checkDistance(value.distance_in_kilometers, maxKilometers);
  }
  return defaultMiles * kilometersInMile;
}

function checkDistance(given: Json | undefined, max: number): number {
  const distance = asDouble(given);
  if (typeof distance !== 'number' || distance < 0 || distance > max) throw queryErrors.distance();
  return distance;
}
