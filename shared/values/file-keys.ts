/*
 * Where files are. A key is `<area>/<instance id>/[<class or script>/[<user id>/]]<40 random hex digits>[.<extension>]`,
 * made by us alone: no part of it is a client's text but the extension, of small letters and digits. So a key leads
 * nowhere else, nobody guesses one, and all files of a class or an instance are removed by their prefix.
 */

/** Files of objects, which anybody reads who has the address. */
const publicArea = 'public/';
/** Large uploads, which no object holds yet; 0 stands for callers without user. */
const uploadArea = 'uploads/';

/** Large sources of scripts. */
const sourceArea = 'scripts/';
/** Large values of traces; those that are a day old are removed, as large uploads are. */
const traceArea = 'traces/';

const tail = '[0-9a-f]{40}(\\.[a-z0-9]{1,15})?$';
const publicPattern = new RegExp(`^${publicArea}(\\d{1,10})/\\d{1,10}/${tail}`);
const uploadPattern = new RegExp(`^${uploadArea}\\d{1,10}/\\d{1,10}/\\d{1,10}/${tail}`);

/** The start of all keys of an instance's files, or of those of one of its classes, with its last slash. */
export function filePrefix(instance: number, classNumber?: number): string {
  return `${publicArea}${instance}/${classNumber === undefined ? '' : `${classNumber}/`}`;
}

/** The start of the keys of large uploads to a class, by a user or by callers without one, with its last slash. */
export function uploadPrefix(instance: number, classNumber: number, user: number | undefined) {
  return `${uploadArea}${instance}/${classNumber}/${user ?? 0}/`;
}

/** The start of the keys of all sources of an instance, or of a script, with its last slash. */
export function sourcePrefix(instance: number, script?: number): string {
  return `${sourceArea}${instance}/${script === undefined ? '' : `${script}/`}`;
}

/** The start of the keys of large values of an instance's traces, with its last slash. */
export function tracePrefix(instance: number): string {
  return `${traceArea}${instance}/`;
}

/**
 * Makes a key.
 *
 * @param random    40 hex digits or more
 * @param extension as `extensionOf` gives it; characters that an address would have to escape leave it out
 */
export function fileKey(prefix: string, random: string, extension: string): string {
  const lower = extension.toLowerCase();
  return `${prefix}${random.slice(0, 40)}${/^\.[a-z0-9]{1,15}$/.test(lower) ? lower : ''}`;
}

/** Tells whether a text is the key of a large upload, by which a client names it. */
export function isUploadKey(text: string): boolean {
  return uploadPattern.test(text);
}

/** Tells whether a key is one of a file of this instance. */
export function isFileOf(instance: number, key: string): boolean {
  return publicPattern.exec(key)?.[1] === String(instance);
}

/** The extension of a file's name with its dot, as it was typed; empty when there is none. */
export function extensionOf(filename: string): string {
  return /[^.](\.[^.]*)$/.exec(filename)?.[1] ?? '';
}

/** The address of a public file. `base` has no slash at its end. */
export function fileUrl(base: string, key: string): string {
  return `${base}/${key.slice(publicArea.length)}`;
}

/** The key that an address below `base` stands for; undefined for any other text. */
export function keyOfUrl(base: string, url: string): string | undefined {
  if (!url.startsWith(`${base}/`)) return undefined;
  const key = publicArea + url.slice(base.length + 1);
  return publicPattern.test(key) ? key : undefined;
}
