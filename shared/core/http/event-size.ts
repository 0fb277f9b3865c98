import { isUtf8 } from 'node:buffer';
import { maxIndentedStructure } from '../../values/bounds.ts';
import { type ApiError, detailError } from '../../values/errors/errors.ts';
import { measureIndented } from '../../values/json/json-structure.ts';
import type { Request, Response } from './message.ts';
import { pageIndent } from './negotiation.ts';
import { cachedForm } from './response-cache.ts';

/*
 * A function receives a request and returns a response as JSON of limited size. The limit is the same where there is
 * no function: a client meets it on one machine too.
 */

/** Bytes of JSON that a function may receive or return, everything included: 6 MB on AWS, and so everywhere. */
export const maxEventBytes = 6_291_456;

const escapedBytes = 6; // that a character takes at most, so few bodies have to be counted
const headBytes = 65_536; // more than all else takes
const constantBytes = 1024; // of an event: time, ids, names of its members

/** Types whose bodies the gateway passes on as text; all others are passed on in base64. */
const textType = /^\s*(text\/|application\/(json|javascript|xml)\b|$)/i;

/** Checks whether the gateway passes on a body as text: by its type, and if it is UTF-8. */
export function isTextBody({ headers }: Pick<Request, 'headers'>, body: Uint8Array): boolean {
  const { 'content-type': contentType = '', 'content-encoding': encoding } = headers;
  return encoding === undefined && textType.test(contentType) && isUtf8(body);
}

/** Checks whether a request exceeds the limit as an event of the gateway. */
export function isRequestTooLarge(request: Request): boolean {
  const { path, query, headers, body } = request;
  if (body.kind === 'json' || isSmall(body.bytes.byteLength)) return false;
  const { bytes } = body;
  const head = jsonBytes([path, path, `${query}`, `${query}`, headers]) + constantBytes;
  return (
    head + (isTextBody(request, bytes) ? textBytes(bytes) : base64Bytes(bytes)) > maxEventBytes
  );
}

/** Checks whether a complete response exceeds the limit as a function's result. */
export function isResponseTooLarge({ status, headers, content, cookies }: Response): boolean {
  if (content === undefined || isSmall(content.bytes.length)) return false;
  const { bytes } = content;
  const isBase64Encoded = typeof bytes !== 'string';
  const head = jsonBytes({ statusCode: status, headers, cookies, body: '', isBase64Encoded }) - 2;
  const body = isBase64Encoded
    ? base64Bytes(bytes)
    : cachedForm(content, 'bytes of JSON', () => jsonBytes(bytes));
  return head + body > maxEventBytes;
}

/** A form of JSON, with its limit. */
export interface SizedForm {
  /** Spaces of a level; 0: it is not indented. */
  readonly indent: number;
  /** Bytes that the JSON may have in this form. */
  readonly maxBytes: number;
  /** Whether it is HTML, in which characters of markup are escaped. */
  readonly isHtml?: true;
}

/** A form of a response that is made from values, and is longer than its JSON. */
interface IndentedForm extends SizedForm {
  /** What a client may ask for in place of it. */
  readonly other: string;
}

/** The form of a page of a list. */
export const pageForm: IndentedForm = {
  indent: pageIndent,
  maxBytes: maxEventBytes / 2,
  isHtml: true,
  other: 'format=json',
};

/** The form of a page of an item, which shows values also as text and in forms. */
export const itemPageForm: IndentedForm = { ...pageForm, maxBytes: pageForm.maxBytes / 3 };

/**
 * Returns the 413 for JSON that is too long or too dense for a form; undefined for other JSON. Known before the form is
 * made: deep values may take gigabytes (docs/reference/responses.md#response-size).
 *
 * @param text without spaces between values
 */
export function indentedSizeError(
  text: string,
  { indent, maxBytes, isHtml, other }: IndentedForm,
): ApiError | undefined {
  const added = Buffer.byteLength(text) - text.length + (isHtml ? escapeBytes(text) : 0);
  const length = maxBytes - added;
  const size = measureIndented(text, indent, { characters: maxIndentedStructure, length });
  if (size.characters <= maxIndentedStructure && size.length <= length) return undefined;
  const limit = `${maxBytes} bytes or ${maxIndentedStructure} brackets, commas and colons, ${isHtml ? 'as HTML' : 'indented'}`;
  const detail = `Response size limit exceeded (${limit}). Use a smaller page_size, or ${other}.`;
  return detailError(413, detail, 'response_too_large');
}

/** Checks whether a request may have changed something: then no form of its response makes it an error. */
export function hasTakenEffect(
  { method }: Pick<Request, 'method'>,
  { status }: Pick<Response, 'status'>,
): boolean {
  return status < 300 && method !== 'GET' && method !== 'HEAD';
}

/** Returns the bytes by which HTML makes a text longer. */
export function escapeBytes(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // &quot;
        bytes += 5;
        break;
      case 0x26: // &amp;
      case 0x27: // &#39;
        bytes += 4;
        break;
      case 0x3c: // &lt;
      case 0x3e: // &gt;
        bytes += 3;
    }
  }
  return bytes;
}

function isSmall(length: number): boolean {
  return length * escapedBytes < maxEventBytes - headBytes;
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function base64Bytes({ byteLength }: Uint8Array): number {
  return Math.ceil(byteLength / 3) * 4 + 2;
}

/** Returns the bytes of UTF-8 as a JSON string, without making the string. */
function textBytes(text: Uint8Array): number {
  let bytes = text.byteLength + 2;
  for (const byte of text) {
    if (byte === 0x22 || byte === 0x5c) bytes += 1;
    else if (byte < 0x20) bytes += shortEscapes.includes(byte) ? 1 : escapedBytes - 1;
  }
  return bytes;
}

const shortEscapes = [...'\b\t\n\f\r'].map((character) => character.charCodeAt(0));
