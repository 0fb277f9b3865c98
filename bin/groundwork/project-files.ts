import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { codeOf } from '../../shared/values/caught.ts';
import { decodeFile, NotText } from '../../shared/values/text/text-reader.ts';
import { partsWithin } from './path-parts.ts';
import { projectFolder } from './project-folder.ts';

/** A path of a project that leads, or could lead, to something outside of the project. The message names it. */
export class UnsafeFile extends Error {}

/** How a file is written. */
export interface WriteOptions {
  /** Permissions of a new file; others are those of the process. */
  readonly mode?: number;
  /** Only its owner may read it, also where it existed. */
  readonly isPrivate?: boolean;
}

/**
 * The files of one folder: a project, or an export. A project that was cloned is another person's: a link in it could
 * make a command read or write any file of the user. So no component of a path may be a link, files are regular ones,
 * and an opened file is the one that was checked. The folder itself, which the user names, may be a link. Hard links
 * cannot be told from files.
 *
 * All paths are from the folder. Each function throws UnsafeFile for a path that is not inside.
 */
export interface ProjectFiles {
  readonly folder: string;
  /** Returns what there is at a path; undefined for nothing. */
  stat(path: string): Stats | undefined;
  /** Checks whether there is a file or folder. */
  has(path: string): boolean;
  /** Returns the content of a file; undefined when it does not exist. */
  read(path: string): Buffer | undefined;
  /**
   * Returns the content of a file as text, without a byte order mark; undefined when it does not exist.
   *
   * @param named the encoding that the user may name; absent: it is always UTF-8
   * @throws Error for bytes that are no text
   */
  readText(path: string, named?: NamedEncoding): string | undefined;
  /** Opens a file to read it. Returns a descriptor, which the caller closes. */
  open(path: string): number;
  /** Writes a file, and creates the folders above it. */
  write(path: string, data: string | Uint8Array, options?: WriteOptions): void;
  /** Opens a file to write it from its start. Returns a descriptor, which the caller closes. */
  create(path: string, options?: WriteOptions): number;
  /** Writes a text after the first bytes of a file, in place of what follows them. */
  appendAt(path: string, bytes: number, text: string, options?: WriteOptions): void;
  /** Replaces a file by another one atomically. */
  rename(from: string, to: string): void;
  /** Deletes a file, if it exists. */
  remove(path: string): void;
  /** Creates a folder, and those above it. */
  makeFolder(path: string, mode?: number): void;
  /** Returns the paths of all files and links below a folder, or only of those in it; none when it does not exist. */
  list(path: string, isDeep?: boolean): readonly string[];
}

/** Opens the files of a folder that exists. */
export function openProjectFiles(folder: string): ProjectFiles {
  const root = realpathSync(folder);
  const named = { folder, root };
  const files: ProjectFiles = {
    folder,
    stat: (path) => locate(named, path).stats,
    has: (path) => locate(named, path).stats !== undefined,
    read: (path) => {
      if (!files.has(path)) return undefined;
      return closing(openAt(named, path, constants.O_RDONLY), (fd) => readFileSync(fd));
    },
    readText: (path, named) => {
      const bytes = files.read(path);
      return bytes && textOfFile(bytes, path, named);
    },
    open: (path) => openAt(named, path, constants.O_RDONLY),
    write: (path, data, options) =>
      closing(files.create(path, options), (fd) => writeFileSync(fd, data)),
    create: (path, options) => openToWrite(named, path, { ...options, from: 0 }),
    appendAt: (path, bytes, text, options) =>
      closing(openToWrite(named, path, { ...options, from: bytes }), (fd) =>
        writeFileSync(fd, text),
      ),
    rename: (from, to) => {
      const { absolute } = locate(named, from);
      renameSync(absolute, locate(named, to).absolute);
    },
    remove: (path) => rmSync(locate(named, path).absolute, { force: true }),
    makeFolder: (path, mode) => {
      makeFolder(named, path, mode);
    },
    list: (path, isDeep = true) => [...entriesBelow(named, path, isDeep)],
  };
  return files;
}

/** The value of an option `--encoding`. */
export interface NamedEncoding {
  readonly encoding?: string | undefined;
}

/**
 * Decodes the content of a file.
 *
 * @throws Error that names the file and the line
 */
export function textOfFile(bytes: Uint8Array, path: string, named?: NamedEncoding): string {
  try {
    return decodeFile(bytes, named);
  } catch (error) {
    if (!(error instanceof NotText)) throw error;
    throw named === undefined ? new Error(`${path}, ${error.message}`) : notText(path, error);
  }
}

/** Returns the error for a file that is no text in the encoding of `--encoding`, or in UTF-8. */
export function notText(path: string, error: NotText): Error {
  const hint = 'give its --encoding, for example windows-1252 or utf-16le';
  return new Error(`${path}, ${error.message}; ${hint}`, { cause: error });
}

/** A file that the user has named, and the files of its folder. */
export interface NamedFile {
  readonly files: ProjectFiles;
  /** Its path among them. */
  readonly path: string;
}

/**
 * Opens the files of the folder that holds a file which the user has named: the folder of the project, or the current
 * one, where the file is below it, otherwise the file's own.
 */
export function openNamed(path: string): NamedFile {
  const absolute = resolve(path);
  return (
    inProject(absolute) ?? { files: openProjectFiles(dirname(absolute)), path: basename(absolute) }
  );
}

function inProject(absolute: string): NamedFile | undefined {
  const folder = projectFolder();
  const below = belowFolder(folder, absolute);
  return below === undefined ? undefined : { files: openProjectFiles(folder), path: below };
}

/** Returns the path from a folder; undefined outside of it. The folder may be named through a link. */
function belowFolder(folder: string, absolute: string): string | undefined {
  const root = realpathSync(folder);
  for (let above = absolute; ; above = dirname(above)) {
    const below = relative(above, absolute);
    if (realpathOf(above) === root && partsWithin(below) !== undefined) return below;
    if (above === dirname(above)) return undefined;
  }
}

function realpathOf(path: string): string | undefined {
  return existsSync(path) ? realpathSync(path) : undefined;
}

/**
 * Checks a file or folder that another program opens, such as the data folder of a server.
 *
 * @throws UnsafeFile when it is in the project or below the current folder, and a link or behind one
 */
export function checkNamed(path: string): void {
  const named = inProject(resolve(path));
  named?.files.stat(named.path);
}

/** A folder as it is named, and where it is. */
interface NamedFolder {
  readonly folder: string;
  readonly root: string;
}

/** Something at a path, none of whose components is a link. */
interface Located {
  readonly absolute: string;
  /** Absent if there is nothing. */
  readonly stats: Stats | undefined;
}

function locate({ folder, root }: NamedFolder, path: string): Located {
  const parts = partsWithin(path);
  if (parts === undefined) throw new UnsafeFile(`${path} is not a path within ${folder}`);
  const absolute = join(root, ...parts);
  let stats: Stats | undefined = lstatSync(root);
  for (const [at] of parts.entries()) {
    const above = parts.slice(0, at + 1);
    stats = lstatSync(join(root, ...above), { throwIfNoEntry: false });
    if (stats === undefined) return { absolute, stats };
    checkKind(join(folder, ...above), stats, at < parts.length - 1);
  }
  return { absolute, stats };
}

function checkKind(shown: string, stats: Stats, isAbove: boolean): void {
  if (stats.isSymbolicLink()) {
    throw new UnsafeFile(`${shown} is a symbolic link, which no command follows within a project`);
  }
  if (stats.isDirectory()) return;
  if (!stats.isFile()) throw new UnsafeFile(`${shown} is neither a file nor a folder`);
  if (isAbove) throw new UnsafeFile(`${shown} is not a folder`);
}

/** Not on Windows, where a link is found by the checks before and after alone. */
const noLink = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Opens a regular file. A file that is exchanged for a link between the check and the opening is found afterwards. */
function openAt(named: NamedFolder, path: string, flags: number, mode?: number): number {
  const { absolute, stats } = locate(named, path);
  const shown = join(named.folder, path);
  if (stats?.isDirectory()) throw new UnsafeFile(`${shown} is a folder, not a file`);
  const fd = openLinkless(absolute, flags | noLink, { shown, mode });
  try {
    checkOpened(fd, absolute, shown);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function openLinkless(
  absolute: string,
  flags: number,
  { shown, mode }: { readonly shown: string; readonly mode: number | undefined },
): number {
  try {
    return openSync(absolute, flags, mode);
  } catch (error) {
    if (codeOf(error) !== 'ELOOP') throw error;
    throw new UnsafeFile(`${shown} is a symbolic link, which no command follows within a project`);
  }
}

function checkOpened(fd: number, absolute: string, shown: string): void {
  const opened = fstatSync(fd, { bigint: true });
  if (!opened.isFile()) throw new UnsafeFile(`${shown} is neither a file nor a folder`);
  const there = lstatSync(absolute, { bigint: true });
  const isSame = there.ino === opened.ino && there.dev === opened.dev;
  if (!isSame || realpathSync(absolute) !== absolute) {
    throw new UnsafeFile(`${shown} was replaced while it was opened`);
  }
}

interface WriteAt extends WriteOptions {
  /** Bytes that stay. */
  readonly from: number;
}

function openToWrite(named: NamedFolder, path: string, { from, mode, isPrivate }: WriteAt): number {
  makeFolder(named, dirname(path));
  // not O_TRUNC, which would empty the file before it is checked
  const flags = constants.O_WRONLY | constants.O_CREAT | (from > 0 ? constants.O_APPEND : 0);
  const fd = openAt(named, path, flags, isPrivate ? 0o600 : (mode ?? 0o666));
  if (isPrivate) fchmodSync(fd, 0o600);
  if (fstatSync(fd).size > from) ftruncateSync(fd, from);
  return fd;
}

function makeFolder(named: NamedFolder, path: string, mode?: number): void {
  const parts = partsWithin(path) ?? [];
  for (const [at] of parts.entries()) {
    const { absolute, stats } = locate(named, join(...parts.slice(0, at + 1)));
    if (stats === undefined) mkdirSync(absolute, { mode });
  }
}

function* entriesBelow(named: NamedFolder, path: string, isDeep: boolean): Generator<string> {
  const { absolute, stats } = locate(named, path);
  if (!stats?.isDirectory()) return;
  for (const entry of readdirSync(absolute, { withFileTypes: true })) {
    const below = join(path, entry.name);
    if (!entry.isDirectory()) yield below;
    else if (isDeep) yield* entriesBelow(named, below, true);
  }
}

function closing<Result>(fd: number, use: (fd: number) => Result): Result {
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}
