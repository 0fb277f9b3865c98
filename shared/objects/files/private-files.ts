import { fileNamesOf } from '../../classes/rules/file-names.ts';
import { mayRead } from '../../classes/rules/permissions.ts';
import { instanceOf } from '../../core/resource/context-values.ts';
import type { Context } from '../../core/routing/route.ts';
import type { Stored } from '../../store/store.ts';
import type { ClassData } from '../../table/records/records.ts';
import { dataOwner, type FileKey, readKeyOf } from '../../values/file-keys.ts';
import type { FileAddresses, ShownObject } from '../show-object.ts';

/** Returns objects with the addresses of their private files, as far as the caller may read the objects. */
export async function withAddresses(
  context: Context,
  classRecord: Stored<ClassData>,
  views: readonly ShownObject[],
): Promise<readonly ShownObject[]> {
  const addresses = await addressesOf(context, classRecord, views);
  if (addresses === undefined) return views;
  return views.map(({ data }) => ({ data, addresses }));
}

/** Returns an object with the addresses of its private files, as {@link withAddresses} does. */
export async function withItsAddresses(
  context: Context,
  classRecord: Stored<ClassData>,
  view: ShownObject,
): Promise<ShownObject> {
  const [shown = view] = await withAddresses(context, classRecord, [view]);
  return shown;
}

/** Returns the addresses of private files of objects that the caller may read; undefined in a class without such files. */
export async function addressesOf(
  context: Context,
  { data: ofClass }: Stored<ClassData>,
  objects: readonly Pick<ShownObject, 'data'>[],
): Promise<FileAddresses | undefined> {
  if (ofClass.hasPrivateFiles === undefined) return undefined;
  const owner = dataOwner(instanceOf(context));
  const names = fileNamesOf(ofClass);
  const keys = objects
    .filter(({ data }) => mayRead(context.actor, ofClass, data))
    .flatMap(({ data }) => names.map((name) => data.values[name]))
    .flatMap((value): readonly FileKey[] | FileKey =>
      typeof value === 'string' ? (readKeyOf(owner, 'private', value) ?? []) : [],
    );
  const signed = await context.platform.files.signedAddresses(owner, keys);
  return new Map(keys.map((key, at) => [key, signed[at] ?? key]));
}
