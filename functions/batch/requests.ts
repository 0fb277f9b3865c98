import type { Fields } from '../../shared/core/family.ts';
import type { Body } from '../../shared/core/http/body/body.ts';
import { parseJsonText, tooMuchStructure } from '../../shared/core/http/json-text.ts';
import { bodyObject } from '../../shared/core/resource/input.ts';
import { type Method, methods } from '../../shared/core/routing/route.ts';
import { versions } from '../../shared/core/routing/versions.ts';
import { maxStructure } from '../../shared/values/bounds.ts';
import { dataMessages } from '../../shared/values/errors/data-messages.ts';
import {
  ApiError,
  detailError,
  type FieldErrors,
  invalid,
} from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import {
  isJsonObject,
  type Json,
  type JsonObject,
  jsonTypeName,
} from '../../shared/values/json/json.ts';
import { measureStructure } from '../../shared/values/json/json-structure.ts';
import { rememberLast } from '../../shared/values/remember-last.ts';
import {
  characterCount,
  quoteValue,
  read,
  reject,
  textReader,
  type ValueResult,
} from '../../shared/values/scalars.ts';
import { brokenParameterOf } from '../../shared/values/text/decode-text.ts';
import { pathParameters } from '../../shared/values/text/path-parameters.ts';

/** Requests in one batch (docs/reference/batch.md#limits). */
const maxRequests = 50;
/** Items that are examined even when there are too many: their errors are reported first. */
const maxExamined = 1000;
/** Characters of an item's path, including its query. */
const maxPathLength = 8192;
const maxKeys = 32;
const maxKeyLength = 64;
/** Characters of the JSON text of one member of an item's body. */
const maxValueLength = 49_152;

/** Fields of a batch. The items are read here, not field by field: their messages are in a list. */
export const requestFields: Fields = {
  requests: {
    type: 'field',
    writable: 'always',
    required: true,
    child: {
      type: 'nested object',
      writable: 'always',
      required: true,
      children: {
        method: { type: 'choice', writable: 'always', required: true, choices: methods },
        path: { type: 'string', writable: 'always', required: true, maxLength: maxPathLength },
        body: { type: 'field', writable: 'always' },
      },
    },
  },
};

/** One item as it was sent. */
export interface BatchRequest {
  readonly method: Method;
  /** In lower case, except the id of a device, which is percent-decoded; without query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Empty for methods that take none. */
  readonly body: JsonObject;
  /** False for no body and an empty text, which a body of `{}` is not. */
  readonly hasBody: boolean;
}

/**
 * Reads all items of a batch before the first one runs (docs/reference/batch.md#request).
 *
 * @param instance name of the instance that all paths must be in
 * @throws ApiError 400 with a list of messages, one entry an item; or when there are too many items
 */
export function readRequests(body: Body, instance: string): readonly BatchRequest[] {
  const object = bodyObject(body);
  const sent = Object.hasOwn(object, 'requests') ? object.requests : undefined;
  if (sent === undefined) throw invalid({ requests: [messages.required] });
  if (sent === null) throw invalid({ requests: [messages.null] });
  if (!Array.isArray(sent)) {
    throw invalid({ requests: { non_field_errors: [messages.notList(jsonTypeName(sent))] } });
  }
  if (sent.length > maxExamined) throw tooMany();
  checkTexts(sent);
  const prefixes = versions.map((version) => `/${version}/instances/${instance}/`);
  const paths = rememberLast((value: Json) => readPath(value, prefixes));
  const requests: BatchRequest[] = [];
  const readings = (sent as readonly unknown[]).map((item) => readRequest(item, paths));
  for (const reading of readings) if ('request' in reading) requests.push(reading.request);
  if (requests.length < readings.length) {
    const errors = readings.map((reading) => ('errors' in reading ? reading.errors : {}));
    throw invalid({ requests: errors as readonly Json[] });
  }
  if (requests.length > maxRequests) throw tooMany();
  return requests;
}

/** Checks text bodies against one shared limit, as if they were parts of the batch's own JSON. */
function checkTexts(items: readonly unknown[]): void {
  let left = maxStructure;
  for (const item of items) {
    if (!isJsonObject(item) || typeof item.body !== 'string') continue;
    left -= measureStructure(item.body, left, Number.POSITIVE_INFINITY).characters;
    if (left < 0) throw tooMuchStructure();
  }
}

function tooMany(): ApiError {
  return detailError(400, `Max requests per batch exceeded (${maxRequests}).`, 'limit_reached');
}

type RequestReading = { readonly request: BatchRequest } | { readonly errors: FieldErrors };

function readRequest(item: unknown, pathOf: Reader<PathReading>): RequestReading {
  if (!isJsonObject(item)) {
    return { errors: { non_field_errors: [messages.notDictionary(jsonTypeName(item))] } };
  }
  const method = readMember(item, 'method', readMethod);
  const path = readMember(item, 'path', pathOf);
  const ignoresBody = method.ok && (method.value === 'GET' || method.value === 'DELETE');
  const isSent = Object.hasOwn(item, 'body') && !ignoresBody;
  const body = isSent ? readMember(item, 'body', readBody) : read({});
  if (method.ok && path.ok && body.ok) {
    const { path: address, query } = path.value;
    const hasBody = isSent && item.body !== '';
    return { request: { method: method.value, path: address, query, body: body.value, hasBody } };
  }
  const failed = Object.entries({ method, path, body }).flatMap(([name, reading]) =>
    reading.ok ? [] : [[name, reading.messages] as const],
  );
  return { errors: Object.fromEntries(failed) };
}

type Reader<Value> = (value: Json) => ValueResult<Value>;

function readMember<T>(item: JsonObject, name: string, reader: Reader<T>): ValueResult<T> {
  const value = Object.hasOwn(item, name) ? item[name] : undefined;
  if (value === undefined) return reject(messages.required);
  return value === null ? reject(messages.null) : reader(value);
}

function readMethod(value: Json): ValueResult<Method> {
  const method = methods.find((each) => each === value);
  return method === undefined ? reject(messages.badChoice(quoteValue(value))) : read(method);
}

const readPathText = textReader({ max: maxPathLength });
const pathForm = /^(?:\/[a-z0-9_.-]+)*\/$/;
/** The id of a device, the only segment whose case counts: `…/devices/<id>/`. */
const deviceForm = /^(.*\/devices\/)([^/]+)(\/.*)$/i;

type PathReading = Pick<BatchRequest, 'path' | 'query'>;

/** Names in a path are not case-sensitive; ids of devices and values of a query are. */
function readPath(value: Json, prefixes: readonly string[]): ValueResult<PathReading> {
  const text = readPathText(value);
  if (!text.ok) return text;
  const [sent = '', query = '', ...rest] = text.value.split('?');
  const [, before = sent, device, after = ''] = deviceForm.exec(sent) ?? [];
  const [start, end] = [before.toLowerCase(), after.toLowerCase()];
  if (!prefixes.some((prefix) => start.startsWith(prefix))) {
    return reject('Path needs to point to an endpoint within current instance and API version.');
  }
  const id = device === undefined ? '' : deviceId(device);
  const isValid = pathForm.test(start) && (device === undefined || pathForm.test(end));
  if (!isValid || id === undefined || rest.length > 0) return reject('Invalid path specified.');
  if (brokenParameterOf(query) !== undefined) return reject('Query is not valid utf-8.');
  return read({ path: start + id + end, query: new URLSearchParams(query) });
}

/** Reads the segment of a device, which may be escaped; undefined where it cannot be the id of one. */
function deviceId(segment: string): string | undefined {
  try {
    const id = decodeURIComponent(segment);
    return pathParameters.device.pattern.test(id) ? id : undefined;
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return undefined;
  }
}

function readBody(value: Json): ValueResult<JsonObject> {
  const parsed = typeof value === 'string' ? readText(value) : read(value);
  if (!parsed.ok) return parsed;
  if (!isJsonObject(parsed.value)) return reject(dataMessages.invalidFormat('Body'));
  return checkSizes(parsed.value);
}

/** Parses a body that a client sent as JSON text; an empty text is no body. */
function readText(text: string): ValueResult<unknown> {
  if (text === '') return read({});
  try {
    return read(parseJsonText(text));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return reject(messages.notJson);
  }
}

function checkSizes(body: JsonObject): ValueResult<JsonObject> {
  const keys = Object.keys(body);
  if (keys.length > maxKeys) return reject(dataMessages.tooManyKeys(maxKeys));
  if (keys.some((key) => key.length > maxKeyLength && characterCount(key) > maxKeyLength)) {
    return reject(dataMessages.keyTooLong(maxKeyLength));
  }
  const long = keys.find((key) => isTooLong(body[key] ?? null));
  return long === undefined ? read(body) : reject(dataMessages.valueTooLong(long, maxValueLength));
}

function isTooLong(value: Json): boolean {
  return mostCharacters(value) > maxValueLength && JSON.stringify(value).length > maxValueLength;
}

/** Returns an upper bound of the length of a value's JSON text, faster than writing it. */
function mostCharacters(value: Json): number {
  if (typeof value === 'string') return value.length * 6 + 2; // a character may be escaped, as \u0000
  if (typeof value !== 'object' || value === null) return 25; // the longest number has 24
  let sum = 2;
  if (Array.isArray(value)) {
    for (const entry of value as readonly Json[]) sum += mostCharacters(entry) + 1;
    return sum;
  }
  const members = value as JsonObject; // an object that is no list
  for (const name in members) sum += name.length * 6 + 4 + mostCharacters(members[name] ?? null);
  return sum;
}
