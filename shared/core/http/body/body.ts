import { TextDecoder } from 'node:util';
import { maxStructure } from '../../../values/bounds.ts';
import { jsonAsForm, refused, unsupportedMediaType } from '../../../values/errors/errors.ts';
import type { Upload } from '../../../values/uploads.ts';
import { jsonParseError, parseJsonText } from '../json-text.ts';
import type { Request, ValueBody } from '../message.ts';

/** A body as a value. */
export interface ParsedBody {
  /** The top-level value: any JSON value, or an object of strings for a form. Not checked further. */
  readonly value: unknown;
  /** True for form and multipart bodies: every value is a string, and an absent boolean means false. */
  readonly form: boolean;
  /** Parts of a multipart body that have a filename, in order. */
  readonly files: readonly Upload[];
}

const noFiles: readonly Upload[] = [];
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses the body of a request by its content type (docs/reference/requests.md#bodies).
 *
 * - An empty body is an empty object, whatever its type.
 * - `application/json` and `text/plain` hold JSON. A body without content type is parsed as JSON too: small clients
 *   omit the header, and a wrong guess fails as JSON that does not parse.
 * - Of a repeated form key the last value counts.
 * - A charset parameter is honoured; the default is UTF-8.
 *
 * @throws ApiError 400 `JSON parse error - ...` (also for bytes that are no text in that charset),
 *   `Multipart form parse error - ...`, or for JSON that is declared a form; 415 for other types, with the type as sent
 */
export async function parseBody(request: Request): Promise<ParsedBody> {
  const { body } = request;
  if (body.kind === 'json') return valueBody(body);
  if (body.bytes.byteLength === 0) return jsonBody({});
  const contentType = request.headers['content-type'] ?? '';
  switch (mediaType(contentType)) {
    case '':
    case 'application/json':
    case 'text/plain':
      return jsonBody(parseJsonText(decodeText(body.bytes, contentType)));
    case 'application/x-www-form-urlencoded': {
      const value = parseForm(body.bytes, contentType);
      if (isJsonKey(Object.keys(value))) throw jsonAsForm();
      return { value, form: true, files: noFiles };
    }
    case 'multipart/form-data': {
      const { parseMultipart } = await import('./multipart.ts'); // a tenth of a handler, which most requests never need
      const { fields, files } = await parseMultipart(contentType, body.bytes);
      return { value: fields, form: true, files };
    }
    default:
      throw unsupportedMediaType(contentType);
  }
}

/** Returns a body that is a value already. */
export function valueBody({ value }: ValueBody): ParsedBody {
  return jsonBody(value === undefined ? {} : value);
}

/** Returns the media type of a `Content-Type` in lower case, without parameters; empty when absent. */
export function mediaType(contentType: string): string {
  if (contentType === 'application/json') return contentType;
  const end = contentType.indexOf(';');
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

/**
 * Decodes bytes in the charset that `contentType` names, without byte order mark.
 *
 * @throws ApiError 400 `JSON parse error - ...` for bytes that are no such text and for unknown charsets
 */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  return decodeWith(decoderOf(contentType), bytes);
}

function jsonBody(value: unknown): ParsedBody {
  return { value, form: false, files: noFiles };
}

function decoderOf(contentType: string): TextDecoder {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1];
  if (charset === undefined || /^utf-?8$/i.test(charset)) return utf8;
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw jsonParseError('unknown charset');
  }
}

function decodeWith(decoder: TextDecoder, bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw jsonParseError(`the body is not valid ${decoder.encoding}`);
  }
}

function parseForm(bytes: Uint8Array, contentType: string): Record<string, string> {
  const decoder = decoderOf(contentType);
  const { buffer, byteOffset, byteLength } = bytes;
  const raw = Buffer.from(buffer, byteOffset, byteLength);
  checkFields(raw);
  if (decoder === utf8) return Object.fromEntries(new URLSearchParams(raw.toString()));
  // URLSearchParams decodes escapes as UTF-8 only.
  const pairs = raw.toString('latin1').split('&').filter(Boolean);
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [decodeEscapes(name, decoder), decodeEscapes(value.join('='), decoder)];
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
  throw refused(400, `Form parse error - more than ${maxFields} fields`, 'body_too_complex');
}

const ampersand = 0x26;

/** Decodes a form's escaped text, one character per byte, in the charset of `decoder`. */
function decodeEscapes(text: string, decoder: TextDecoder): string {
  const byte = (_: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16));
  const plain = text.replaceAll('+', ' ').replace(/%([\da-f]{2})/gi, byte);
  return decodeWith(decoder, Buffer.from(plain, 'latin1'));
}
