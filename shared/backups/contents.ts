import { fileNamesOf } from '../classes/rules/file-names.ts';
import { fileDataOf, fileKeysIn } from '../objects/files/object-files.ts';
import type { Platform } from '../ports/ports.ts';
import type { Store, Stored } from '../store/store.ts';
import { classEntity, fileEntity, objectEntity } from '../table/entities/classes.ts';
import { scriptSourceEntity } from '../table/entities/scripts.ts';
import { archivedPartitions, isArchived } from '../table/partitions.ts';
import {
  archivedFileKey,
  dataOwner,
  type FileFolder,
  type FileKey,
  storedKeyOf,
} from '../values/file-keys.ts';
import { type ArchivedItem, archiveLine } from './archive.ts';

/** A class of an archive, with the storage names of its files. */
export type ArchivedClass = { readonly number: number; readonly files: readonly string[] };

/** Position in the contents of an instance. */
export type ContentsPosition = {
  /** Index of the partition. */
  readonly at: number;
  /** Sort key of the last item that was read. */
  readonly after?: string;
  /** The classes; complete once the first partition is read. */
  readonly classes: readonly ArchivedClass[];
};

/** The contents to read. */
export interface Contents {
  /** Reads the store, or a snapshot of it. */
  readonly reader: Pick<Store, 'query'>;
  readonly files: Platform['files'];
  readonly clock: Platform['clock'];
  /** Data id. */
  readonly data: number;
  readonly archive: FileFolder;
  readonly log: Platform['log'];
}

/** A part of the contents, as it is stored in a chunk. */
export interface ContentsPart {
  readonly lines: readonly string[];
  readonly items: readonly Stored[];
  /** Bytes of the files that were copied. */
  readonly fileBytes: number;
  /** Undefined: these were the last. */
  readonly next: ContentsPosition | undefined;
}

const pageItems = 100;
const maxTextBytes = 2 * 1024 * 1024; // of a chunk, before compression; an item may exceed it
const maxMs = 2000;
const copiesAtOnce = 16;

/** Reads a part of the contents, and copies the files that its items refer to. */
export async function readContentsPart(
  contents: Contents,
  from: ContentsPosition,
): Promise<ContentsPart> {
  const { reader, clock, data } = contents;
  const lines: string[] = [];
  const items: Stored[] = [];
  const end = clock.steadyMs() + maxMs;
  let position: ContentsPosition | undefined = from;
  let [bytes, fileBytes] = [0, 0];
  while (position !== undefined && bytes < maxTextBytes && clock.steadyMs() < end) {
    const { at, after }: ContentsPosition = position;
    const classes: readonly ArchivedClass[] = position.classes;
    const pk = partitionsOf(data, position)[at] ?? '';
    const lower = after === undefined ? {} : { lower: { key: after, inclusive: false } };
    const page = await reader.query({ pk, ...lower, limit: pageItems });
    const wanted = page.items.filter(isArchived);
    const copied = await copyFiles(contents, wanted, classes);
    const added = [...wanted.map((item) => lineOf(data, item)), ...copied.lines];
    lines.push(...added);
    items.push(...wanted);
    fileBytes += copied.bytes;
    bytes += added.reduce((sum, line) => sum + line.length, 0);
    const known = { classes: [...classes, ...archivedClasses(wanted)] };
    position = page.more
      ? { at, after: page.positions.at(-1) ?? '', ...known }
      : following(data, { at: at + 1, ...known });
  }
  return { lines, items, fileBytes, next: position };
}

function partitionsOf(data: number, { classes }: ContentsPosition): readonly string[] {
  return archivedPartitions(
    data,
    classes.map(({ number }) => number),
  );
}

function following(data: number, position: ContentsPosition): ContentsPosition | undefined {
  return position.at < partitionsOf(data, position).length ? position : undefined;
}

function lineOf(data: number, { key, kind, data: stored }: Stored): string {
  const below = key.pk.slice(`INSTANCE#${data}`.length);
  const item: ArchivedItem = [below, key.sk, kind, stored];
  return archiveLine(item);
}

function archivedClasses(items: readonly Stored[]): readonly ArchivedClass[] {
  return items
    .filter(classEntity.matches)
    .map(({ data }) => ({ number: data.number, files: fileNamesOf(data) }));
}

/** Copies the files of items. Returns their bytes, and the lines of the records of files of objects. */
async function copyFiles(
  contents: Contents,
  items: readonly Stored[],
  classes: readonly ArchivedClass[],
): Promise<{ readonly bytes: number; readonly lines: readonly string[] }> {
  const keys = items.flatMap((item) => filesOf(contents, item, classes));
  const lines: string[] = [];
  let bytes = 0;
  for (let at = 0; at < keys.length; at += copiesAtOnce) {
    const some = keys.slice(at, at + copiesAtOnce);
    await Promise.all(
      some.map(async ({ key, of }) => {
        const size = await copyFile(contents, key);
        if (size === undefined) return; // the item refers to a file that is lost
        bytes += size;
        if (of === undefined) return;
        const { data } = contents;
        const record = {
          key: fileEntity.key(data, of.classNumber, key),
          kind: fileEntity.kind,
          version: '',
          data: fileDataOf(key, size, of.object),
        };
        lines.push(lineOf(data, record));
      }),
    );
  }
  return { bytes, lines };
}

/** Class and id of the object that has a file. */
interface ObjectOfFile {
  readonly classNumber: number;
  readonly object: number;
}

/** Returns the files that an item refers to, those of objects with these. */
function filesOf(
  { data, log }: Contents,
  item: Stored,
  classes: readonly ArchivedClass[],
): readonly { readonly key: FileKey; readonly of?: ObjectOfFile }[] {
  if (scriptSourceEntity.matches(item)) {
    const { file } = item.data;
    return file === undefined ? [] : [{ key: storedKeyOf(dataOwner(data), 'scripts', file) }];
  }
  if (!objectEntity.matches(item)) return [];
  const { values } = item.data;
  return classes.flatMap(({ number, files }) => {
    if (item.key.pk !== objectEntity.partition(data, number)) return [];
    const owner = { platform: { log }, instance: data, classNumber: number };
    const of: ObjectOfFile = { classNumber: number, object: item.data.id };
    return fileKeysIn(owner, values, files).map((key) => ({ key, of }));
  });
}

async function copyFile(
  { files, archive, data }: Contents,
  key: FileKey,
): Promise<number | undefined> {
  const target = archivedFileKey(archive, key);
  if (target === undefined) return undefined;
  const [from, to] = [
    { owner: dataOwner(data), key },
    { owner: archive.owner, key: target },
  ];
  return (await files.copy(from, to)) ? files.size(to.owner, to.key) : undefined;
}
