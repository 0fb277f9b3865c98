import { extensionOf } from '../file-keys.ts';

/** UTF-8 bytes of a name, as file systems allow. S3 keeps 2 KB of headers with a file. */
const maxBytes = 255;

/** Characters that no file is named with, or that reorder a name so that it ends with another extension. */
const controls = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** Name under which a file without a name is stored. */
const keyName = /^[0-9a-f]{40}(?:\.[a-z0-9]{1,15})?$/;

/** Returns the last part of a path, of either kind of system; empty when it names a folder. */
export function withoutFolders(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return name === '.' || name === '..' ? '' : name;
}

/**
 * Returns the name with which a file is downloaded: that of the client without folders and control characters, of at
 * most 255 bytes (docs/reference/objects.md#files). Undefined when nothing remains.
 */
export function downloadNameOf(filename: string): string | undefined {
  const last = withoutFolders(filename.replace(controls, ''));
  const name = withoutFolders(last.trim()); // of `a/ ..` nothing
  return name === '' || keyName.test(name) ? undefined : shortenName(name);
}

/** Shortens a name before its extension, between two characters. */
function shortenName(name: string): string {
  if (Buffer.byteLength(name) <= maxBytes) return name;
  const extension = extensionOf(name);
  const isLong = Buffer.byteLength(extension) > maxBytes / 2; // no upload is accepted with such a one
  const kept = isLong ? '' : extension;
  const room = maxBytes - Buffer.byteLength(kept);
  let [stem, bytes] = ['', 0];
  for (const character of name) {
    bytes += Buffer.byteLength(character);
    if (bytes > room) break;
    stem += character;
  }
  return stem + kept;
}

/** Writes a text as the extended value of a parameter of a header (RFC 8187). */
export function extendedValue(text: string): string {
  const escaped = (one: string) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`;
  return `UTF-8''${encodeURIComponent(text).replace(/['()*]/g, escaped)}`;
}

/** Reads what {@link extendedValue} has written as the parameter `name` of a header; undefined when it has none. */
export function extendedParameter(header: string, name: string): string | undefined {
  const begin = `; ${name}*=UTF-8''`;
  const start = header.indexOf(begin);
  if (start < 0) return undefined;
  const [value = ''] = header.slice(start + begin.length).split(';', 1);
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined; // of another server
  }
}

/** Writes how a file is shown, with its name: in ASCII for old clients, and in full (RFC 6266). */
export function withFilename(disposition: string, filename: string | undefined): string {
  if (filename === undefined) return disposition;
  const ascii = filename.replace(/[^\x20-\x7e]|["\\%]/gu, '_');
  return `${disposition}; filename="${ascii}"; filename*=${extendedValue(filename)}`;
}
