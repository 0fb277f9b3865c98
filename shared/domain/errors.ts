import type { Json, JsonObject } from './json.ts';

/** Messages by field; errors of the whole body stand under `non_field_errors`; nested bodies nest. */
export type FieldErrors = { readonly [field: string]: Json };

/**
 * A refusal: the status and the exact body that the interface promises. Thrown anywhere below dispatch,
 * caught in dispatch only. Everything else that is thrown is a fault.
 */
export class ApiError extends Error {
  readonly status: number;
  readonly body: JsonObject;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: JsonObject, headers: Readonly<Record<string, string>> = {}) {
    super(`refused with ${status}`);
    this.name = 'ApiError';
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** A refusal that is a single sentence: `{"detail": text}`. */
export function refused(status: number, detail: string): ApiError {
  return new ApiError(status, { detail });
}

/** 400 with the messages of each field that failed. */
export function invalid(errors: FieldErrors): ApiError {
  return new ApiError(400, errors);
}

/** 404: the thing itself is not there, or the caller may not know that it is. */
export function notFound(): ApiError {
  return refused(404, 'Not found.');
}

/** 404: something on the way to the thing is not there; `model` is its name in words, such as `Class`. */
export function parentNotFound(model: string): ApiError {
  return refused(404, `${model} was not found.`);
}

/** 403: no credentials, or the caller may not do this. Never 401 (reference: error bodies). */
export function forbidden(): ApiError {
  return refused(403, 'You do not have permission to perform this action.');
}

/** 403: credentials were given and are not valid here. */
export function noSuchKey(): ApiError {
  return refused(403, 'No such API Key.');
}

/** 405 for a method that the resource does not have. */
export function methodNotAllowed(method: string): ApiError {
  return refused(405, `Method "${method}" not allowed.`);
}

/** 413 with the limit in bytes that was exceeded. */
export function tooLarge(maxBytes: number): ApiError {
  return refused(413, `Request size limit exceeded (${maxBytes}).`);
}

/** 415 for a body in a form that is not understood. */
export function unsupportedMediaType(mediaType: string): ApiError {
  return refused(415, `Unsupported media type "${mediaType}" in request.`);
}

/** 429; clients wait for `Retry-After` and call again by themselves. */
export function throttled(seconds: number): ApiError {
  const wait = Math.max(1, Math.ceil(seconds));
  const text = `Request was throttled. Expected available in ${wait} second${wait === 1 ? '' : 's'}.`;
  return new ApiError(429, { detail: text }, { 'Retry-After': String(wait) });
}

/** 503: there is no room for the request now; clients wait for `Retry-After` and call again by themselves. */
export function serverBusy(seconds: number): ApiError {
  const body = { detail: 'The server is busy. Try again later.' };
  return new ApiError(503, body, { 'Retry-After': String(seconds) });
}

/** 400 for a bad paging parameter. */
export function incorrectPage(): ApiError {
  return refused(400, 'Incorrect page parameter provided.');
}

/** 400 when an optimistic update found another revision; a string, not a list (reference: error shapes). */
export function revisionMismatch(expected: number, current: number): ApiError {
  return invalid({ expected_revision: `Revision mismatch. Expected ${expected}, got ${current}.` });
}

/** 400 when a fixed number of things is reached, for example `Class count exceeded (100).` */
export function countExceeded(model: string, limit: number): ApiError {
  return refused(400, `${model} count exceeded (${limit}).`);
}
