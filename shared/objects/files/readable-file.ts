import { mayRead } from '../../classes/rules/permissions.ts';
import type { Store, Stored } from '../../store/store.ts';
import { classEntity, fileEntity, objectEntity } from '../../table/entities/classes.ts';
import type { ClassData } from '../../table/records/records.ts';
import type { Actor } from '../../values/access.ts';
import { classOfFile, type FileKey } from '../../values/file-keys.ts';

/** What the check of a private file needs of a request. */
interface Reader {
  readonly platform: { readonly store: Store };
  readonly instance: number;
  readonly actor: Actor;
  /** The class of the request, whose record is known. */
  readonly class: Stored<ClassData>;
}

/**
 * Checks whether the actor may read the object that has a private file of its instance now. An address is no proof: a
 * reader may have passed it on. The record of the file changes in the transactions of the object.
 */
export async function mayReadFile(reader: Reader, key: FileKey): Promise<boolean> {
  const { store } = reader.platform;
  const { instance, actor } = reader;
  const number = classOfFile(key);
  const [record, ofClass] = await Promise.all([
    fileEntity.read(store, instance, number, key),
    classOfNumber(reader, number),
  ]);
  const id = record?.data.object;
  const object = id === undefined ? id : await objectEntity.read(store, instance, number, id);
  if (object === undefined || ofClass === undefined) return false;
  return mayRead(actor, ofClass.data, object.data);
}

async function classOfNumber(
  { platform: { store }, instance, class: own }: Reader,
  number: number,
): Promise<Stored<ClassData> | undefined> {
  if (own.data.number === number) return own;
  const all = await classEntity.listAll(store, [instance]);
  return all.find(({ data }) => data.number === number);
}
