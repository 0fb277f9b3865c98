import { unzipSync } from 'fflate';
import type { PackageFiles } from '../../../../../shared/runtimes/python-packages.ts';
import type { LockedPackage } from './lock.ts';

/** Maximum bytes of a wheel. */
export const maxWheelBytes = 8 * 1024 * 1024;
/** Maximum bytes of the files in a wheel. */
export const maxUnpackedBytes = 16 * 1024 * 1024;
/** Maximum of files in a wheel. */
export const maxWheelFiles = 2000;

const centralHeader = 0x02014b50;
const headerBytes = 46;
const symbolicLink = 0o120000;
const kindOfFile = 0o170000;

/**
 * Reads the files of a pure-Python wheel as they are in a folder of `sys.path`, without the list of files.
 *
 * @throws Error that names the package, for a wheel with links, paths that leave their folder, or too much in it
 */
export function readWheel({ name, version }: LockedPackage, content: Uint8Array): PackageFiles {
  const refuse = (reason: string) => new Error(`the wheel of ${name} ${version} ${reason}`);
  if (content.length > maxWheelBytes) throw refuse(`has more than ${maxWheelBytes} bytes`);
  const link = linkIn(content);
  if (link !== undefined) throw refuse(`has a symbolic link: ${link}`);
  const found = new Map<string, number>();
  const check = (path: string, size: number): boolean => {
    if (!isPath(path)) throw refuse(`has a path that leaves its folder: ${path}`);
    if (found.has(path)) throw refuse(`has two files ${path}`);
    found.set(path, size);
    if (found.size > maxWheelFiles) throw refuse(`has more than ${maxWheelFiles} files`);
    const total = [...found.values()].reduce((sum, each) => sum + each, 0);
    if (total > maxUnpackedBytes) throw refuse(`has more than ${maxUnpackedBytes} bytes unpacked`);
    return !path.endsWith('/');
  };
  let unpacked: ReturnType<typeof unzipSync>;
  try {
    unpacked = unzipSync(content, {
      // a file that is not compressed has as many bytes as it has in the zip, whatever it declares
      filter: (file) => check(file.name, Math.max(file.size, file.originalSize)),
    });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error; // of check
    throw refuse(`cannot be read: ${error.message}`);
  }
  return new Map(
    Object.entries(unpacked).flatMap(([path, bytes]) => {
      const target = targetOf(path);
      return target === undefined ? [] : [[target, bytes] as const];
    }),
  );
}

/** Returns the modules that files of packages have at the top. */
export function topModules(files: PackageFiles): readonly string[] {
  const names = [...files.keys()].flatMap((path) => {
    const [first = '', ...others] = path.split('/');
    if (!path.endsWith('.py')) return [];
    return [others.length === 0 ? first.slice(0, -'.py'.length) : first];
  });
  return [...new Set(names)].filter((name) => /^[A-Za-z_]\w*$/.test(name)).toSorted();
}

function isPath(path: string): boolean {
  const parts = path.replace(/\/$/, '').split('/');
  return (
    /^[^\\\0:]+$/.test(path) && parts.every((part) => part !== '' && part !== '.' && part !== '..')
  );
}

/** Returns where an installation puts a file of a wheel; undefined for one that modules do not need. */
function targetOf(path: string): string | undefined {
  if (/^[^/]+\.dist-info\/RECORD(\.(jws|p7s))?$/.test(path)) return undefined;
  const data = /^[^/]+\.data\/([^/]+)\/(.+)$/.exec(path);
  if (data === null) return path;
  return data[1] === 'purelib' || data[1] === 'platlib' ? data[2] : undefined;
}

/** Returns the path of the first symbolic link in a zip; undefined without one. */
function linkIn(content: Uint8Array): string | undefined {
  const view = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const end = view.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  if (end < 0 || end + 22 > view.length) return undefined; // no zip: reading it fails
  let at = view.readUInt32LE(end + 16);
  for (let left = view.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (at + headerBytes > view.length || view.readUInt32LE(at) !== centralHeader) return undefined;
    const lengths = [28, 30, 32].map((field) => view.readUInt16LE(at + field));
    const next = at + headerBytes + lengths.reduce((sum, each) => sum + each, 0);
    const mode = view.readUInt32LE(at + 38) >>> 16;
    if ((mode & kindOfFile) === symbolicLink) {
      const path = view.subarray(at + headerBytes, at + headerBytes + (lengths[0] ?? 0));
      return path.toString('latin1'); // shown in an error only
    }
    at = next;
  }
  return undefined;
}
