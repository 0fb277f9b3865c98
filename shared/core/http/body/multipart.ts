import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { type ApiError, refused } from '../../../values/errors/errors.ts';
import type { Upload } from '../../../values/uploads.ts';

/** The parts of a multipart body. */
export interface MultipartForm {
  /** Text by field name; the last value of a repeated name. */
  readonly fields: Readonly<Record<string, string>>;
  /** In the order of the body. */
  readonly files: readonly Upload[];
}

const maxParts = 1000; // a part costs some 20 us; a body of 6 MB could hold 100,000

/**
 * Parses a `multipart/form-data` body. A part with a filename is a file; one with an empty filename (a form with no
 * file chosen) is omitted. A part of bytes without filename is a file too, because clients send buffers that way.
 *
 * @param contentType the header of the request, with its boundary
 * @throws ApiError 400 `Multipart form parse error - ...`
 */
export function parseMultipart(contentType: string, bytes: Uint8Array): Promise<MultipartForm> {
  return new Promise((resolve, reject) => {
    const fields = new Map<string, string>();
    const files: Upload[] = [];
    const fail = (reason: string) => reject(multipartError(reason));
    const parser = openParser(contentType);
    parser.on('field', (name, value) => {
      if (name !== undefined) fields.set(name.toWellFormed(), value.toWellFormed());
    });
    parser.on('file', (field, stream, filename, _encoding, type) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', () => fail('unexpected end of a file'));
      stream.on('end', () => {
        if (field === undefined || filename === '') return;
        files.push({
          field: field.toWellFormed(),
          filename: (filename ?? '').toWellFormed(),
          contentType: type,
          bytes: Buffer.concat(chunks),
        });
      });
    });
    parser.on('partsLimit', () => fail(`more than ${maxParts} parts`));
    parser.on('error', () => fail('unexpected end of the body'));
    parser.on('finish', () => resolve({ fields: Object.fromEntries(fields), files }));
    parser.end(bytes);
  });
}

/**
 * Finds a text field in the first bytes of a `multipart/form-data` body.
 *
 * @param start whole parts; one that is cut off counts as far as it is present
 * @returns the field's value, the last of several; undefined when absent
 * @throws ApiError 400 for a content type without boundary
 */
export function fieldAtStart(
  contentType: string,
  start: Uint8Array,
  field: string,
): Promise<string | undefined> {
  const parser = openParser(contentType);
  return new Promise((resolve) => {
    let found: string | undefined;
    const end = () => resolve(found);
    parser.on('field', (name, value) => {
      if (name === field) found = value;
    });
    parser.on('file', (_field, stream) => {
      stream.on('error', end);
      stream.resume();
    });
    parser.on('error', end); // nearly always, because the body continues
    parser.on('finish', end);
    parser.end(start);
  });
}

function openParser(contentType: string): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      isPartAFile: (_field, type, filename) =>
        filename !== undefined || type === 'application/octet-stream',
      limits: { parts: maxParts, fieldSize: Number.MAX_SAFE_INTEGER }, // the edge has limited the whole body
    });
  } catch (error) {
    // The only error of the parser for a header that names multipart/form-data.
    if (!(error instanceof Error && error.message.includes('Boundary'))) throw error;
    throw multipartError('no boundary in the content type');
  }
}

function multipartError(reason: string): ApiError {
  return refused(400, `Multipart form parse error - ${reason}`, 'malformed_body');
}
