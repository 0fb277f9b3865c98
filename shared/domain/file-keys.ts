/*
 * Where files are. A key is `<area>/<instance id>/<class number>/<40 random hex digits>[.<extension>]`, made by us
 * alone: no part of it is a client's text but the extension, of small letters and digits. So a key leads nowhere
 * else, nobody guesses one, and all files of a class or an instance are removed by their prefix.
 */

/** `public`: files of objects, which anybody reads who has the address; `uploads`: what no object holds yet. */
export type FileArea = 'public' | 'uploads';

const pattern = /^(public|uploads)\/(\d{1,10})\/(\d{1,10})\/[0-9a-f]{40}(\.[a-z0-9]{1,15})?$/;

/** The start of all keys of an instance, or of one of its classes, with its last slash. */
export function filePrefix(area: FileArea, instance: number, classNumber?: number): string {
  return `${area}/${instance}/${classNumber === undefined ? '' : `${classNumber}/`}`;
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
  return pattern.exec(text)?.[1] === 'uploads';
}

/** Tells whether a key is one of this instance. */
export function isFileOf(instance: number, key: string): boolean {
  return pattern.exec(key)?.[2] === String(instance);
}

/** The extension of a file's name with its dot, as it was typed; empty when there is none. */
export function extensionOf(filename: string): string {
  return /[^.](\.[^.]*)$/.exec(filename)?.[1] ?? '';
}

const publicArea = 'public/';

/** The address of a public file. `base` has no slash at its end. */
export function fileUrl(base: string, key: string): string {
  return `${base}/${key.slice(publicArea.length)}`;
}

/** The key that an address below `base` stands for; undefined for any other text. */
export function keyOfUrl(base: string, url: string): string | undefined {
  if (!url.startsWith(`${base}/`)) return undefined;
  const key = publicArea + url.slice(base.length + 1);
  return pattern.test(key) ? key : undefined;
}
