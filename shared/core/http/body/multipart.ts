import { Dicer } from '@fastify/busboy';
import { type ApiError, detailError } from '../../../values/errors/errors.ts';
import { decodeReplacing } from '../../../values/text/decode-text.ts';
import type { Upload } from '../../../values/uploads.ts';
import { charsetDecoder, type Decode, decodeValue } from './decode-body.ts';
import { type DecodeName, type PartHead, type PartHeaders, readPartHead } from './part-head.ts';

/** The parts of a multipart body. */
export interface MultipartForm {
  /** Text by field name; the last value of a repeated name. */
  readonly fields: Readonly<Record<string, string>>;
  /** In the order of the body. */
  readonly files: readonly Upload[];
}

const maxBoundaryBytes = 250; // RFC 2046 allows 70; the parser fails for more than 252
const maxParts = 1000; // a part costs some 20 us; a body of 6 MB could hold 100,000

/** A part as it was sent. */
interface Part {
  readonly head: PartHead;
  readonly bytes: Buffer;
}

/**
 * Parses a `multipart/form-data` body. A part with a filename is a file; one with an empty filename (a form with no
 * file chosen) is omitted. A part of bytes without filename is a file too, because clients send buffers that way.
 *
 * @param contentType the header of the request, with its boundary
 * @param decode decodes names and the text of fields; throws an ApiError
 * @throws ApiError 400 `Multipart form parse error - ...`
 */
export async function parseMultipart(
  contentType: string,
  bytes: Uint8Array,
  decode: Decode,
): Promise<MultipartForm> {
  const fields = new Map<string, string>();
  const files: Upload[] = [];
  for (const { head, bytes: content } of await readParts(contentType, bytes, decode)) {
    const { field, filename, contentType: type } = head;
    if (!isFile(head)) {
      const what = `Multipart form parse error - the value of ${JSON.stringify(field)}`;
      fields.set(field, decodeValue(decode, [content, charsetDecoder(type), what]));
    } else if (filename !== '') {
      files.push({ field, filename: filename ?? '', contentType: type, bytes: content });
    }
  }
  return { fields: Object.fromEntries(fields), files };
}

function isFile({ filename, contentType }: PartHead): boolean {
  return filename !== undefined || /^application\/octet-stream\b/i.test(contentType);
}

/** Reads all parts of a form, in order. */
function readParts(
  contentType: string,
  bytes: Uint8Array,
  decode: Decode,
): Promise<readonly Part[]> {
  const parser = openParser(contentType);
  return new Promise((resolve, reject) => {
    const parts: (Part | undefined)[] = [];
    const fail = (reason: string) => reject(multipartError(reason));
    parser.on('part', (stream) => {
      const at = parts.push(undefined) - 1;
      if (at === maxParts) fail(`more than ${maxParts} parts`);
      const done = (part: Part) => {
        parts[at] = part;
      };
      readPart(stream, { decode, fail: reject, done });
    });
    parser.on('error', () => fail('unexpected end of the body'));
    parser.on('finish', () => resolve(parts.filter((part) => part !== undefined)));
    parser.end(bytes);
  });
}

interface PartReading {
  readonly decode: Decode;
  readonly fail: (error: unknown) => void;
  readonly done: (part: Part) => void;
}

/** Reads one part; one that is cut off, or is no part of a form, is left out. */
function readPart(stream: Dicer.PartStream, { decode, fail, done }: PartReading): void {
  const chunks: Buffer[] = [];
  let head: PartHead | undefined;
  const decodeName: DecodeName = (name, decoder) =>
    decode(name, decoder, 'Multipart form parse error - a name of a part');
  stream.on('header', (headers) => {
    try {
      head = readPartHead(headers as PartHeaders, decodeName); // as the parser makes them
    } catch (error) {
      fail(error);
    }
  });
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('error', () => undefined); // the parser has the error as well
  stream.on('end', () => {
    if (head !== undefined) done({ head, bytes: Buffer.concat(chunks) });
  });
}

/**
 * Finds a text field in the first bytes of a `multipart/form-data` body.
 *
 * @param start whole parts; one that is cut off counts as far as it is present
 * @returns the field's value, the last of several; undefined when absent
 * @throws ApiError 400 for a content type without a valid boundary
 */
export function fieldAtStart(
  contentType: string,
  start: Uint8Array,
  field: string,
): Promise<string | undefined> {
  const parser = openParser(contentType);
  const decode: Decode = (bytes, decoder) => decodeReplacing(bytes, decoder).text;
  return new Promise((resolve, reject) => {
    let found: string | undefined;
    const done = ({ head, bytes }: Part) => {
      if (head.field === field && !isFile(head)) found = decodeReplacing(bytes).text;
    };
    parser.on('part', (stream) => readPart(stream, { decode, fail: reject, done }));
    parser.on('error', () => undefined); // nearly always, because the body continues
    parser.on('finish', () => resolve(found));
    parser.end(start);
  });
}

function openParser(contentType: string): Dicer {
  const [, quoted, bare] = /;\s*boundary\s*=\s*(?:"([^"]+)"|([^;\s"]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined) throw multipartError('no boundary in the content type');
  if (Buffer.byteLength(boundary) > maxBoundaryBytes)
    throw multipartError('the boundary is too long');
  return new Dicer({ boundary });
}

function multipartError(reason: string): ApiError {
  return detailError(400, `Multipart form parse error - ${reason}`, 'malformed_body');
}
