import { maxStructure } from '../../../values/bounds.ts';
import { detailError, jsonAsForm, unsupportedMediaType } from '../../../values/errors/errors.ts';
import {
  decodeReplacing,
  decoderOf,
  escapesBeyondAscii,
  unescapedBytes,
} from '../../../values/text/decode-text.ts';
import { mediaType } from '../../../values/text/media-type.ts';
import type { Upload } from '../../../values/uploads.ts';
import { parseJsonText } from '../json-text.ts';
import type { Request, ValueBody } from '../message.ts';
import { charsetDecoder, type Decode, decodeOrThrow, decodeValue } from './decode-body.ts';

/** A parsed body. */
export interface Body {
  /** The top-level value: any JSON value, or an object of strings for a form. Not checked further. */
  readonly value: unknown;
  /** True for form and multipart bodies: every value is a string, and an absent boolean means false. */
  readonly form: boolean;
  /** Parts of a multipart body that have a filename, in order. */
  readonly files?: readonly Upload[];
  /** True where bytes that are no text became U+FFFD; only a script's arguments can have such. */
  readonly isReplaced?: true;
}

const noFiles: readonly Upload[] = [];
const plainDecoder = decoderOf(undefined);
const isAscii = /^[\0-\x7f]*$/;

/**
 * Parses the body of a request by its content type (docs/reference/requests.md#bodies).
 *
 * - An empty body is an empty object, whatever its type.
 * - `application/json` and `text/plain` hold JSON. A body without content type is parsed as JSON too: small clients
 *   omit the header, and a wrong guess fails as JSON that does not parse.
 * - Of a repeated form key the last value counts.
 * - A charset parameter is honoured; the default is UTF-8.
 *
 * @param isLenient what is no text in its charset becomes U+FFFD, and the result says so. For arguments of scripts, whose
 *   bytes third parties choose; otherwise it is an error (docs/reference/requests.md#text)
 * @throws ApiError 400 `JSON parse error - ...`, `Form parse error - ...`, `Multipart form parse error - ...`, or for
 *   JSON that is declared a form; 415 for other types, with the type as sent
 */
export async function parseBody(request: Request, isLenient = false): Promise<Body> {
  const { body } = request;
  if (body.kind === 'json') return valueBody(body);
  if (body.bytes.byteLength === 0) return jsonBody({});
  if (!isLenient) return parseBytes(request, body.bytes, decodeOrThrow);
  let isReplaced = false;
  const parsed = await parseBytes(request, body.bytes, (bytes, decoder) => {
    const decoded = decodeReplacing(bytes, decoder);
    isReplaced ||= decoded.isReplaced;
    return decoded.text;
  });
  return isReplaced ? { ...parsed, isReplaced } : parsed;
}

async function parseBytes({ headers }: Request, bytes: Uint8Array, decode: Decode): Promise<Body> {
  refuseEncoding(headers['content-encoding']);
  const contentType = headers['content-type'] ?? '';
  const type = mediaType(contentType);
  if (isJsonType(type)) {
    return jsonBody(
      parseJsonText(decode(bytes, charsetDecoder(contentType), 'JSON parse error - the body')),
    );
  }
  switch (type) {
    case 'application/x-www-form-urlencoded': {
      const value = parseForm(bytes, contentType, decode);
      if (isJsonKey(Object.keys(value))) throw jsonAsForm();
      return { value, form: true, files: noFiles };
    }
    case 'multipart/form-data': {
      const { parseMultipart } = await import('./multipart.ts'); // a tenth of a handler, which most requests never need
      const { fields, files } = await parseMultipart(contentType, bytes, decode);
      return { value: fields, form: true, files };
    }
    default:
      throw unsupportedMediaType(contentType);
  }
}

/** Types of JSON that have no suffix; a body without type is JSON too. */
const jsonTypes = new Set([
  '',
  'application/json',
  'text/plain',
  'text/json',
  'application/csp-report',
]);

/** Checks whether a media type is JSON, also by its suffix (RFC 6839): `application/vnd.github+json`. */
export function isJsonType(type: string): boolean {
  return jsonTypes.has(type) || /^[\w.!#$&^-]+\/[\w.!#$&^+-]+\+json$/.test(type);
}

/**
 * Rejects a compressed body: it would be read as text that it is not.
 *
 * @throws ApiError 415 that names the coding
 */
function refuseEncoding(coding: string | undefined): void {
  if (coding === undefined || /^(identity)?$/i.test(coding.trim())) return;
  throw detailError(
    415,
    `Unsupported content encoding "${coding}" in request.`,
    'media_type_unknown',
  );
}

/** Returns a body that is a value already. */
export function valueBody({ value }: ValueBody): Body {
  return jsonBody(value === undefined ? {} : value);
}

/**
 * Decodes bytes in the charset that `contentType` names, without byte order mark.
 *
 * @throws ApiError 400 `JSON parse error - ...` for bytes that are no such text and for unknown charsets
 */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  return decodeOrThrow(bytes, charsetDecoder(contentType), 'JSON parse error - the body');
}

function jsonBody(value: unknown): Body {
  return { value, form: false, files: noFiles };
}

function parseForm(bytes: Uint8Array, contentType: string, decode: Decode): Record<string, string> {
  const decoder = charsetDecoder(contentType);
  const { buffer, byteOffset, byteLength } = bytes;
  const raw = Buffer.from(buffer, byteOffset, byteLength);
  checkFields(raw);
  const text = raw.toString('latin1');
  if (decoder === plainDecoder && isAscii.test(text) && !escapesBeyondAscii.test(text)) {
    return Object.fromEntries(new URLSearchParams(text));
  }
  const pairs = text.split('&').filter(Boolean);
  return Object.fromEntries(
    pairs.map((pair) => {
      const [sent = '', ...value] = pair.split('=');
      const name = decode(unescapedBytes(sent), decoder, 'Form parse error - a name');
      const what = `Form parse error - the value of ${JSON.stringify(name)}`;
      return [name, decodeValue(decode, [unescapedBytes(value.join('=')), decoder, what])];
    }),
  );
}

/** Checks whether a form is JSON that was sent without its type: `curl -d` declares every body a form. */
function isJsonKey([only, ...others]: readonly string[]): boolean {
  return only !== undefined && others.length === 0 && /^\s*[[{]/.test(only);
}

/** A field costs as much as two characters of JSON's structure. */
const maxFields = maxStructure / 2;

function checkFields(raw: Buffer): void {
  let at = -1;
  for (let ends = 0; ends < maxFields; ends += 1) {
    at = raw.indexOf(ampersand, at + 1);
    if (at < 0) return;
  }
  throw detailError(400, `Form parse error - more than ${maxFields} fields`, 'body_too_complex');
}

const ampersand = 0x26;
