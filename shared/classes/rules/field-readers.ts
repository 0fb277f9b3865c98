import { dataMessages } from '../../values/errors/data-messages.ts';
import { messages } from '../../values/errors/messages.ts';
import { keyOfUrl, readPrivateFile, readUploadKey } from '../../values/files/file-addresses.ts';
import { isJsonObject, type Json, type JsonObject } from '../../values/json/json.ts';
import { readJson, readStorable } from '../../values/json/json-values.ts';
import {
  integerReader,
  read,
  readDatetime,
  readFloat,
  reject,
  textReader,
  toBoolean,
  type ValueReader,
  type ValueResult,
} from '../../values/scalars.ts';
import type { ClassFieldType, FieldReader } from './field-types.ts';
import { readArray, readRelation } from './list-readers.ts';

const maxId = 2147483647; // as for numbers: ids are signed 32 bit numbers in clients
const readWhole = integerReader({ min: -Infinity, max: Infinity }); // the result is checked against the bounds

/** Readers of all field types except files (docs/reference/objects.md#values). */
export const fieldReaders: Readonly<Record<Exclude<ClassFieldType, 'file'>, FieldReader>> = {
  string: textReader({ max: 128, trim: false, blank: true }),
  text: textReader({ max: 32000, trim: false, blank: true }),
  integer: numberField(integerReader({ min: -2147483648, max: 2147483647 }), {
    readStep: readWhole,
    failure: messages.notInteger,
  }),
  float: numberField(readFloat, { readStep: readFloat, failure: messages.notNumber }),
  boolean: readBooleanField,
  datetime: (input) => {
    const value = unwrap(input, 'datetime');
    return value === null ? read(null) : readDatetime(value);
  },
  reference: readReference,
  relation: (input, held) => {
    const parsed = readJson(input);
    return parsed.ok
      ? readRelation(unwrap(parsed.value, 'relation'), held)
      : reject(dataMessages.notArray);
  },
  array: readArray,
  object: readObject,
  geopoint: readGeopoint,
};

/** Returns a reader of numbers and, on updates, `{"_increment": n}` (docs/reference/objects.md#operators). */
function numberField(
  readNumber: ValueReader<number>,
  operator: { readonly readStep: ValueReader<number>; readonly failure: string },
): FieldReader {
  return (input, held) => {
    const operation = toObject(input);
    if (operation === undefined) return readNumber(input);
    const isIncrement =
      Object.hasOwn(operation, '_increment') && Object.keys(operation).length === 1;
    if (!held.isUpdate || !isIncrement) return reject(operator.failure);
    const step = operator.readStep(operation._increment);
    if (!step.ok) return step;
    return readNumber((typeof held.value === 'number' ? held.value : 0) + step.value);
  };
}

const nullWords: ReadonlySet<unknown> = new Set(['null', 'Null', 'NULL', '']);

function readBooleanField(input: unknown): ValueResult<Json> {
  const value = nullWords.has(input) ? null : toBoolean(input);
  return value === undefined ? reject(messages.notBoolean) : read(value);
}

/**
 * Returns a reader of file field values other than uploads: the address of a file, bare or in the form of objects, or
 * the name of a large upload or a private file. It returns the file's key without checking that the file exists.
 *
 * @param base returns the base address of files
 */
export function fileReader(base: () => string): FieldReader {
  return (input) => {
    const url = unwrap(input, 'file');
    if (url === null) return read(null);
    if (typeof url !== 'string') return reject(dataMessages.notFile);
    const key = readUploadKey(url) ?? keyOfUrl(base(), url) ?? readPrivateFile(url);
    return key === undefined ? reject(dataMessages.badFileUrl) : read(key);
  };
}

function readReference(input: unknown): ValueResult<Json> {
  const value = unwrap(input, 'reference');
  if (value === null) return read(null);
  const id = readWhole(value);
  if (!id.ok) return id;
  const mayExist = id.value > 0 && id.value <= maxId;
  return mayExist ? id : reject(dataMessages.targetObjectMissing);
}

function readObject(input: unknown): ValueResult<Json> {
  const value = toObject(input);
  if (value === undefined) return reject(dataMessages.notObject);
  return readStorable(value, dataMessages.notObject);
}

function readGeopoint(input: unknown): ValueResult<Json> {
  const value = toObject(input);
  const longitude = value && readCoordinate(value, 'longitude', 180);
  const latitude = value && readCoordinate(value, 'latitude', 90);
  if (longitude === undefined || latitude === undefined) return reject(dataMessages.notGeopoint);
  return read({ longitude, latitude });
}

/** Reads degrees from -limit to limit; undefined if absent or invalid. */
function readCoordinate(point: JsonObject, axis: string, limit: number): number | undefined {
  const input = Object.hasOwn(point, axis) ? point[axis] : undefined;
  if (typeof input === 'boolean') return undefined;
  const reading = readFloat(input);
  return reading.ok && Math.abs(reading.value) <= limit ? reading.value : undefined;
}

/** Returns the value inside the form of objects, `{"type", "value"}`; anything else unchanged. */
function unwrap(input: unknown, type: ClassFieldType): unknown {
  const shown = toObject(input);
  if (shown === undefined || !Object.hasOwn(shown, 'value')) return input;
  return shown.type === type ? shown.value : input;
}

/** Returns a value that is a JSON object, or text that contains one, as an object. */
function toObject(input: unknown): JsonObject | undefined {
  if (isJsonObject(input)) return input;
  if (typeof input !== 'string' || !/^\s*\{/.test(input)) return undefined;
  const parsed = readJson(input);
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : undefined;
}
