import { isThumbSize, sidesOf } from '../../../classes/rules/thumb-sizes.ts';
import { isDeclared, storeThumb, type WantedThumb } from '../../../objects/files/thumbs.ts';
import type { NamedContent } from '../../../ports/file-store.ts';
import type { Platform } from '../../../ports/ports.ts';
import { pictureTypeOf } from '../../../runtimes/pictures/picture-type.ts';
import { notFound, pictureUnfit } from '../../../values/errors/errors.ts';
import { dataOwner, type FileKey, type FileOwner, thumbKey } from '../../../values/file-keys.ts';
import type { LocalFiles, OpenFile } from '../files/files.ts';
import type { Pictures } from './pictures.ts';

const maxBytes = 32 * 2 ** 20; // docs/reference/limits.md#smaller-pictures

/** Smaller pictures of the files of objects, made when they are first requested. */
export interface Thumbs {
  /**
   * Opens a smaller picture, to be closed after.
   *
   * @throws ApiError 404 for a size that no field of the class names, and for a missing file; 415 for a file that is no
   *   picture, or too large a one; 503 without the package that makes pictures, or when too many wait
   */
  open(owner: FileOwner, original: FileKey, size: string): Promise<OpenFile>;
}

type Services = Pick<Platform, 'store' | 'clock' | 'ids' | 'quotas'> & {
  readonly files: LocalFiles;
  readonly pictures: Pictures;
};

/** Opens smaller pictures. Parallel requests for the same one wait for one to be made. */
export function openThumbs(services: Services): Thumbs {
  const { store, files } = services;
  const running = new Map<FileKey, Promise<void>>();

  function makeOnce(key: FileKey, wanted: WantedThumb): Promise<void> {
    const known = running.get(key);
    if (known !== undefined) return known;
    const made = make(services, wanted).finally(() => running.delete(key));
    running.set(key, made);
    return made;
  }

  return {
    open: async (owner, original, size) => {
      if (owner.kind !== 'data' || !isThumbSize(size)) throw notFound();
      const wanted: WantedThumb = { instance: owner.id, original, size };
      if (!(await isDeclared(store, wanted))) throw notFound();
      const key = thumbKey(original, size);
      const known = await files.open(owner, key);
      if (known !== undefined) return known;
      await makeOnce(key, wanted);
      const made = await files.open(owner, key);
      if (made === undefined) throw notFound(); // deleted in the meantime
      return made;
    },
  };
}

async function make(services: Services, wanted: WantedThumb): Promise<void> {
  await services.pictures.inTurn(wanted.instance, () =>
    storeThumb(services, wanted, () => contentOf(services, wanted)),
  );
}

async function contentOf(
  { files, pictures }: Services,
  { instance, original, size }: WantedThumb,
): Promise<NamedContent> {
  const owner = dataOwner(instance);
  const length = await files.size(owner, original);
  const file =
    length === undefined || length > maxBytes ? undefined : await files.get(owner, original);
  const type = file && pictureTypeOf(file.bytes);
  if (file === undefined || type === undefined) throw pictureUnfit();
  const bytes = await pictures.make({ bytes: file.bytes, type, ...sidesOf(size) });
  return { bytes, contentType: `image/${type === 'gif' ? 'png' : type}` };
}
