import { zipSync } from 'fflate';

/*
 * The format of a Python script with packages: its source, then a zip of their files in comment lines. The runner reads
 * it in python/packages.py, which has the same words and bounds.
 */

const start = '# groundwork packages 1 ';
const end = '# end of groundwork packages\n';
const width = 1000; // characters of base64 in a line

/** Maximum of files of all packages of a script. */
export const maxPackageFiles = 4000;
/** Maximum of their bytes, unpacked. */
export const maxPackageBytes = 32 * 1024 * 1024;

/** Content of files of packages by path, as in a folder of `sys.path`. */
export type PackageFiles = ReadonlyMap<string, Uint8Array>;

/**
 * Appends packages to the source of a Python script. The same input gives the same text on every machine.
 *
 * @param names top-level modules of the packages
 */
export function appendPackages(
  source: string,
  names: readonly string[],
  files: PackageFiles,
): string {
  const text = Buffer.from(zipPackages(files)).toString('base64');
  const lines = text.match(new RegExp(`.{1,${width}}`, 'g')) ?? [];
  const header = `${start}${text.length} ${names.toSorted().join(',')}\n`;
  const gap = source === '' || source.endsWith('\n') ? '' : '\n';
  return `${source || '\n'}${gap}${header}${lines.map((line) => `# ${line}\n`).join('')}${end}`;
}

/** Returns the source of a script without its packages. */
export function withoutPackages(source: string): string {
  const at = source.endsWith(`\n${end}`) ? source.lastIndexOf(`\n${start}`) : -1;
  return at < 0 ? source : source.slice(0, at + 1);
}

/** Returns a zip of files; the same files give the same bytes. */
export function zipPackages(files: PackageFiles): Uint8Array {
  const sorted = [...files].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const mtime = new Date(2020, 0, 1, 12); // local time, which fflate writes: the same digits in every time zone
  return zipSync(Object.fromEntries(sorted), { mtime, os: 3, attrs: 0o644 << 16, level: 9 });
}
