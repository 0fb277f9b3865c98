import type { Context } from '../../shared/core/family.ts';
import type { Body } from '../../shared/core/http/body/body.ts';
import { parseJsonText } from '../../shared/core/http/json-text.ts';
import { keyMembers, keyParameters, type RawBody } from '../../shared/core/http/message.ts';
import { maxPayloadBytes } from '../../shared/ports/run-request.ts';
import type { EndpointArguments } from '../../shared/scripts/rules/endpoint-arguments.ts';
import { dataMessages } from '../../shared/values/errors/data-messages.ts';
import { ApiError, detailError, invalid, tooLarge } from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import { writeExactJson } from '../../shared/values/json/exact-number.ts';
import { isJsonObject, type Json, type JsonObject } from '../../shared/values/json/json.ts';
import { wellFormedJson } from '../../shared/values/json/json-values.ts';
import type { Upload } from '../../shared/values/uploads.ts';

/** Arguments that a request brings. */
export interface BroughtArguments {
  readonly args: EndpointArguments;
  /** They have U+FFFD where the request has bytes that are no text. */
  readonly isReplaced: boolean;
}

type Call = Pick<Context, 'request' | 'body'>;

/**
 * Reads the arguments of an endpoint's script (docs/reference/scripts.md#endpoint-runs).
 *
 * @throws ApiError 400 or 415 for an invalid body
 */
export async function readEndpointArguments(call: Call): Promise<BroughtArguments> {
  const { request } = call;
  const body = request.method === 'POST' ? await call.body() : undefined;
  const payload = body === undefined ? {} : readPayload(body);
  const POST = wellFormedJson(payload);
  return {
    args: { GET: readQuery(request.query), POST },
    isReplaced:
      request.brokenParameter !== undefined || body?.isReplaced === true || POST !== payload,
  };
}

/**
 * Reads the arguments with the bytes of the body (docs/reference/scripts.md#raw-bodies). A body that cannot be parsed
 * has no other members.
 *
 * @throws ApiError 413
 */
export async function readRawArguments(call: Call): Promise<BroughtArguments> {
  const RAW = toBase64(bytesOf(call.request.body));
  const { args, isReplaced } = await readEndpointArguments(call).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    return readEndpointArguments({ ...call, body: () => Promise.resolve(emptyBody) });
  });
  return { args: { ...args, RAW }, isReplaced };
}

const emptyBody: Body = { value: {}, form: false };

/** Returns a body as received; that of a batch's item is the JSON text of its value. */
function bytesOf(body: RawBody): Uint8Array {
  if (body.kind === 'bytes') return body.bytes;
  if (body.bytes !== undefined) return body.bytes;
  const text = body.value === undefined ? '' : writeExactJson(body.value);
  const bytes = new TextEncoder().encode(text);
  if (bytes.byteLength > maxPayloadBytes) throw tooLarge(maxPayloadBytes);
  return bytes;
}

function toBase64({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

/** Returns arguments as a trace keeps them: of the bytes of a body it has the number. */
export function keptArguments({ RAW, ...args }: EndpointArguments): EndpointArguments {
  if (RAW === undefined) return args;
  return { ...args, RAW: `(not kept: ${Buffer.byteLength(RAW, 'base64')} bytes)` };
}

/** Returns the parameters of a query, except keys. */
function readQuery(query: URLSearchParams): JsonObject {
  return Object.fromEntries([...query].filter(([name]) => !keyParameters.includes(name)));
}

/**
 * Reads a body as arguments: any object or list, also as JSON text; a file
 * counts as its text; keys are left out.
 *
 * @throws ApiError 400
 */
function readPayload({ value, files = [] }: Body): EndpointArguments['POST'] {
  const payload = typeof value === 'string' ? parseText(value) : value;
  if (payload === null) throw invalid({ POST: [messages.null] });
  if (Array.isArray(payload)) return payload as readonly Json[]; // it was parsed from JSON
  if (!isJsonObject(payload)) {
    throw invalid({ non_field_errors: [dataMessages.invalidFormat('Payload')] });
  }
  const members = Object.entries(payload).filter(([name]) => !keyMembers.includes(name));
  return Object.fromEntries([...members, ...files.map(textOf)]);
}

/** Parses JSON text; an empty text is no payload. */
function parseText(text: string): unknown {
  if (text === '') return {};
  try {
    return parseJsonText(text);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw invalid({ POST: [messages.notJson] });
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf({ field, bytes }: Upload): readonly [string, string] {
  try {
    return [field, utf8.decode(bytes)];
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const text = 'Unsupported payload provided that cannot be serialized.';
    throw detailError(400, text, 'invalid_input');
  }
}
