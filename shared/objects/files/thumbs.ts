import { maintain } from '../../jobs/maintain.ts';
import type { NamedContent } from '../../ports/file-store.ts';
import type { Platform } from '../../ports/ports.ts';
import { ConditionFailed, type Store, type Write } from '../../store/store.ts';
import { checkUnchanged, createItem } from '../../store/writes.ts';
import { classEntity, fileEntity } from '../../table/entities/classes.ts';
import { withRoom } from '../../usage/quotas.ts';
import { notFound } from '../../values/errors/errors.ts';
import { classOfFile, dataOwner, type FileKey, thumbKey } from '../../values/file-keys.ts';
import { withStored } from './object-files.ts';

/** A file of an object, and the size of a smaller picture of it. */
export interface WantedThumb {
  /** Data id. */
  readonly instance: number;
  readonly original: FileKey;
  /** `<width>x<height>` */
  readonly size: string;
}

/** Checks whether a field of the class of the file names the size. */
export async function isDeclared(
  store: Pick<Store, 'query'>,
  { instance, original, size }: WantedThumb,
): Promise<boolean> {
  const classes = await classEntity.listAll(store, [instance]);
  const ofFile = classes.find(({ data }) => data.number === classOfFile(original));
  return ofFile?.data.schema.some(({ thumbs }) => thumbs?.includes(size)) ?? false;
}

/**
 * Makes and stores a smaller picture, and the record by which it is counted. The transaction checks that the file is
 * still there: its deletion deletes all pictures with a record.
 *
 * @throws ApiError 404 when the file was deleted, 400 when the quota of files is exceeded; any error of `make`
 */
export async function storeThumb(
  platform: Pick<Platform, 'store' | 'files' | 'clock' | 'ids' | 'quotas'>,
  { instance, original, size }: WantedThumb,
  make: () => Promise<NamedContent>,
): Promise<void> {
  const { store, files } = platform;
  const classNumber = classOfFile(original);
  const key = thumbKey(original, size);
  const [record, known] = await fileEntity.readAll(store, [
    [instance, classNumber, original],
    [instance, classNumber, key],
  ]);
  if (record === undefined) throw notFound();
  const made = await make();
  const bytes = made.bytes.length;
  const created = createItem(fileEntity, fileEntity.key(instance, classNumber, key), { bytes });
  const own = known === undefined ? [created] : []; // a record without file: a backup has no smaller pictures
  const save = {
    keys: [key],
    store: () => files.put(dataOwner(instance), key, made),
    commit: (fileWrites: readonly Write[]) =>
      maintain(platform, [checkUnchanged(record), ...own, ...fileWrites]),
  };
  try {
    const scope = { platform, instance };
    const growth = { files: known === undefined ? bytes : 0 };
    await withRoom(scope, growth, () => withStored(scope, save));
  } catch (error) {
    if (error instanceof ConditionFailed) throw notFound(); // the file was deleted
    throw error;
  }
}
