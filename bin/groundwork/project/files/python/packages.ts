import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import {
  appendPackages,
  maxPackageBytes,
  maxPackageFiles,
  type PackageFiles,
  withoutPackages,
  zipPackages,
} from '../../../../../shared/runtimes/python-packages.ts';
import { maxSource } from '../../../../../shared/scripts/script-runtimes.ts';
import { type ProjectFiles, textOfFile } from '../../../project-files.ts';
import {
  formatLock,
  type Lock,
  type LockedPackage,
  maxPackages,
  parseLock,
  tooMany,
} from './lock.ts';
import { downloadLocked, resolveWheels } from './pip.ts';
import { hashRequirements, parseRequirements } from './requirements.ts';
import { readWheel, topModules } from './wheel.ts';

const cache = '.groundwork/wheels'; // by hash

/** Packages of the scripts in one folder. */
interface Packages {
  readonly modules: readonly string[];
  readonly files: PackageFiles;
  /** Bytes of each package as it is sent. */
  readonly sizes: () => readonly string[];
  /** What has happened to the lock file. */
  readonly note: string | undefined;
}

/** A Python script with its packages. */
export interface PythonSource {
  readonly source: string;
  readonly hasPackages: boolean;
  readonly note: string | undefined;
}

/**
 * Returns a function that adds the packages of the `requirements.txt` beside a Python script to its source, if it
 * imports one of their modules. Each `requirements.txt` is read once.
 */
export function openPythonPackages(
  own: ProjectFiles,
): (file: string, text: string) => Promise<PythonSource> {
  const folders = new Map<string, Promise<Packages | undefined>>();
  const told = new Set<string>();
  return async (file, text) => {
    const folder = dirname(file);
    const reading = folders.get(folder) ?? readPackages(own, folder);
    folders.set(folder, reading);
    const packages = await reading;
    const note = told.has(folder) ? undefined : packages?.note;
    told.add(folder);
    if (packages === undefined || !imports(text, packages.modules)) {
      return { source: text, hasPackages: false, note };
    }
    const source = appendPackages(withoutPackages(text), packages.modules, packages.files);
    if (source.length <= maxSource) return { source, hasPackages: true, note };
    throw new Error(
      `${file} has ${source.length} characters with its packages, and ${maxSource} are allowed: ${packages.sizes().join(', ')}`,
    );
  };
}

/** Checks whether a source has an import of one of the modules: a statement, or a call with the name as a text. */
function imports(source: string, modules: readonly string[]): boolean {
  const statements =
    /(?:^|[;:])[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import\b|import[ \t]+([^;#\n]+))/gm;
  const calls = /\b(?:import_module|__import__)\(\s*['"]([\w.]+)['"]/g;
  const names = [...source.matchAll(statements), ...source.matchAll(calls)]
    .flatMap(([, from = '', list = '']) => [from, ...list.split(',')])
    .map((name) => /^\s*(\w+)/.exec(name)?.[1] ?? '');
  return names.some((name) => modules.includes(name));
}

async function readPackages(own: ProjectFiles, folder: string): Promise<Packages | undefined> {
  const at = (name: string) => (folder === '.' ? name : `${folder}/${name}`);
  const [file, lockFile] = [at('requirements.txt'), at('requirements.lock')];
  const content = own.read(file);
  if (content === undefined) return undefined;
  const text = textOfFile(content, file);
  const requirements = parseRequirements(text, file);
  if (requirements.length === 0) return undefined;
  const hash = hashRequirements(text);
  const before = own.readText(lockFile);
  const old = before === undefined ? undefined : parseLock(before, lockFile);
  if (old?.requirements === hash) return { ...(await unpack(own, old, lockFile)), note: undefined };
  const wheels = await resolveWheels(requirements, file);
  if (wheels.length > maxPackages) throw tooMany(file);
  const lock = { requirements: hash, packages: wheels };
  const files = new Map(wheels.map((wheel) => [wheel.hash, readWheel(wheel, wheel.content)]));
  for (const wheel of wheels) keep(own, wheel.hash, wheel.content);
  const packages = join(lock, files);
  own.write(lockFile, formatLock(lock));
  const verb = old === undefined ? 'was made' : 'was made again, as the requirements have changed';
  return { ...packages, note: `${lockFile} ${verb}: commit it` };
}

async function unpack(
  own: ProjectFiles,
  lock: Lock,
  file: string,
): Promise<Omit<Packages, 'note'>> {
  const contents = new Map<string, Uint8Array>();
  for (const { hash } of lock.packages) {
    const kept = own.read(`${cache}/${hash}.whl`);
    if (kept !== undefined && hashOf(kept) === hash) contents.set(hash, kept);
  }
  const missing = lock.packages.filter(({ hash }) => !contents.has(hash));
  const wheels = missing.length > 0 ? await downloadLocked(missing, file) : [];
  for (const [index, wheel] of wheels.entries()) {
    if (wheel.hash !== missing[index]?.hash) {
      throw new Error(`the wheel of ${wheel.name} ${wheel.version} has not the hash of ${file}`);
    }
    contents.set(wheel.hash, wheel.content);
  }
  const files = lock.packages.map((each): [string, PackageFiles] => [
    each.hash,
    readWheel(each, contents.get(each.hash) ?? new Uint8Array()),
  ]);
  for (const wheel of wheels) keep(own, wheel.hash, wheel.content);
  return join(lock, new Map(files));
}

function keep(own: ProjectFiles, hash: string, content: Uint8Array): void {
  if (!own.has(`${cache}/.gitignore`)) own.write(`${cache}/.gitignore`, '*\n');
  own.write(`${cache}/${hash}.whl`, content);
}

/** Joins the files of all packages; two packages must not have the same one. */
function join(
  { packages }: Lock,
  byHash: ReadonlyMap<string, PackageFiles>,
): Omit<Packages, 'note'> {
  const files = new Map<string, Uint8Array>();
  const owners = new Map<string, LockedPackage>();
  for (const each of packages.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    for (const [path, bytes] of byHash.get(each.hash) ?? []) {
      const other = owners.get(path);
      if (other !== undefined && other !== each) {
        throw new Error(`the packages ${other.name} and ${each.name} both have the file ${path}`);
      }
      owners.set(path, each);
      files.set(path, bytes);
    }
  }
  const bytes = [...files.values()].reduce((sum, { length }) => sum + length, 0);
  if (files.size > maxPackageFiles || bytes > maxPackageBytes) {
    throw new Error(
      `the packages have ${files.size} files of ${bytes} bytes, and ${maxPackageFiles} of ${maxPackageBytes} are allowed`,
    );
  }
  const sizes = () =>
    packages.map(
      ({ name, hash }) => `${name} ${zipPackages(byHash.get(hash) ?? new Map()).length} bytes`,
    );
  return { modules: topModules(files), files, sizes };
}

function hashOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
