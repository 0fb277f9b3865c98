import type { Json, JsonObject } from '../json/json.ts';
import { type ErrorCode, errorCodeHeader } from './error-codes.ts';
import { messages } from './messages.ts';

/** Messages by field; errors of the whole body are under `non_field_errors`; nested bodies nest. */
export type FieldErrors = { readonly [field: string]: Json };

/**
 * An error response: the status and the exact body that the interface promises. Thrown anywhere below dispatch, caught
 * in dispatch only. Any other error that is thrown is a server error.
 */
export class ApiError extends Error {
  readonly status: number;
  readonly body: JsonObject;
  readonly code: ErrorCode;
  /** Including the code. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    body: JsonObject,
    code: ErrorCode,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(`refused with ${status}`);
    this.name = 'ApiError';
    this.status = status;
    this.body = body;
    this.code = code;
    this.headers = { ...headers, [errorCodeHeader]: code };
  }
}

/** Returns an error response with a single sentence: `{"detail": text}`. */
export function detailError(status: number, detail: string, code: ErrorCode): ApiError {
  return new ApiError(status, { detail }, code);
}

/** Returns the 400 with the messages of each field that failed. */
export function invalid(errors: FieldErrors, code: ErrorCode = 'invalid_input'): ApiError {
  return new ApiError(400, errors, code);
}

/** Returns the 404 for a resource that does not exist, or is hidden from the caller. */
export function notFound(): ApiError {
  return detailError(404, 'Not found.', 'not_found');
}

/** Returns the 404 for a path that the interface does not have. The body is that of `notFound`. */
export function pathNotFound(code: 'path_unknown' | 'no_trailing_slash'): ApiError {
  return detailError(404, 'Not found.', code);
}

/** Returns the 404 for a missing parent of the resource; `model` is its name in words, for example `Class`. */
export function parentNotFound(model: string): ApiError {
  return detailError(404, `${model} was not found.`, 'parent_not_found');
}

/** The reason why a caller may not do something. */
export type Denial =
  | 'key_missing'
  | 'key_flag_needed'
  | 'user_key_needed'
  | 'account_key_needed'
  | 'not_a_member'
  | 'role_too_low'
  | 'class_denies'
  | 'object_denies'
  | 'channel_denies'
  | 'item_protected'
  | 'upload_denied'
  | 'address_denied';

/** Returns the 403 without credentials or rights. Never 401 (docs/reference/errors.md#which-status). */
export function forbidden(code: Denial): ApiError {
  return detailError(403, 'You do not have permission to perform this action.', code);
}

/** Returns the 403 in an instance that an operator has stopped (docs/reference/instances.md#suspended). */
export function instanceSuspended(): ApiError {
  return detailError(403, 'This instance is suspended.', 'instance_suspended');
}

/** Returns the 403 of a path that sends mails, where the operator has not allowed mails to users. */
export function mailDenied(): ApiError {
  return detailError(403, messages.mailDenied, 'mail_denied');
}

/** Returns the 403 for credentials that are not valid here. */
export function noSuchKey(): ApiError {
  return detailError(403, 'No such API Key.', 'key_unknown');
}

/** Returns the same 403 for the key that an account had before. */
export function accountKeyReset(): ApiError {
  return detailError(403, 'No such API Key.', 'key_reset');
}

/** Returns the 405 for a method that the resource does not have. */
export function methodNotAllowed(method: string): ApiError {
  return detailError(405, `Method "${method}" not allowed.`, 'method_not_allowed');
}

/** Returns the 413 with the limit in bytes that was exceeded. */
export function tooLarge(maxBytes: number): ApiError {
  return detailError(413, `Request size limit exceeded (${maxBytes}).`, 'too_large');
}

/** Returns the 415 for a file of which no smaller picture can be made. */
export function pictureUnfit(): ApiError {
  const text =
    'This file is no JPEG, PNG, WebP, GIF or AVIF that can be read within 32 MB, 40 megapixels and 5 seconds.';
  return detailError(415, text, 'picture_unfit');
}

/** Returns the 503 for a smaller picture on a server without the package that makes it. */
export function picturesMissing(): ApiError {
  const text = 'This server makes no smaller pictures: the package "sharp" is not installed.';
  return detailError(503, text, 'pictures_missing');
}

/** Returns the 415 for a body of an unsupported type. */
export function unsupportedMediaType(mediaType: string): ApiError {
  return detailError(
    415,
    `Unsupported media type "${mediaType}" in request.`,
    'media_type_unknown',
  );
}

/** Returns the 400 for JSON in a body that is declared a form: parsed as a form it would have no fields. */
export function jsonAsForm(): ApiError {
  const text = 'the body looks like JSON: send Content-Type: application/json';
  return detailError(400, text, 'json_sent_as_form');
}

/** Returns the 400 for names of a strict request that its path does not know. */
export function namesUnknown(names: readonly string[]): ApiError {
  return detailError(400, `Unknown names: ${names.join(', ')}.`, 'names_unknown');
}

/** Returns the 400 for the deletion of an instance that another name confirms. */
export function nameNotConfirmed(): ApiError {
  const text = 'X-Confirm-Name is not the name of the instance.';
  return detailError(400, text, 'name_not_confirmed');
}

/** Returns the 429; clients wait for `Retry-After` and retry automatically. */
export function throttled(seconds: number): ApiError {
  const wait = Math.max(1, Math.ceil(seconds));
  const text = `Request was throttled. Expected available in ${wait} second${wait === 1 ? '' : 's'}.`;
  return new ApiError(429, { detail: text }, 'throttled', { 'Retry-After': String(wait) });
}

/**
 * Returns the 503 for a request without room at the moment; clients wait for `Retry-After` and retry automatically.
 *
 * @param tooMany names in words what there is too much of: `passwords are being checked`
 */
export function serverBusy(seconds: number, tooMany?: string): ApiError {
  const detail =
    tooMany === undefined
      ? 'The server is busy. Try again later.'
      : `Too many ${tooMany}. Expected available in ${seconds} seconds.`;
  return new ApiError(503, { detail }, 'server_busy', { 'Retry-After': String(seconds) });
}

/**
 * Returns the 400 for a write that would add more bytes than the instance may store.
 *
 * @param text names the quota and its bytes
 */
export function quotaExceeded(text: string): ApiError {
  return detailError(400, text, 'quota_exceeded');
}

/** Returns the 400 for a record that would need an id above the last one. */
export function tooManyIds(): ApiError {
  return detailError(400, messages.tooManyIds, 'limit_reached');
}

/** Returns the 400 for a bad paging parameter. */
export function incorrectPage(): ApiError {
  return detailError(400, 'Incorrect page parameter provided.', 'paging_invalid');
}

/**
 * Returns the 400 for an optimistic update that found another revision; a string, not a list
 * (docs/reference/errors.md#bodies).
 */
export function revisionMismatch(expected: number, current: number): ApiError {
  const message = `Revision mismatch. Expected ${expected}, got ${current}.`;
  return invalid({ expected_revision: message }, 'revision_mismatch');
}

/** Returns the 400 when a maximum number is reached, for example `Class count exceeded (100).` */
export function countExceeded(model: string, limit: number): ApiError {
  return detailError(400, `${model} count exceeded (${limit}).`, 'limit_reached');
}

/** Returns the 500; the text does not contain the reason, the log does. */
export function serverError(): ApiError {
  return detailError(500, 'Internal server error.', 'server_error');
}

/** Returns the 504 for a response that was not ready in time. */
export function serverTimeout(): ApiError {
  return detailError(504, 'Internal server error.', 'server_timeout');
}
