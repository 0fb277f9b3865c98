import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { access, mkdir, readdir, readFile, realpath, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import {
  type ProcessAccess,
  permissionFlags,
  scriptVariables,
} from '../../../../runtimes/limits.ts';
import { boxedPaths } from '../sandbox/box.ts';
import { enclose, type PreparedCommand, runtimesAt, toCommand } from '../sandbox/enclosure.ts';
import type { Isolation } from '../sandbox/level.ts';
import { userArguments } from '../sandbox/other-user.ts';
import { openRunFolder } from '../sandbox/run-folders.ts';
import { runtimeFolder } from '../sandbox/system-files.ts';
import { nodeAt, nodeBind } from './node-command.ts';

/** The installed Pyodide package. */
export interface Pyodide {
  readonly kind: 'pyodide';
  readonly folder: string;
  readonly version: string;
}

const flags = process.allowedNodeEnvironmentFlags;
const creationMs = 120_000; // creation takes 3 s on an idle machine
const maxResidentBytes = 400 * 1024 * 1024; // Pyodide itself uses half of it
/** The project's Python code. */
const code = ['python/context.py', 'python/operator_packages.py', 'python/packages.py'];
const boxed = {
  packages: boxedPaths.packages,
  pyodide: '/pyodide',
  snapshot: '/snapshot',
} as const;

/** Finds the package; undefined when it is not installed. */
export function findPyodide(): Pyodide | undefined {
  try {
    const require = createRequire(import.meta.url);
    const path = realpathSync(require.resolve('pyodide/package.json'));
    return { kind: 'pyodide', folder: dirname(path), version: require(path).version };
  } catch {
    return undefined; // the package is optional
  }
}

/** Files that a Pyodide runner reads in addition to Pyodide. */
export interface PyodideNeeds {
  /** A path from {@link makeSnapshot}. */
  readonly snapshot: string;
  /** Folder of the operator's packages, if there is one; scripts can read it. */
  readonly packages: string | undefined;
}

/** Prepares the command for a Pyodide runner, which runs one script. */
export async function preparePyodide(
  isolation: Isolation,
  { folder }: Pyodide,
  { snapshot, packages }: PyodideNeeds,
): Promise<PreparedCommand> {
  const { level, hasNetwork } = isolation;
  const { temporary, limit, dispose } = await openRunFolder(level);
  const runtimes = runtimesAt(level);
  const paths = level === 'bubblewrap' ? boxed : { pyodide: folder, snapshot, packages };
  const added = packages === undefined ? [] : [[packages, boxed.packages] as const];
  const binds = [nodeBind, [folder, boxed.pyodide], [snapshot, boxed.snapshot], ...added] as const;
  const shown = packages === undefined || paths.packages === undefined ? [] : [paths.packages];
  const readable = [runtimes, paths.pyodide, paths.snapshot, ...shown];
  const variables = JSON.stringify(scriptVariables(boxedPaths.temporary)); // a folder in Pyodide's file system
  const command = [
    ...enclose(isolation, { binds, temporary, isAlone: true }),
    nodeAt(level),
    ...permissionFlags(flags, { readable, writable: [], hasNetwork }),
    `${runtimes}/pyodide/runner.cjs`,
    paths.pyodide,
    paths.snapshot,
    variables,
    ...shown.map((path) => `packages=${path}`),
    ...userArguments(isolation),
  ];
  return { command: { ...toCommand(command, temporary), maxResidentBytes, ...limit }, dispose };
}

/**
 * Creates the snapshot that runners load, once per version. It has 31 MB.
 *
 * @param cache folder of the snapshot; created when absent
 * @returns its path
 */
export async function makeSnapshot({ folder, version }: Pyodide, cache: string): Promise<string> {
  const hash = createHash('sha256');
  for (const name of [...code, 'pyodide/load.cjs']) {
    hash.update(await readFile(join(runtimeFolder, name)));
  }
  const name = `pyodide-${version}-${hash.digest('hex').slice(0, 16)}.snapshot`;
  const path = join(cache, name);
  if (await exists(path)) return path;
  await mkdir(cache, { recursive: true, mode: 0o700 });
  for (const old of await readdir(cache)) {
    // another process may have created the new snapshot already
    if (old.startsWith('pyodide-') && old !== name) await rm(join(cache, old), { force: true });
  }
  const draft = join(await realpath(cache), `draft-${process.pid}-${name}`);
  const allowed: ProcessAccess = {
    readable: [runtimeFolder, folder],
    writable: [draft],
    hasNetwork: false,
  };
  const program = join(runtimeFolder, 'pyodide/make-snapshot.cjs');
  const modules = code.map((name) => join(runtimeFolder, name));
  const args = [...permissionFlags(flags, allowed), program, folder, draft, ...modules];
  await promisify(execFile)(process.execPath, args, { env: {}, timeout: creationMs });
  await rename(draft, path);
  return path;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
