import type { Actor } from '../domain/access.ts';
import type { CompiledClass, StoredValues } from '../domain/compiled-class.ts';
import { dataMessages } from '../domain/data-messages.ts';
import { invalid } from '../domain/errors.ts';
import { extensionOf, fileKey, filePrefix, isFileOf, uploadPrefix } from '../domain/file-keys.ts';
import type { NewFile } from '../domain/object-values.ts';
import { contentTypeOf } from '../domain/uploads.ts';
import type { Write } from '../store/store.ts';
import { remove } from '../store/writes.ts';
import { maintain } from './maintain.ts';
import type { Platform } from './ports.ts';
import { newWork, type WorkKind } from './work.ts';

/** A file to be there before an object names it. */
export interface AddedFile extends NewFile {
  readonly key: string;
}

/** Where a class's files are, and who is there. */
interface FilePlace {
  readonly platform: Pick<Platform, 'files' | 'ids'>;
  readonly instance: number;
  readonly classNumber: number;
  readonly actor: Actor;
}

/**
 * Says which files to copy are not there, or none of this instance, or large uploads that were begun elsewhere or by
 * somebody else; messages by field (reference: per-type errors).
 */
export async function sourceErrors(
  place: FilePlace,
  files: readonly NewFile[],
): Promise<Record<string, readonly string[]>> {
  const found = await Promise.all(
    files.map(async ({ field, source }) => {
      if (typeof source !== 'string') return [];
      if (!mayCopy(place, source)) return [[field.name, [dataMessages.badFileUrl]]];
      const isThere = await place.platform.files.has(source);
      return isThere ? [] : [[field.name, [dataMessages.fileMissing]]];
    }),
  );
  return Object.fromEntries(found.flat());
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
export function placeFiles(place: FilePlace, files: readonly NewFile[]): readonly AddedFile[] {
  const prefix = filePrefix(place.instance, place.classNumber);
  return files.map(({ field, source }) => {
    const name = typeof source === 'string' ? source : source.filename;
    return { field, source, key: keyBelow(prefix, place, name) };
  });
}

function keyBelow(prefix: string, { platform: { ids } }: FilePlace, filename: string): string {
  return fileKey(prefix, ids.random() + ids.random(), extensionOf(filename));
}

/** Removes files that no object names. */
export const removeFiles: WorkKind = {
  name: 'remove-files',
  step: async ({ files }, task) => {
    await files.remove((task as { readonly keys: readonly string[] }).keys); // so it was stored
    return 'done';
  },
};

/** Has the files removed that an object has `before` and not `after`, once that is committed. */
export function dropFiles(
  platform: Pick<Platform, 'clock' | 'ids'>,
  { fileNames }: CompiledClass,
  { before, after }: { readonly before: StoredValues; readonly after: StoredValues },
): readonly Write[] {
  const keys = fileNames.flatMap((storage) => {
    const key = before[storage];
    return typeof key === 'string' && key !== after[storage] ? [key] : [];
  });
  return keys.length === 0 ? [] : [newWork(platform, removeFiles, { keys })];
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
  const removal = newWork(platform, removeFiles, { keys }, due);
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
