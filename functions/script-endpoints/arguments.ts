import type { Body } from '../../shared/core/http/body/body.ts';
import { parseJsonText } from '../../shared/core/http/json-text.ts';
import { keyMembers, keyParameters } from '../../shared/core/http/message.ts';
import type { EndpointArguments } from '../../shared/scripts/rules/endpoint-arguments.ts';
import { dataMessages } from '../../shared/values/errors/data-messages.ts';
import { ApiError, detailError, invalid } from '../../shared/values/errors/errors.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import { isJsonObject, type Json, type JsonObject } from '../../shared/values/json/json.ts';
import type { Upload } from '../../shared/values/uploads.ts';

/** Returns the parameters of a query, except keys. */
export function readQuery(query: URLSearchParams): JsonObject {
  return Object.fromEntries([...query].filter(([name]) => !keyParameters.includes(name)));
}

/**
 * Reads a body as arguments (docs/reference/scripts.md#endpoint-runs): any object or list, also as JSON text; a file
 * counts as its text; keys are left out.
 *
 * @throws ApiError 400
 */
export function readPayload({ value, files = [] }: Body): EndpointArguments['POST'] {
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
