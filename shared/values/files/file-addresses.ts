import { areaOf, type FileKey, readFileKey, readPublicKey } from '../file-keys.ts';

/* Texts by which clients name files, and what responses show of keys. */

/** Checks whether a stored value of a file field is the key of a private file. */
export function isPrivateKey(value: string): boolean {
  return value.startsWith('private/');
}

/** Returns the URL of a public file, or the key of a private one. `base` has no slash at its end. */
export function fileUrl(base: string, key: string): string {
  return isPrivateKey(key) ? key : `${base}/${key.slice('public/'.length)}`;
}

/**
 * Reads the key of a private file, as named by a client: the key itself, or an address that has it at the end of its
 * path, whatever its signature; undefined for any other text. The caller's rights on the object decide about its use.
 */
export function readPrivateFile(text: string): FileKey | undefined {
  const [path = ''] = text.replace(/^https?:\/\/[^?#]*\/(?=private\/)/, '').split('?');
  const key = readFileKey(path);
  return key !== undefined && areaOf(key) === 'private' ? key : undefined;
}

/** Returns the key for a URL below `base`; undefined for any other text. */
export function keyOfUrl(base: string, url: string): FileKey | undefined {
  if (!url.startsWith(`${base}/`)) return undefined;
  return readPublicKey(url.slice(base.length + 1));
}

/** Reads the key of a large upload, as named by a client; undefined for any other text. */
export function readUploadKey(text: string): FileKey | undefined {
  const key = readFileKey(text);
  return key !== undefined && areaOf(key) === 'uploads' ? key : undefined;
}
