import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { processVariables } from '../../../ports/setting-variables.ts';
import { messageOf } from '../../../values/caught.ts';
import { pythonFlags, usualPythons } from '../scripts/commands/find-python.ts';
import { currentSet, packagesFolder, setPrefix } from '../scripts/commands/python-set.ts';
import { succeeds } from '../scripts/sandbox/probe.ts';
import { type ListedPackage, parsePackageList } from './package-list.ts';

/** Packages that {@link installPythonPackages} installs, and their folder. */
export interface PythonPackagesOptions {
  /** The data folder of a server; its `python-packages` receives the set. */
  readonly data: string;
  /** A file with the packages; the default set when absent. */
  readonly list?: string | undefined;
  /** A folder of package files to use instead of the network. */
  readonly wheels?: string | undefined;
}

/** A set that has been installed. */
export interface InstalledPackages {
  /** The folder for `GROUNDWORK_PYTHON_PACKAGES`, and for `-c pythonPackages`. */
  readonly folder: string;
  readonly packages: readonly Pick<ListedPackage, 'name' | 'version'>[];
}

const defaultList = fileURLToPath(new URL('python-packages.txt', import.meta.url));
const leastPip = 22; // the pip of Ubuntu 22.04
const builder = 'setuptools'; // builds the sources of a list that names it, and is no part of the set
const native = /\.(so|pyd|dll|dylib|a|o)(\.[\d.]+)?$/;
/** Those that compile a set, if they are here: those of this machine, and that of Lambda. */
const compilers = [...usualPythons, 'python3.14'];
const versionSchema = v.pipe(v.string(), v.regex(/^pip \d+/));

/**
 * Installs a set of pure-Python packages, which replaces the last one in one step.
 *
 * A server that runs keeps using the last one, which its next start removes.
 *
 * @throws Error if the list, pip or a package is unsuitable; the last set stays
 */
export async function installPythonPackages(
  options: PythonPackagesOptions,
): Promise<InstalledPackages> {
  const packages = parsePackageList(await readFile(options.list ?? defaultList, 'utf8'));
  const python = await findPip();
  const folder = packagesFolder(resolve(options.data));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = join(folder, `draft-${randomUUID()}`);
  const work = await mkdtemp(join(tmpdir(), 'groundwork-pip-'));
  try {
    const { wheels } = options;
    const source = wheels === undefined ? [] : ['--no-index', '--find-links', resolve(wheels)];
    const pip = { python, source, work };
    await unpack(pip, await makeWheels(pip, packages), draft);
    await compile(draft);
    await activate(folder, draft);
  } finally {
    await Promise.all([draft, work].map((each) => rm(each, { recursive: true, force: true })));
  }
  return { folder, packages: packages.filter(({ name }) => name !== builder) };
}

interface Pip {
  readonly python: string;
  /** Options that replace the network by a folder. */
  readonly source: readonly string[];
  /** A temporary folder. */
  readonly work: string;
}

/** Returns the python3 whose pip is used. */
async function findPip(): Promise<string> {
  let tooOld: string | undefined;
  for (const python of usualPythons) {
    const found = await promisify(execFile)(python, ['-m', 'pip', '--version']).catch(
      () => undefined,
    );
    const version = v.safeParse(versionSchema, found?.stdout);
    if (!version.success) continue;
    const number = version.output.split(' ')[1] ?? '';
    if (Number.parseInt(number, 10) >= leastPip) return python;
    tooOld = `the pip of ${python} is ${number}, and ${leastPip} is needed`;
  }
  throw new Error(
    `${tooOld ?? 'there is no pip on this machine'}. Install it: apt-get install python3-pip`,
  );
}

/** Downloads the packages of a list, and builds those that are sources. Returns the folder of the wheels. */
async function makeWheels({ python, source, work }: Pip, packages: readonly ListedPackage[]) {
  const built = join(work, 'wheels');
  const lists = { tools: join(work, 'tools.txt'), set: join(work, 'set.txt') };
  const isTool = ({ name }: ListedPackage) => name === builder;
  const hasTool = packages.some(isTool);
  await writeFile(lists.tools, listOf(packages.filter(isTool)));
  await writeFile(lists.set, listOf(packages.filter((each) => !isTool(each))));
  if (hasTool) {
    const only = ['--only-binary', ':all:', '--target', join(work, 'tools')];
    await runPip(python, work, ['install', ...source, ...only, ...checked, lists.tools]);
  }
  const how = hasTool ? ['--no-build-isolation', '--use-pep517'] : ['--only-binary', ':all:'];
  await runPip(python, work, ['wheel', ...source, ...how, '-w', built, ...checked, lists.set]);
  const refused = (await readdir(built)).find(
    (name) => !name.endsWith('-none-any.whl') || !name.includes('py3'),
  );
  if (refused !== undefined) throw new Error(nativeError(refused));
  return built;
}

const checked = ['--no-deps', '--require-hashes', '-r'];

function listOf(packages: readonly ListedPackage[]): string {
  return packages.map(({ requirement }) => `${requirement}\n`).join('');
}

function nativeError(what: string): string {
  return `${what} is not pure Python, which scripts cannot use`;
}

/** Unpacks wheels to a folder, and checks that nothing in it is native. */
async function unpack({ python, work }: Pip, wheels: string, draft: string): Promise<void> {
  const files = (await readdir(wheels)).map((name) => join(wheels, name));
  const how = ['--no-index', '--no-deps', '--no-compile', '--target', draft];
  await runPip(python, work, ['install', ...how, ...files]);
  await rm(join(draft, 'bin'), { recursive: true, force: true }); // programs, which no run can reach
  for (const entry of await readdir(draft, { recursive: true, withFileTypes: true })) {
    const path = relative(draft, join(entry.parentPath, entry.name));
    if (native.test(entry.name)) throw new Error(nativeError(path));
    if (!entry.isFile() && !entry.isDirectory()) throw new Error(`${path} is not an ordinary file`);
    await chmod(join(draft, path), entry.isDirectory() ? 0o755 : 0o644); // for the user of scripts
  }
  await chmod(draft, 0o755);
}

/** Compiles the modules, so that runs, which may not write there, need not: for this Python, and that of Lambda. */
async function compile(draft: string): Promise<void> {
  const args = ['-m', 'compileall', '-q', '--invalidation-mode', 'unchecked-hash', '-s', draft];
  for (const python of compilers) await succeeds([python, ...pythonFlags, ...args, draft]);
}

/** Makes a draft the current set in one step. */
async function activate(folder: string, draft: string): Promise<void> {
  const name = `${setPrefix}${randomUUID()}`;
  const link = join(folder, `draft-${name}`);
  await rename(draft, join(folder, name));
  await symlink(name, link);
  await rename(link, join(folder, currentSet));
}

async function runPip(python: string, work: string, args: readonly string[]): Promise<void> {
  const own = { PYTHONPATH: join(work, 'tools'), PYTHONNOUSERSITE: '1', PIP_NO_INPUT: '1' };
  const env = { ...processVariables(), ...own, PIP_DISABLE_PIP_VERSION_CHECK: '1' };
  try {
    const options = { env, maxBuffer: 2 ** 26, cwd: work };
    await promisify(execFile)(python, ['-m', 'pip', ...args], options);
  } catch (error) {
    throw new Error(`pip has failed: ${reasonOf(error)}`, { cause: error });
  }
}

/** Returns the lines of pip's output from its first error on. */
function reasonOf(error: unknown): string {
  const { stderr } = error as { stderr?: string }; // of execFile
  const lines = stderr?.trim().split('\n') ?? [];
  const start = Math.max(
    0,
    lines.findIndex((each) => /^\s*error:/i.test(each)),
  );
  return lines.slice(start).slice(0, 8).join('\n') || messageOf(error);
}
