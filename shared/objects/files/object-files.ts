import type { StoredValues } from '../../classes/rules/compiled-class.ts';
import { fileNamesOf } from '../../classes/rules/file-names.ts';
import { maintain } from '../../jobs/maintain.ts';
import type { Platform } from '../../ports/ports.ts';
import type { Stored, Write } from '../../store/store.ts';
import { createItem, deleteIfExists, deleteItem } from '../../store/writes.ts';
import { fileEntity } from '../../table/entities/classes.ts';
import type { ClassData, FileData } from '../../table/records/records.ts';
import type { Actor } from '../../values/access.ts';
import { dataMessages } from '../../values/errors/data-messages.ts';
import { invalid } from '../../values/errors/errors.ts';
import {
  areaOf,
  dataOwner,
  type FileFolder,
  type FileKey,
  isIn,
  newFileKey,
  objectFiles,
  privateFiles,
  readFileKey,
  uploadedFiles,
} from '../../values/file-keys.ts';
import { allSettled } from '../../values/promises/all-settled.ts';
import { downloadNameOf } from '../../values/text/file-name.ts';
import { contentTypeOf } from '../../values/uploads.ts';
import type { NewFile } from '../rules/object-values.ts';
import { mayReadFile } from './readable-file.ts';
import { removal } from './remove-files.ts';

/** File to store before an object refers to it. */
export interface AddedFile extends NewFile {
  readonly key: FileKey;
  readonly bytes: number;
}

/** Properties of the request that new files need. */
interface FileScope {
  readonly platform: Pick<Platform, 'files' | 'ids' | 'store'>;
  readonly instance: number;
  readonly class: Stored<ClassData>;
  readonly classNumber: number;
  readonly actor: Actor;
}

/** Result of checking the files to copy. */
export interface Sources {
  /** Messages by field (docs/reference/objects.md#errors-by-type). */
  readonly errors: Readonly<Record<string, readonly string[]>>;
  /** Bytes by key. */
  readonly sizes: ReadonlyMap<FileKey, number>;
}

/**
 * Checks the files to copy: reports those that do not exist, belong to another instance, are large uploads of another
 * class or actor, or are private ones that the actor may not read; returns the sizes of the others.
 */
export async function findSources(scope: FileScope, files: readonly NewFile[]): Promise<Sources> {
  const errors: Record<string, readonly string[]> = {};
  const sizes = new Map<FileKey, number>();
  await Promise.all(
    files.map(async ({ field, source }) => {
      if (typeof source !== 'string') return;
      if (!(await mayCopy(scope, source))) {
        errors[field.name] = [dataMessages.badFileUrl];
        return;
      }
      const bytes = await scope.platform.files.size(dataOwner(scope.instance), source);
      if (bytes === undefined) errors[field.name] = [dataMessages.fileMissing];
      else sizes.set(source, bytes);
    }),
  );
  return { errors, sizes };
}

async function mayCopy(scope: FileScope, source: FileKey): Promise<boolean> {
  if (isIn(privateFiles(scope.instance), source)) return mayReadFile(scope, source);
  return isIn(objectFiles(scope.instance), source) || isIn(uploadsOf(scope), source);
}

/** Returns the folder of this actor's uploads to the class. */
function uploadsOf({ instance, classNumber, actor }: FileScope): FileFolder {
  const user = actor.kind === 'apiKey' ? actor.user?.id : undefined;
  return uploadedFiles(instance, classNumber, user);
}

/** Creates the key of a large upload: its actor may save the file, in this class. */
export function uploadKey(scope: FileScope, filename: string): FileKey {
  return newFileKey(uploadsOf(scope), scope.platform.ids, filename);
}

/** Assigns each new file a key that cannot be guessed. */
export function assignKeys(
  scope: FileScope,
  files: readonly NewFile[],
  sizes: Sources['sizes'],
): readonly AddedFile[] {
  return files.map(({ field, source }) => {
    const folderOfArea = field.definition.private ? privateFiles : objectFiles;
    const folder = folderOfArea(scope.instance, scope.classNumber);
    const isCopy = typeof source === 'string';
    const name = isCopy ? source : source.filename;
    const bytes = isCopy ? (sizes.get(source) ?? 0) : source.bytes.length;
    return { field, source, key: newFileKey(folder, scope.platform.ids, name), bytes };
  });
}

/** Creates the records of new files, by which they are counted. */
export function fileRecords(
  { instance, classNumber }: Pick<FileScope, 'instance' | 'classNumber'>,
  added: readonly Pick<AddedFile, 'key' | 'bytes'>[],
  object: number,
): readonly Write[] {
  return added.map(({ key, bytes }) =>
    createItem(
      fileEntity,
      fileEntity.key(instance, classNumber, key),
      fileDataOf(key, bytes, object),
    ),
  );
}

/** Returns the record of a file of an object. */
export function fileDataOf(key: FileKey, bytes: number, object: number): FileData {
  return areaOf(key) === 'private' ? { bytes, object } : { bytes };
}

type DropScope = Pick<FileScope, 'instance' | 'classNumber'> & {
  readonly platform: Pick<Platform, 'clock' | 'ids' | 'log'>;
};

/**
 * Returns the writes that delete files that an object has `before` and not `after`.
 *
 * @param data the stored record of its class
 */
export function dropFiles(
  { platform, instance, classNumber }: DropScope,
  data: ClassData,
  { before, after }: { readonly before: StoredValues; readonly after: StoredValues },
): readonly Write[] {
  const dropped = fileNamesOf(data).filter((name) => before[name] !== after[name]);
  const keys = fileKeysIn({ platform, instance, classNumber }, before, dropped);
  if (keys.length === 0) return [];
  const records = keys.map((key) => deleteIfExists(fileEntity.key(instance, classNumber, key)));
  return [removal(platform, { instance, keys }), ...records];
}

/**
 * Returns the keys of the files of an object. A value that is no key of a file of its class is logged and left alone:
 * nothing is read or deleted by it.
 *
 * @param names storage names of fields with files, by the stored record of the class
 */
export function fileKeysIn(
  {
    platform,
    instance,
    classNumber,
  }: Pick<DropScope, 'instance' | 'classNumber'> & {
    readonly platform: Pick<Platform, 'log'>;
  },
  values: StoredValues,
  names: readonly string[],
): readonly FileKey[] {
  const folders = [objectFiles(instance, classNumber), privateFiles(instance, classNumber)];
  return names.flatMap((field) => {
    const value = values[field];
    if (value === undefined) return [];
    const key = typeof value === 'string' ? readFileKey(value) : undefined;
    if (key !== undefined && folders.some((folder) => isIn(folder, key))) return [key];
    const message = 'a file field has a value that is not the key of a file';
    platform.log({ level: 'error', message, instance, class: classNumber, field });
    return [];
  });
}

const patienceMs = 900_000; // far longer than any request takes

/**
 * Commits a save and stores its new files first, see {@link withStored}; without files `commit` gets no writes.
 *
 * @throws ApiError 400 when a file to copy does not exist; any error of `commit`
 */
export function withFiles<Result>(
  scope: SaveScope,
  added: readonly AddedFile[],
  commit: (fileWrites: readonly Write[]) => Promise<Result>,
): Promise<Result> {
  if (added.length === 0) return commit([]);
  const keys = added.map(({ key }) => key);
  const store = () => allSettled(added.map((file) => storeOne(scope, file)));
  return withStored(scope, { keys, store, commit });
}

/** Properties of the request that the storing of files needs. */
interface SaveScope {
  readonly platform: Pick<Platform, 'files' | 'store' | 'clock' | 'ids'>;
  readonly instance: number;
}

/**
 * Stores files, then commits the writes that refer to them. A job that deletes the files is written first, and the
 * commit deletes this job: the files remain only if the commit succeeds, even if the request or its process fails.
 *
 * @param save.commit makes these writes together with its own
 */
export async function withStored<Result>(
  {
    platform,
    instance,
  }: Pick<SaveScope, 'instance'> & {
    readonly platform: Pick<Platform, 'store' | 'clock' | 'ids'>;
  },
  save: {
    readonly keys: readonly FileKey[];
    readonly store: () => Promise<unknown>;
    readonly commit: (fileWrites: readonly Write[]) => Promise<Result>;
  },
): Promise<Result> {
  const { keys, store, commit } = save;
  const due = platform.clock.micros() / 1000 + patienceMs;
  const job = removal(platform, { instance, keys }, due);
  const version = await maintain(platform, [job]);
  await store();
  return commit([deleteItem({ key: job.key, version })]);
}

async function storeOne(
  { platform: { files }, instance }: SaveScope,
  { key, field, source }: AddedFile,
): Promise<void> {
  const owner = dataOwner(instance);
  if (typeof source !== 'string') {
    const { bytes, contentType, filename } = source;
    await files.put(owner, key, {
      bytes,
      contentType: contentTypeOf(contentType, filename),
      filename: downloadNameOf(filename),
    });
    return;
  }
  const isCopied = await files.copy({ owner, key: source }, { owner, key });
  if (!isCopied) throw invalid({ [field.name]: [dataMessages.fileMissing] });
}
