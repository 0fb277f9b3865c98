import type { Json, JsonObject } from '../json/json.ts';
import { type ErrorCode, errorCodeHeader } from './error-codes.ts';

/** Messages by field; errors of the whole body stand under `non_field_errors`; nested bodies nest. */
export type FieldErrors = { readonly [field: string]: Json };

/**
 * A refusal: the status and the exact body that the interface promises. Thrown anywhere below dispatch,
 * caught in dispatch only. Everything else that is thrown is a fault.
 */
export class ApiError extends Error {
  readonly status: number;
  readonly body: JsonObject;
  readonly code: ErrorCode;
  /** With the code among them. */
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

/** A refusal that is a single sentence: `{"detail": text}`. */
export function refused(status: number, detail: string, code: ErrorCode): ApiError {
  return new ApiError(status, { detail }, code);
}

/** 400 with the messages of each field that failed. */
export function invalid(errors: FieldErrors, code: ErrorCode = 'invalid_input'): ApiError {
  return new ApiError(400, errors, code);
}

/** 404: the thing itself is not there, or the caller may not know that it is. */
export function notFound(): ApiError {
  return refused(404, 'Not found.', 'not_found');
}

/** 404: the interface has no such path. The body is that of `notFound`. */
export function pathNotFound(code: 'path_unknown' | 'no_trailing_slash'): ApiError {
  return refused(404, 'Not found.', code);
}

/** 404: something on the way to the thing is not there; `model` is its name in words, such as `Class`. */
export function parentNotFound(model: string): ApiError {
  return refused(404, `${model} was not found.`, 'parent_not_found');
}

/** Why a caller may not do something. */
export type Denial =
  | 'key_missing'
  | 'key_flag_needed'
  | 'user_key_needed'
  | 'account_key_needed'
  | 'not_a_member'
  | 'role_too_low'
  | 'class_denies'
  | 'object_denies'
  | 'item_protected'
  | 'upload_denied';

/** 403: no credentials, or the caller may not do this. Never 401 (docs/reference/errors.md#which-status). */
export function forbidden(code: Denial): ApiError {
  return refused(403, 'You do not have permission to perform this action.', code);
}

/** 403: credentials were given and are not valid here. */
export function noSuchKey(): ApiError {
  return refused(403, 'No such API Key.', 'key_unknown');
}

/** 405 for a method that the resource does not have. */
export function methodNotAllowed(method: string): ApiError {
  return refused(405, `Method "${method}" not allowed.`, 'method_not_allowed');
}

/** 413 with the limit in bytes that was exceeded. */
export function tooLarge(maxBytes: number): ApiError {
  return refused(413, `Request size limit exceeded (${maxBytes}).`, 'too_large');
}

/** 415 for a body in a form that is not understood. */
export function unsupportedMediaType(mediaType: string): ApiError {
  return refused(415, `Unsupported media type "${mediaType}" in request.`, 'media_type_unknown');
}

/** 400 for JSON in a body that is declared a form: taken for one it would say nothing at all. */
export function jsonAsForm(): ApiError {
  const text = 'the body looks like JSON: send Content-Type: application/json';
  return refused(400, text, 'json_sent_as_form');
}

/** 400 for names that a strict request has and its path does not know. */
export function namesUnknown(names: readonly string[]): ApiError {
  return refused(400, `Unknown names: ${names.join(', ')}.`, 'names_unknown');
}

/** 429; clients wait for `Retry-After` and call again by themselves. */
export function throttled(seconds: number): ApiError {
  const wait = Math.max(1, Math.ceil(seconds));
  const text = `Request was throttled. Expected available in ${wait} second${wait === 1 ? '' : 's'}.`;
  return new ApiError(429, { detail: text }, 'throttled', { 'Retry-After': String(wait) });
}

/**
 * 503: there is no room for the request now; clients wait for `Retry-After` and call again by themselves.
 *
 * @param tooMany says in words what there is too much of: `passwords are being checked`
 */
export function serverBusy(seconds: number, tooMany?: string): ApiError {
  const detail =
    tooMany === undefined
      ? 'The server is busy. Try again later.'
      : `Too many ${tooMany}. Expected available in ${seconds} seconds.`;
  return new ApiError(503, { detail }, 'server_busy', { 'Retry-After': String(seconds) });
}

/**
 * 400 for a write that would add more bytes than the instance may store.
 *
 * @param text names the quota and its bytes
 */
export function quotaExceeded(text: string): ApiError {
  return refused(400, text, 'quota_exceeded');
}

/** 400 for a bad paging parameter. */
export function incorrectPage(): ApiError {
  return refused(400, 'Incorrect page parameter provided.', 'paging_invalid');
}

/** 400 when an optimistic update found another revision; a string, not a list (docs/reference/errors.md#bodies). */
export function revisionMismatch(expected: number, current: number): ApiError {
  const message = `Revision mismatch. Expected ${expected}, got ${current}.`;
  return invalid({ expected_revision: message }, 'revision_mismatch');
}

/** 400 when a fixed number of things is reached, for example `Class count exceeded (100).` */
export function countExceeded(model: string, limit: number): ApiError {
  return refused(400, `${model} count exceeded (${limit}).`, 'limit_reached');
}

/** 500: the server failed; the text says nothing of why, the log does. */
export function serverError(): ApiError {
  return refused(500, 'Internal server error.', 'server_error');
}

/** 504: there was no response in time. */
export function serverTimeout(): ApiError {
  return refused(504, 'Internal server error.', 'server_timeout');
}
