import { isAbsolute, normalize } from 'node:path';

/** Names of devices, in every folder of Windows. */
const device = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/**
 * Returns the components of a path from a folder, none for the folder itself; undefined for a path that leads out of
 * the folder, or to a device. Backslashes separate components everywhere, as projects move between systems.
 */
export function partsWithin(path: string): readonly string[] | undefined {
  if (isAbsolute(path) || path.includes('\0')) return undefined;
  const normal = normalize(path);
  if (normal.split(/[\\/]/).includes('..')) return undefined;
  const separator = process.platform === 'win32' ? /[\\/]/ : '/';
  const parts = normal.split(separator).filter((part) => part !== '' && part !== '.');
  return process.platform === 'win32' && parts.some(isSpecialOnWindows) ? undefined : parts;
}

/** Names with `:` are of streams and drives, such as `GIT~1` short forms of others. */
function isSpecialOnWindows(part: string): boolean {
  return part.includes(':') || device.test(part) || /~\d/.test(part) || /[. ]$/.test(part);
}

/**
 * Checks whether a script may be in a file: within the project, and with no component that begins with a dot. A pull
 * must not write `.git/config`, which runs programs, nor a push send `.env`.
 */
export function isScriptPath(path: string): boolean {
  const parts = partsWithin(path) ?? [];
  return parts.length > 0 && parts.every((part) => !part.startsWith('.'));
}
