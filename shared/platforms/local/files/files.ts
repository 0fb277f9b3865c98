import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import {
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { deadLetterDays } from '../../../jobs/instance-letters.ts';
import type { ContentHead, FileContent, FileStore } from '../../../ports/file-store.ts';
import type { Log, Secrets } from '../../../ports/ports.ts';
import { codeOf, messageOf } from '../../../values/caught.ts';
import {
  checkOwned,
  type FileArea,
  type FileKey,
  type FileOwner,
  folderPrefix,
  type OwnedKey,
  readFileKey,
} from '../../../values/file-keys.ts';
import { extendedParameter, extendedValue } from '../../../values/text/file-name.ts';
import { type StorageTrouble, watchStorage } from '../store/storage-trouble.ts';
import { makeFolders, syncFolder } from './atomic-file.ts';
import { filesPath } from './files-path.ts';
import { isHeld } from './holds.ts';
import { removeFile, removeFolder } from './remove-files.ts';
import { createSignedAddresses, type SignedAddresses } from './signed-addresses.ts';
import { openTemporaryFolder } from './temporary-folder.ts';
import { createUploadForms, type UploadForms } from './upload-form.ts';

/** The files of one machine, with functions that only its server needs. */
export interface LocalFiles extends FileStore {
  /** Opens a file for reading in parts, to be closed after; undefined when it does not exist. */
  open(owner: FileOwner, key: FileKey): Promise<OpenFile | undefined>;
  /** Stores an incoming stream, as `put` does. */
  receive(
    upload: OwnedKey & Pick<ContentHead, 'filename'>,
    contentType: string,
    parts: AsyncIterable<Uint8Array>,
  ): Promise<void>;
  readonly forms: UploadForms;
  readonly signed: SignedAddresses;
  /** Ends the periodic cleanup. */
  close(): void;
}

/** An open file with its metadata. */
export interface OpenFile extends ContentHead {
  readonly handle: FileHandle;
  readonly size: number;
  /** Epoch milliseconds. */
  readonly changedMs: number;
}

export interface FilesOptions {
  /** A folder for files only, created when absent. */
  readonly folder: string;
  /** Whether files survive a power failure; slower. */
  readonly durable: boolean;
  /** Address of the server, without a slash at the end. */
  readonly url: () => string;
  readonly nowMs: () => number;
  /** Sign the addresses of private files. */
  readonly secrets: Secrets;
  readonly log: Log;
}

const dayMs = 24 * 3600 * 1000;
/** Folders whose files are deleted at an age in milliseconds. */
const passingAreas: readonly { readonly area: FileArea; readonly liveMs: number }[] = [
  { area: 'uploads', liveMs: dayMs },
  { area: 'traces', liveMs: dayMs },
  { area: 'dead-letters', liveMs: deadLetterDays * dayMs },
];
const sweepIntervalMs = 3600 * 1000;

/**
 * Opens the files of one machine: `content/<key>` holds a file as it is, `types/<key>` its content type and name. A file is
 * written elsewhere and moved into place, so that it is complete or absent. Uploads and values of traces are deleted
 * when they are a day old, and those of dead letters after 30 days.
 */
export async function openFiles(options: FilesOptions): Promise<LocalFiles> {
  const { folder, url, nowMs, secrets, log } = options;
  const drafts = join(folder, 'drafts');
  await rm(drafts, { recursive: true, force: true }); // left by a server that was killed
  await mkdir(drafts, { recursive: true, mode: 0o700 });
  const address = () => url() + filesPath.slice(0, -1);
  await sweep(folder, nowMs());
  const timer = setInterval(() => {
    sweep(folder, nowMs()).catch((error: unknown) => {
      const cause = messageOf(error);
      log({ level: 'error', message: 'old files could not be removed', cause });
    });
  }, sweepIntervalMs);
  timer.unref();
  const forms = createUploadForms(address, nowMs);
  const signed = createSignedAddresses({ address, secrets, nowMs });
  const location = { ...options, drafts, trouble: watchStorage(folder, log) };
  return {
    address,
    forms,
    signed,
    signedAddresses: async (owner, keys) => {
      checkOwned(owner, ...keys);
      return Promise.all(keys.map(signed.make));
    },
    close: () => clearInterval(timer),
    put: async (owner, key, file) => {
      checkOwned(owner, key);
      await store(location, key, file, [file.bytes]);
    },
    receive: async ({ owner, key, filename }, contentType, parts) => {
      checkOwned(owner, key);
      await store(location, key, { contentType, filename }, parts);
    },
    get: async (owner, key) => {
      checkOwned(owner, key);
      return read(folder, key);
    },
    size: async (owner, key) => {
      checkOwned(owner, key);
      return size(folder, key);
    },
    open: async (owner, key) => {
      checkOwned(owner, key);
      return openFile(folder, key);
    },
    copy: async (from, to) => {
      checkOwned(from.owner, from.key);
      checkOwned(to.owner, to.key);
      return copy(location, from.key, to.key);
    },
    isHeld: () => isHeld(folder),
    remove: async (owner, keys) => {
      checkOwned(owner, ...keys);
      for (const key of keys) await removeFile(folder, key);
    },
    removeAll: (files) => removeFolder(folder, folderPrefix(files)),
    openUpload: async (owner, key, terms) => {
      checkOwned(owner, key);
      return forms.make(key, terms);
    },
  };
}

/** Opens an empty temporary folder for files, removed on close or process end; fast, but not crash-safe. */
export async function openTemporaryFiles(
  options: Omit<FilesOptions, 'folder' | 'durable'>,
): Promise<LocalFiles> {
  const { path: folder, close } = openTemporaryFolder('files');
  const files = await openFiles({ ...options, folder, durable: false });
  return {
    ...files,
    close: () => {
      files.close();
      close();
    },
  };
}

type FilesFolder = FilesOptions & { readonly drafts: string; readonly trouble: StorageTrouble };

function contentPath(folder: string, key: FileKey): string {
  return join(folder, 'content', key);
}

function typePath(folder: string, key: FileKey): string {
  return join(folder, 'types', key);
}

type Parts = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Stores a file, the type first: a file with content always has a type. */
async function store(
  location: FilesFolder,
  key: FileKey,
  head: ContentHead,
  parts: Parts,
): Promise<void> {
  await write(location, typePath(location.folder, key), [Buffer.from(writeHead(head))]);
  await write(location, contentPath(location.folder, key), parts);
}

/** Writes the name as a parameter of the type: so the release before, which sends it with the type, still serves it. */
function writeHead({ contentType, filename }: ContentHead): string {
  return filename === undefined ? contentType : `${contentType}; name*=${extendedValue(filename)}`;
}

function readHead(stored: string): ContentHead {
  const [contentType = ''] = stored.split('; name*=', 1);
  return { contentType, filename: extendedParameter(stored, 'name') };
}

async function write(
  { drafts, durable, trouble }: FilesFolder,
  path: string,
  parts: Parts,
): Promise<void> {
  const draft = join(drafts, randomBytes(12).toString('hex'));
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      for await (const part of parts) await file.writeFile(part);
      if (durable) await file.sync();
    } finally {
      await file.close();
    }
    await makeFolders(dirname(path), durable);
    await rename(draft, path);
    if (durable) await syncFolder(dirname(path));
  } catch (error) {
    await rm(draft, { force: true });
    throw trouble.translate(error);
  }
}

async function size(folder: string, key: FileKey): Promise<number | undefined> {
  const file = await openFile(folder, key, ({ handle }) => handle.close());
  return file?.size;
}

async function read(folder: string, key: FileKey): Promise<FileContent | undefined> {
  const file = await openFile(folder, key);
  if (file === undefined) return undefined;
  try {
    return { bytes: await file.handle.readFile(), contentType: file.contentType };
  } finally {
    await file.handle.close();
  }
}

// the last part of a path is no link: files are written by this process alone
const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);

async function openFile(
  folder: string,
  key: FileKey,
  use: (file: OpenFile) => Promise<void> = async () => undefined,
): Promise<OpenFile | undefined> {
  try {
    const head = readHead(await readFile(typePath(folder, key), 'utf8'));
    const handle = await open(contentPath(folder, key), readFlags);
    const { size, mtimeMs } = await handle.stat();
    const file = { handle, size, changedMs: mtimeMs, ...head };
    await use(file);
    return file;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * Copies a file by links to the same bytes, which never change: deleting a file removes only its own link. Where the file
 * system allows no more links of a file, its bytes are copied.
 */
async function copy(location: FilesFolder, from: FileKey, to: FileKey): Promise<boolean> {
  const { folder, durable, trouble } = location;
  try {
    for (const path of [typePath, contentPath]) {
      const target = path(folder, to);
      await makeFolders(dirname(target), durable);
      const isLinked = await tryLink(path(folder, from), target);
      if (!isLinked) await writeCopy(location, path(folder, from), target);
      else if (durable) await syncFolder(dirname(target));
    }
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw trouble.translate(error);
  }
}

/** Links a file, which may be there already: a copy may be repeated. Returns false when it can have no more links. */
async function tryLink(from: string, target: string): Promise<boolean> {
  try {
    await link(from, target);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EMLINK') return false; // of ext4: 65,000
    if (code !== 'EEXIST') throw error;
    return true;
  }
}

async function writeCopy(location: FilesFolder, from: string, target: string): Promise<void> {
  const file = await open(from, readFlags);
  try {
    await write(location, target, file.createReadStream({ autoClose: false }));
  } finally {
    await file.close();
  }
}

/** Deletes files that are kept for some time only. */
async function sweep(folder: string, nowMs: number): Promise<void> {
  for (const { area, liveMs } of passingAreas) {
    for (const name of await entriesOf(join(folder, 'content', area))) {
      const key = readFileKey(`${area}/${name}`);
      if (key === undefined) continue; // a folder
      const file = await openFile(folder, key, ({ handle }) => handle.close());
      const isOld = file !== undefined && nowMs - file.changedMs > liveMs;
      if (isOld) await removeFile(folder, key);
    }
  }
}

/** Lists paths below a folder, relative to it. */
async function entriesOf(path: string): Promise<readonly string[]> {
  try {
    return await readdir(path, { recursive: true });
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR';
}
