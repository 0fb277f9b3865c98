import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, opendir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import {
  createTarDecoder,
  createTarPacker,
  type ParsedTarEntry,
  type TarPackController,
} from 'modern-tar';
import * as v from 'valibot';
import { inBackground } from '../../../values/promises/in-background.ts';
import { decodeReplacing } from '../../../values/text/decode-text.ts';

/*
 * A backup in one file is a tar archive of its folder; a manifest is its last entry. It is encrypted as a whole, so that
 * without this program `age -d` and `tar -x` make the folder of it.
 */

const manifestName = 'manifest.json';
const maxManifestBytes = 65_536;
const headerBytes = 2048; // of a file at most, with its padding and a long path
/** Files of a backup; nothing else is written from an archive. */
const archivedPath =
  /^(store\/(data\.mdb|log-[12])|secrets\.json|format\.json|files\/(content|types)\/.{1,1000})$/;

const manifestSchema = v.object({
  version: v.literal(1),
  name: v.string(),
  items: v.number(),
  files: v.number(),
  digest: v.string(),
});

/** Facts of a backup that its archive confirms at its end. */
export type ArchiveManifest = v.InferOutput<typeof manifestSchema>;

/** Returns the size of a folder's archive, or a little more. */
export async function archiveBytes(folder: string): Promise<number> {
  let bytes = maxManifestBytes;
  for await (const path of filesBelow(folder)) {
    const { size } = await stat(join(folder, path));
    bytes += size + headerBytes;
  }
  return Math.ceil(bytes * 1.001); // encrypted
}

/** Writes the files of a folder, and a manifest, as an archive. */
export function packBackup(
  folder: string,
  facts: Omit<ArchiveManifest, 'version' | 'digest'>,
): ReadableStream<Uint8Array> {
  const { readable, controller } = createTarPacker();
  inBackground(pack(folder, facts, controller), (error) => controller.error(error));
  return readable;
}

async function pack(
  folder: string,
  facts: Omit<ArchiveManifest, 'version' | 'digest'>,
  controller: TarPackController,
): Promise<void> {
  const digest = createHash('sha256');
  for await (const path of filesBelow(folder)) {
    const { size, mtime } = await stat(join(folder, path));
    addHeader(digest, path, size);
    const entry = controller.add({ name: path, size, mtime, mode: 0o600 }).getWriter();
    for await (const chunk of createReadStream(join(folder, path), { highWaterMark: 262_144 })) {
      digest.update(chunk);
      await entry.write(chunk);
    }
    await entry.close();
  }
  const manifest: ArchiveManifest = { version: 1, ...facts, digest: digest.digest('hex') };
  const bytes = Buffer.from(`${JSON.stringify(manifest)}\n`);
  const last = controller.add({ name: manifestName, size: bytes.length, mode: 0o600 }).getWriter();
  await last.write(bytes);
  await last.close();
  controller.finalize();
}

const lockPath = 'store/lock.mdb'; // of LMDB, which makes another one

/**
 * Yields the paths of all files of a backup, with slashes.
 *
 * @throws Error for a file of the store that no archive may have: it must not be left out
 */
async function* filesBelow(folder: string, below = ''): AsyncGenerator<string> {
  for await (const entry of await opendir(join(folder, below), { bufferSize: 1024 })) {
    const path = below + entry.name;
    if (entry.isDirectory()) yield* filesBelow(folder, `${path}/`);
    else if (entry.isFile() && isArchivedPath(path)) yield path;
    else if (below === 'store/' && path !== lockPath) throw new Error(`a backup has no ${path}`);
  }
}

function addHeader(digest: Hash, path: string, size: number): void {
  digest.update(`${path}\n${size}\n`);
}

/**
 * Writes the files of an archive into an empty folder.
 *
 * @returns its manifest, to which all that was written corresponds
 * @throws Error for anything but a complete archive of a backup
 */
export async function unpackArchive(
  archive: ReadableStream<Uint8Array>,
  folder: string,
): Promise<ArchiveManifest> {
  const digest = createHash('sha256');
  let manifest: ArchiveManifest | undefined;
  for await (const entry of archive.pipeThrough(createTarDecoder({ strict: true }))) {
    if (manifest !== undefined) throw new Error('something follows the manifest');
    if (entry.header.name === manifestName) manifest = await readManifest(entry, digest);
    else await unpackEntry(entry, folder, digest);
  }
  if (manifest === undefined) throw new Error('the manifest is missing');
  return manifest;
}

async function readManifest(
  { header, body }: ParsedTarEntry,
  digest: Hash,
): Promise<ArchiveManifest> {
  if (header.size > maxManifestBytes) throw new Error('the manifest is too large');
  const { text } = decodeReplacing(await buffer(body));
  const manifest = v.parse(manifestSchema, JSON.parse(text));
  if (manifest.digest !== digest.digest('hex')) throw new Error('the digest differs');
  return manifest;
}

async function unpackEntry({ header, body }: ParsedTarEntry, folder: string, digest: Hash) {
  const { name, size, type } = header;
  if (type !== 'file' || !isArchivedPath(name)) throw new Error('an entry is not of a backup');
  addHeader(digest, name, size);
  await writeEntry(join(folder, name), body, digest);
}

function isArchivedPath(path: string): boolean {
  const isNormal = path.split('/').every((segment) => segment !== '' && !/^\.\.?$/.test(segment));
  return isNormal && archivedPath.test(path) && !/[\\:\0]/.test(path);
}

async function writeEntry(
  path: string,
  body: ReadableStream<Uint8Array>,
  digest: Hash,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const hashed = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      digest.update(chunk);
      yield chunk;
    }
  };
  await pipeline(body, hashed, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
}
