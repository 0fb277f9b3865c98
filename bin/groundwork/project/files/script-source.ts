import { createRequire } from 'node:module';
import { dirname, extname, resolve } from 'node:path';
import { Script } from 'node:vm';
import { messageOf } from '../../../../shared/values/caught.ts';
import {
  openProjectFiles,
  type ProjectFiles,
  textOfFile,
  UnsafeFile,
} from '../../project-files.ts';
import { bundleScript } from './bundle-script.ts';
import { openPythonPackages, type PythonSource } from './python/packages.ts';
import { isServedModule } from './served-module.ts';
import { uncalledExport } from './uncalled-export.ts';

/** Source of a script as the server gets it. */
export interface ScriptSource {
  readonly source: string;
  /** The source was made from the file and the modules or packages that it imports. */
  readonly isBundle: boolean;
  /** Why the script may do nothing, though it is valid; or a file of its packages that was written. */
  readonly warning?: string;
}

/** A file that is no source, and the reason. */
export interface NoSource {
  readonly problem: string;
  /** The file does not exist. */
  readonly isMissing: boolean;
}

/**
 * Returns the sources of scripts: the content of each file, the bundle of a file in TypeScript or one that imports
 * modules, or a file in Python with its packages.
 *
 * @param files paths from the folder of the project
 * @throws UnsafeFile for a script that is behind a link
 */
export async function readSources(
  folder: string,
  files: readonly string[],
): Promise<readonly (ScriptSource | NoSource)[]> {
  const sources: (ScriptSource | NoSource)[] = [];
  const own = openProjectFiles(folder);
  const addPackages = openPythonPackages(own);
  for (const file of files) {
    const isMissing = !own.has(file);
    const source =
      extname(file) === '.py' ? readPython(own, file, addPackages) : readSource(own, file);
    sources.push(await source.catch((error) => noSource(error, isMissing)));
  }
  if (sources.some((source) => 'isBundle' in source && source.isBundle)) {
    const { stop } = await import('esbuild');
    await stop(); // otherwise its process stays as long as this one
  }
  return sources;
}

function noSource(error: unknown, isMissing: boolean): NoSource {
  if (error instanceof UnsafeFile) throw error;
  return { problem: messageOf(error), isMissing };
}

function describeUncalled(file: string, name: string): string {
  return `${file} exports ${name} by default, and nothing calls it: a script runs from its first line to its last`;
}

function readFile(own: ProjectFiles, file: string): string {
  const content = own.read(file);
  if (content === undefined) throw new Error(`${file} does not exist`);
  return textOfFile(content, file); // a byte order mark is the file's, not the script's
}

async function readPython(
  own: ProjectFiles,
  file: string,
  addPackages: (file: string, text: string) => Promise<PythonSource>,
): Promise<ScriptSource> {
  const { source, hasPackages, note } = await addPackages(file, readFile(own, file));
  return { source, isBundle: hasPackages, ...(note !== undefined && { warning: note }) };
}

async function readSource(own: ProjectFiles, file: string): Promise<ScriptSource> {
  const text = readFile(own, file);
  if (!needsBundle(resolve(own.folder, file), text)) return { source: text, isBundle: false };
  const name = uncalledExport(text);
  return {
    source: await bundleScript(own.folder, file),
    isBundle: true,
    ...(name !== undefined && { warning: describeUncalled(file, name) }),
  };
}

/** Returns the content of a file from which a source is read: one byte order mark is left out then. */
export function fileOf(source: string): string {
  return source.startsWith('\uFEFF') ? `\uFEFF${source}` : source;
}

/** Checks whether a file has types, which its source cannot have. */
export function isTypeScript(path: string): boolean {
  return ['.ts', '.mts', '.cts'].includes(extname(path));
}

const importPattern = /^\s*(import\b(?!\s*\()|export\b)/m;
const requirePattern = /\brequire\(\s*['"]([^'"]+)['"]\s*\)/g;

/** Checks whether scripts need more than the text of a file: they have core modules, and neither packages nor types. */
function needsBundle(path: string, text: string): boolean {
  if (isTypeScript(path)) return true;
  if (!['.js', '.mjs', '.cjs'].includes(extname(path))) return false;
  if (importPattern.test(text) || hasTopLevelAwait(path, text)) return true;
  return [...text.matchAll(requirePattern)].some(([, name = '']) => isInstalled(path, name));
}

/** Checks whether a file is a module for its top-level `await` alone. */
function hasTopLevelAwait(path: string, text: string): boolean {
  if (extname(path) === '.cjs' || !/\bawait\b/.test(text)) return false;
  return !isValid(text) && isValid(`(async () => {${text}\n})`);
}

/** Checks whether a text is a classic script. */
function isValid(text: string): boolean {
  try {
    new Script(text);
    return true;
  } catch {
    return false;
  }
}

/** Checks whether a file can load a module that the server does not have; what it cannot load is left as it is. */
function isInstalled(path: string, name: string): boolean {
  if (isServedModule(name, dirname(path))) return false;
  try {
    createRequire(path).resolve(name);
    return true;
  } catch {
    return false;
  }
}
