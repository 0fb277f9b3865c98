import { dataMessages } from './errors/data-messages.ts';
import { extensionOf } from './file-keys.ts';

/** A file that came as a part of a multipart body. */
export interface Upload {
  /** Name of the part. */
  readonly field: string;
  /** Without folders, as the client named it; empty when it did not. */
  readonly filename: string;
  /** In lower case, without parameters; `text/plain` when the part says nothing. */
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** Bytes that a large upload may have, straight to where files are (docs/reference/objects.md#large-uploads). */
export const maxUploadBytes = 134_217_728;

const maxExtension = 16; // with its dot

/** What is wrong with a file's name (docs/reference/objects.md#errors-by-type); empty when nothing is. */
export function filenameErrors(filename: string): readonly string[] {
  const isLong = [...extensionOf(filename)].length > maxExtension;
  return isLong ? [dataMessages.extensionTooLong(maxExtension)] : [];
}

/** What is wrong with an uploaded file; empty when nothing is. */
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
 * The content type with which a file is stored: what its part says, or, where that says nothing, what files of its
 * extension mostly are. Clients often say nothing.
 */
export function contentTypeOf(said: string, filename: string): string {
  const type = said.toLowerCase();
  if (!generic.includes(type) && typePattern.test(type)) return type;
  const known = types[extensionOf(filename).toLowerCase()];
  return known ?? (type === 'text/plain' ? type : 'application/octet-stream');
}

const inert =
  /^(image\/(?!svg)|audio\/|video\/|font\/|text\/(plain|csv)$|application\/(pdf|json)$)/;

/** How a browser is to take a file that is opened by its address: what could run as a page is saved, not shown. */
export function dispositionOf(contentType: string): 'inline' | 'attachment' {
  return inert.test(contentType) ? 'inline' : 'attachment';
}
