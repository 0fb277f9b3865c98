import type { CompiledClass, StoredValues } from '../domain/compiled-class.ts';
import { dataMessages } from '../domain/data-messages.ts';
import { ApiError, invalid } from '../domain/errors.ts';
import { extensionOf, fileKey, filePrefix, isFileOf } from '../domain/file-keys.ts';
import type { NewFile } from '../domain/object-values.ts';
import { contentTypeOf } from '../domain/uploads.ts';
import { ConditionFailed, type Write } from '../store/store.ts';
import type { Platform } from './ports.ts';
import { newWork, type WorkKind } from './work.ts';

/** A file to be there before an object names it. */
export interface AddedFile extends NewFile {
  readonly key: string;
}

/** Where a class's files are. */
interface FilePlace {
  readonly platform: Pick<Platform, 'files' | 'ids'>;
  readonly instance: number;
  readonly classNumber: number;
}

/** Says which files to copy are none of this instance, or not there; messages by field (reference: per-type errors). */
export async function sourceErrors(
  { platform, instance }: FilePlace,
  files: readonly NewFile[],
): Promise<Record<string, readonly string[]>> {
  const found = await Promise.all(
    files.map(async ({ field, source }) => {
      if (typeof source !== 'string') return [];
      if (!isFileOf(instance, source)) return [[field.name, [dataMessages.badFileUrl]]];
      return (await platform.files.has(source)) ? [] : [[field.name, [dataMessages.fileMissing]]];
    }),
  );
  return Object.fromEntries(found.flat());
}

/** Gives each new file a key that nobody can guess. */
export function placeFiles(
  { platform, instance, classNumber }: FilePlace,
  files: readonly NewFile[],
): readonly AddedFile[] {
  const prefix = filePrefix('public', instance, classNumber);
  return files.map(({ field, source }) => {
    const random = platform.ids.random() + platform.ids.random();
    const name = typeof source === 'string' ? source : source.filename;
    return { field, source, key: fileKey(prefix, random, extensionOf(name)) };
  });
}

/** Removes files that no object names any more. */
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
  { fields }: CompiledClass,
  { before, after }: { readonly before: StoredValues; readonly after: StoredValues },
): readonly Write[] {
  const keys = fields.flatMap(({ type, storage }) => {
    const key = type === 'file' ? before[storage] : undefined;
    return typeof key === 'string' && key !== after[storage] ? [key] : [];
  });
  return keys.length === 0 ? [] : [newWork(platform, removeFiles, { keys })];
}

/**
 * Commits a save whose new files are stored before it. A commit that was refused takes them back. One whose outcome
 * is not known leaves them, as an object may name them: a file too many, never one too few.
 *
 * @throws ApiError 400 when a file to copy is gone; whatever `commit` throws
 */
export async function withFiles<Result>(
  platform: Pick<Platform, 'files' | 'log'>,
  added: readonly AddedFile[],
  commit: () => Promise<Result>,
): Promise<Result> {
  if (added.length > 0) await storeAll(platform, added);
  try {
    return await commit();
  } catch (error) {
    const isRefused = error instanceof ApiError || error instanceof ConditionFailed;
    if (isRefused) await discard(platform, keysOf(added));
    throw error;
  }
}

async function storeAll(
  platform: Pick<Platform, 'files' | 'log'>,
  added: readonly AddedFile[],
): Promise<void> {
  const outcomes = await Promise.allSettled(added.map((file) => storeOne(platform, file)));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed === undefined) return;
  await discard(platform, keysOf(added));
  throw failed.reason;
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

function keysOf(added: readonly AddedFile[]): readonly string[] {
  return added.map(({ key }) => key);
}

/** Takes new files back. What stays after a failure is removed with its class. */
async function discard(
  { files, log }: Pick<Platform, 'files' | 'log'>,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return;
  try {
    await files.remove(keys);
  } catch (error) {
    // why the call was refused says more to its caller
    const cause = error instanceof Error ? error.message : 'unknown';
    log({ level: 'error', message: 'files that nobody needs could not be removed', cause });
  }
}
