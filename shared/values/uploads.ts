import { dataMessages } from './errors/data-messages.ts';
import { extensionOf } from './file-keys.ts';
import { charsetOf } from './text/decode-text.ts';
import { withFilename } from './text/file-name.ts';

/** A file from a part of a multipart body. */
export interface Upload {
  /** Name of the part. */
  readonly field: string;
  /** Without folders, as sent by the client; empty when absent. */
  readonly filename: string;
  /** With its parameters, as sent; `text/plain` when the part has none. */
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** Maximum bytes of a large upload, sent directly to the file storage (docs/reference/objects.md#large-uploads). */
export const maxUploadBytes = 134_217_728;

const maxExtension = 16; // including its dot

/** Returns the errors of a filename (docs/reference/objects.md#errors-by-type); empty when valid. */
export function filenameErrors(filename: string): readonly string[] {
  const isLong = [...extensionOf(filename)].length > maxExtension;
  return isLong ? [dataMessages.extensionTooLong(maxExtension)] : [];
}

/** Returns the errors of an uploaded file; empty when valid. */
export function uploadErrors({ filename, bytes }: Upload): readonly string[] {
  return bytes.byteLength === 0 ? [dataMessages.emptyFile] : filenameErrors(filename);
}

const types: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.bmp': 'image/bmp',
  '.ico': 'image/x-icon',
  '.svg': 'image/svg+xml',
  '.heic': 'image/heic',
  '.tif': 'image/tiff',
  '.tiff': 'image/tiff',
  '.mp4': 'video/mp4',
  '.mov': 'video/quicktime',
  '.webm': 'video/webm',
  '.ogv': 'video/ogg',
  '.mp3': 'audio/mpeg',
  '.m4a': 'audio/mp4',
  '.ogg': 'audio/ogg',
  '.wav': 'audio/wav',
  '.pdf': 'application/pdf',
  '.zip': 'application/zip',
  '.gz': 'application/gzip',
  '.json': 'application/json',
  '.xml': 'application/xml',
  '.css': 'text/css',
  '.txt': 'text/plain',
  '.csv': 'text/csv',
  '.html': 'text/html',
  '.htm': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.woff2': 'font/woff2',
};
const generic: readonly string[] = ['', 'text/plain', 'application/octet-stream'];
const typePattern = /^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}$/;

/**
 * Returns the content type for storing a file: that of its part, or, where that is generic, the usual one of its
 * extension. Clients often send none. A charset is kept, because a browser shows text without one in another; other
 * parameters are not (docs/reference/objects.md#files).
 */
export function contentTypeOf(said: string, filename: string): string {
  const [bare = ''] = said.toLowerCase().split(';', 1);
  const type = bare.trimEnd();
  const charset = charsetOf(said)?.toLowerCase();
  const parameter =
    charset !== undefined && charsetForm.test(charset) ? `; charset=${charset}` : '';
  if (!generic.includes(type) && typePattern.test(type)) return `${type}${parameter}`;
  const known = types[extensionOf(filename).toLowerCase()];
  const stored = known ?? (type === 'text/plain' ? type : 'application/octet-stream');
  return stored.startsWith('text/') ? `${stored}${parameter}` : stored;
}

/** Checks whether a text is a content type that can be kept: well formed, with a charset that has a name. */
export function isContentType(text: string): boolean {
  const [type = ''] = text.toLowerCase().split(';', 1);
  const parameters = text.slice(type.length);
  const charset = charsetOf(text)?.toLowerCase() ?? '';
  return (
    typePattern.test(type.trimEnd()) &&
    /^[\t -~]*$/.test(parameters) &&
    parametersForm.test(parameters) &&
    (!/;\s*charset\s*=/i.test(parameters) || charsetForm.test(charset))
  );
}

const parametersForm = /^(?:;[ \t]*(?:[\w!#$&^.+-]+[ \t]*=[ \t]*(?:[^\s;"]+|"[^"]*"))?[ \t]*)*$/;
const charsetForm = /^[a-z0-9][a-z0-9._:-]{0,39}$/;

const inert =
  /^(image\/(?!svg)|audio\/|video\/|font\/|text\/(plain|csv)$|application\/(pdf|json)$)/;

/**
 * Returns how a browser opens a file at its URL, as `Content-Disposition`: a file that could run as a page is saved, not
 * shown.
 *
 * @param filename name with which it is saved; absent for a file without one
 */
export function dispositionOf(contentType: string, filename?: string): string {
  const isInert = inert.test(contentType.replace(/;.*$/, ''));
  return withFilename(isInert ? 'inline' : 'attachment', filename);
}
