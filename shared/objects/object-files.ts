import type { CompiledClass, StoredValues } from '../classes/rules/compiled-class.ts';
import { type JobType, newJob } from '../jobs/jobs.ts';
import { maintain } from '../jobs/maintain.ts';
import type { Platform } from '../platform/ports.ts';
import { fileEntity } from '../store/entities.ts';
import type { Write } from '../store/store.ts';
import { erase, insert, remove } from '../store/writes.ts';
import type { Actor } from '../values/access.ts';
import { dataMessages } from '../values/errors/data-messages.ts';
import { invalid } from '../values/errors/errors.ts';
import { extensionOf, fileKey, filePrefix, isFileOf, uploadPrefix } from '../values/file-keys.ts';
import { contentTypeOf } from '../values/uploads.ts';
import type { NewFile } from './rules/object-values.ts';

/** A file to be there before an object names it. */
export interface AddedFile extends NewFile {
  readonly key: string;
  readonly bytes: number;
}

/** Where a class's files are, and who is there. */
interface FilePlace {
  readonly platform: Pick<Platform, 'files' | 'ids'>;
  readonly instance: number;
  readonly classNumber: number;
  readonly actor: Actor;
}

/** What was found out about files to copy. */
export interface Sources {
  /** Messages by field (docs/reference/objects.md#errors-by-type). */
  readonly errors: Readonly<Record<string, readonly string[]>>;
  /** Bytes by key. */
  readonly sizes: ReadonlyMap<string, number>;
}

/**
 * Says which files to copy are not there, or none of this instance, or large uploads that were begun elsewhere or by
 * somebody else, and how large the others are.
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

/** The start of the keys of what this caller has uploaded to the class. */
function uploadsOf({ instance, classNumber, actor }: FilePlace): string {
  const user = actor.kind === 'apiKey' ? actor.user?.id : undefined;
  return uploadPrefix(instance, classNumber, user);
}

/** Makes the key of a large upload: its caller may save what was sent, in this class. */
export function uploadKey(place: FilePlace, filename: string): string {
  return keyBelow(uploadsOf(place), place, filename);
}

/** Gives each new file a key that nobody can guess. */
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

/** Records of new files, by which they are counted. */
export function fileRecords(
  { instance, classNumber }: Pick<FilePlace, 'instance' | 'classNumber'>,
  added: readonly AddedFile[],
): readonly Write[] {
  return added.map(({ key, bytes }) =>
    insert(fileEntity, fileEntity.key(instance, classNumber, key), { bytes }),
  );
}

function keyBelow(prefix: string, { platform: { ids } }: FilePlace, filename: string): string {
  return fileKey(prefix, ids.random() + ids.random(), extensionOf(filename));
}

/** Removes files that no object names. */
export const removeFiles: JobType = {
  name: 'remove-files',
  step: async ({ files }, task) => {
    await files.remove((task as { readonly keys: readonly string[] }).keys); // so it was stored
    return 'done';
  },
};

type DropPlace = Pick<FilePlace, 'instance' | 'classNumber'> & {
  readonly platform: Pick<Platform, 'clock' | 'ids'>;
};

/** Has the files removed that an object has `before` and not `after`, once that is committed. */
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
  const records = keys.map((key) => erase(fileEntity.key(instance, classNumber, key)));
  return [newJob(platform, removeFiles, { keys }), ...records];
}

const patienceMs = 900_000; // far longer than any call takes

/**
 * Commits a save whose new files are stored before it, see {@link withStored}.
 *
 * @throws ApiError 400 when a file to copy is gone; whatever `commit` throws
 */
export function withFiles<Result>(
  platform: Pick<Platform, 'files' | 'store' | 'clock' | 'ids'>,
  added: readonly AddedFile[],
  commit: (beside: readonly Write[]) => Promise<Result>,
): Promise<Result> {
  const keys = added.map(({ key }) => key);
  return withStored(platform, { keys, store: () => storeAll(platform, added), commit });
}

/**
 * Stores files, then commits what names them. Before that their removal is written as work to be done later, and the
 * commit takes this work away: so they stay with it alone, whatever becomes of the call and its process.
 *
 * @param save.commit makes these writes together with its own; none when there are no files
 */
export async function withStored<Result>(
  platform: Pick<Platform, 'store' | 'clock' | 'ids'>,
  save: {
    readonly keys: readonly string[];
    readonly store: () => Promise<void>;
    readonly commit: (beside: readonly Write[]) => Promise<Result>;
  },
): Promise<Result> {
  const { keys, store, commit } = save;
  if (keys.length === 0) return commit([]);
  const due = platform.clock.micros() / 1000 + patienceMs;
  const removal = newJob(platform, removeFiles, { keys }, due);
  const version = await maintain(platform, [removal]);
  await store();
  return commit([remove({ key: removal.key, version })]);
}

/** Ends when nothing is being stored any more, also where one has failed. */
async function storeAll(
  platform: Pick<Platform, 'files'>,
  added: readonly AddedFile[],
): Promise<void> {
  const outcomes = await Promise.allSettled(added.map((file) => storeOne(platform, file)));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
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
