import type { CompiledClass, StoredValues } from '../classes/rules/compiled-class.ts';
import { backupPauseMs, isBackedUp } from '../instances/active-backup.ts';
import { type JobType, newJob } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import type { Platform } from '../platform/ports.ts';
import { fileEntity } from '../store/entities.ts';
import type { Write } from '../store/store.ts';
import { createItem, deleteIfExists, deleteItem } from '../store/writes.ts';
import type { Actor } from '../values/access.ts';
import { allSettled } from '../values/all-settled.ts';
import { dataMessages } from '../values/errors/data-messages.ts';
import { invalid } from '../values/errors/errors.ts';
import {
  dataOfFile,
  extensionOf,
  fileKey,
  filePrefix,
  isFileOf,
  uploadPrefix,
} from '../values/file-keys.ts';
import { contentTypeOf } from '../values/uploads.ts';
import type { NewFile } from './rules/object-values.ts';

/** File to store before an object refers to it. */
export interface AddedFile extends NewFile {
  readonly key: string;
  readonly bytes: number;
}

/** Class of the files, and the actor. */
interface FilePlace {
  readonly platform: Pick<Platform, 'files' | 'ids'>;
  readonly instance: number;
  readonly classNumber: number;
  readonly actor: Actor;
}

/** Result of checking the files to copy. */
export interface Sources {
  /** Messages by field (docs/reference/objects.md#errors-by-type). */
  readonly errors: Readonly<Record<string, readonly string[]>>;
  /** Bytes by key. */
  readonly sizes: ReadonlyMap<string, number>;
}

/**
 * Checks the files to copy: reports those that do not exist, belong to another instance, or are large uploads of
 * another class or actor; returns the sizes of the others.
 */
export async function lookAtSources(place: FilePlace, files: readonly NewFile[]): Promise<Sources> {
  const errors: Record<string, readonly string[]> = {};
  const sizes = new Map<string, number>();
  await Promise.all(
    files.map(async ({ field, source }) => {
      if (typeof source !== 'string') return;
      if (!mayCopy(place, source)) {
        errors[field.name] = [dataMessages.badFileUrl];
        return;
      }
      const bytes = await place.platform.files.size(source);
      if (bytes === undefined) errors[field.name] = [dataMessages.fileMissing];
      else sizes.set(source, bytes);
    }),
  );
  return { errors, sizes };
}

function mayCopy(place: FilePlace, source: string): boolean {
  return isFileOf(place.instance, source) || source.startsWith(uploadsOf(place));
}

/** Returns the key prefix of this actor's uploads to the class. */
function uploadsOf({ instance, classNumber, actor }: FilePlace): string {
  const user = actor.kind === 'apiKey' ? actor.user?.id : undefined;
  return uploadPrefix(instance, classNumber, user);
}

/** Creates the key of a large upload: its actor may save the file, in this class. */
export function uploadKey(place: FilePlace, filename: string): string {
  return keyBelow(uploadsOf(place), place, filename);
}

/** Assigns each new file a key that cannot be guessed. */
export function placeFiles(
  place: FilePlace,
  files: readonly NewFile[],
  sizes: Sources['sizes'],
): readonly AddedFile[] {
  const prefix = filePrefix(place.instance, place.classNumber);
  return files.map(({ field, source }) => {
    const isCopy = typeof source === 'string';
    const name = isCopy ? source : source.filename;
    const bytes = isCopy ? (sizes.get(source) ?? 0) : source.bytes.length;
    return { field, source, key: keyBelow(prefix, place, name), bytes };
  });
}

/** Creates the records of new files, by which they are counted. */
export function fileRecords(
  { instance, classNumber }: Pick<FilePlace, 'instance' | 'classNumber'>,
  added: readonly AddedFile[],
): readonly Write[] {
  return added.map(({ key, bytes }) =>
    createItem(fileEntity, fileEntity.key(instance, classNumber, key), { bytes }),
  );
}

function keyBelow(prefix: string, { platform: { ids } }: FilePlace, filename: string): string {
  return fileKey(prefix, ids.random() + ids.random(), extensionOf(filename));
}

/** Deletes files that no object refers to. */
export const removeFiles: JobType = {
  name: 'remove-files',
  step: async (context, task) => {
    const { keys } = task as { readonly keys: readonly string[] }; // as stored
    for (const data of new Set(keys.map(dataOfFile))) {
      if (await isBackedUp(context, data)) return { task, afterMs: backupPauseMs };
    }
    await context.files.remove(keys);
    return 'done';
  },
};

type DropPlace = Pick<FilePlace, 'instance' | 'classNumber'> & {
  readonly platform: Pick<Platform, 'clock' | 'ids'>;
};

/** Returns the writes that delete files that an object has `before` and not `after`. */
export function dropFiles(
  { platform, instance, classNumber }: DropPlace,
  { fileNames }: CompiledClass,
  { before, after }: { readonly before: StoredValues; readonly after: StoredValues },
): readonly Write[] {
  const keys = fileNames.flatMap((storage) => {
    const key = before[storage];
    return typeof key === 'string' && key !== after[storage] ? [key] : [];
  });
  if (keys.length === 0) return [];
  const records = keys.map((key) => deleteIfExists(fileEntity.key(instance, classNumber, key)));
  return [newJob(platform, removeFiles, { keys }), ...records];
}

const patienceMs = 900_000; // far longer than any request takes

/**
 * Commits a save and stores its new files first, see {@link withStored}; without files `commit` gets no writes.
 *
 * @throws ApiError 400 when a file to copy does not exist; any error of `commit`
 */
export function withFiles<Result>(
  platform: Pick<Platform, 'files' | 'store' | 'clock' | 'ids'>,
  added: readonly AddedFile[],
  commit: (fileWrites: readonly Write[]) => Promise<Result>,
): Promise<Result> {
  if (added.length === 0) return commit([]);
  const keys = added.map(({ key }) => key);
  const store = () => allSettled(added.map((file) => storeOne(platform, file)));
  return withStored(platform, { keys, store, commit });
}

/**
 * Stores files, then commits the writes that refer to them. A job that deletes the files is written first, and the
 * commit deletes this job: the files remain only if the commit succeeds, even if the request or its process fails.
 *
 * @param save.commit makes these writes together with its own
 */
export async function withStored<Result>(
  platform: Pick<Platform, 'store' | 'clock' | 'ids'>,
  save: {
    readonly keys: readonly string[];
    readonly store: () => Promise<unknown>;
    readonly commit: (fileWrites: readonly Write[]) => Promise<Result>;
  },
): Promise<Result> {
  const { keys, store, commit } = save;
  const due = platform.clock.micros() / 1000 + patienceMs;
  const removal = newJob(platform, removeFiles, { keys }, due);
  const version = await maintain(platform, [removal]);
  await store();
  return commit([deleteItem({ key: removal.key, version })]);
}

async function storeOne(
  { files }: Pick<Platform, 'files'>,
  { key, field, source }: AddedFile,
): Promise<void> {
  if (typeof source !== 'string') {
    const { bytes, contentType, filename } = source;
    await files.put(key, { bytes, contentType: contentTypeOf(contentType, filename) });
    return;
  }
  if (!(await files.copy(source, key))) throw invalid({ [field.name]: [dataMessages.fileMissing] });
}
