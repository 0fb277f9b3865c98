import type { Key, Stored } from '../../store/store.ts';
import { instanceIn } from '../data-ids.ts';
import { byName, idIn, idKey, ofInstance } from '../key-parts.ts';
import { entity } from '../kind.ts';
import type { ClassCountData } from '../records/class-counts.ts';
import type {
  ClassData,
  ClassMigrationData,
  FileData,
  MetadataData,
  ObjectData,
  UniqueData,
} from '../records/records.ts';

/** A data class. */
export const classEntity = entity<ClassData>('class').keyed(ofInstance, 'CLASS#', byName, {
  belongsTo: 'contents',
  shownAs: 'class',
  inLetters: ({ after, before }) => ({ item: 'class', ...nameOf(after ?? before) }),
});

/** Free data of a class. */
export const classMetadataEntity = entity<MetadataData>('metadata').keyed(
  ofInstance,
  'CLASSMETADATA#',
  byName,
  { belongsTo: 'contents' },
);

/**
 * Number of objects of a class; counted by a consumer of the change feed, never by the requests that create objects.
 * Its range contains the numbers of files too.
 */
export const classCountEntity = entity<ClassCountData>('class-count').keyed(
  ofInstance,
  'CLASSCOUNT#',
  idKey,
  { belongsTo: 'derived', clearedWith: 'class item' },
);

/** Number of files of the objects of a class; counted in the same way. */
export const classFileCountEntity = entity<ClassCountData>('class-file-count').keyed(
  ofInstance,
  'CLASSCOUNT#',
  (classNumber: number) => `${idKey(classNumber)}#FILES`,
  { belongsTo: 'derived', clearedWith: 'class item' },
);

/** How far the indexes of a class are built; absent before the first step and after the last. */
export const classMigrationEntity = entity<ClassMigrationData>('class-migration').keyed(
  ofInstance,
  'CLASSMIGRATION#',
  idKey,
  { belongsTo: 'derived', clearedWith: 'class item' },
);

/** A data object. */
export const objectEntity = entity<ObjectData>('object').keyed(
  (instance: number, classNumber: number) => `INSTANCE#${instance}#CLASS#${classNumber}`,
  '',
  idKey,
  {
    belongsTo: 'contents',
    clearedWith: 'class',
    counter: 'object',
    shownAs: 'data_object',
    inLetters: ({ key }) => ({
      item: 'object',
      itemId: idIn(key),
      classNumber: objectOfKey(key).classNumber,
    }),
  },
);

/** The object that has a value of a unique field. */
export const uniqueEntity = entity<UniqueData>('unique').keyed(
  (instance: number, classNumber: number) => `INSTANCE#${instance}#UNIQUE#${classNumber}`,
  '',
  (storage: string, value: string) => `${storage}#${value}`,
  { belongsTo: 'derived', clearedWith: 'class' },
);

/**
 * A file of an object of a class, by its key; the files of a class are counted by these items. A backup makes them of the
 * files that it copies.
 */
export const fileEntity = entity<FileData>('file').keyed(
  (instance: number, classNumber: number) => `INSTANCE#${instance}#FILES#${classNumber}`,
  '',
  (file: string) => file,
  {
    belongsTo: 'derived',
    clearedWith: 'class',
    namedFile: (sk) => (sk.startsWith('thumbs/') ? undefined : sk), // smaller pictures are made again
    inLetters: ({ key }) => ({ item: 'file', classNumber: objectOfKey(key).classNumber }),
  },
);

function nameOf(item: Stored | undefined): { readonly className?: string } {
  if (item === undefined || !classEntity.matches(item)) return {};
  const { name } = item.data as Partial<typeof item.data>; // or only a size
  return name === undefined ? {} : { className: name };
}

/** Returns the class whose partition contains an object or the record of its file. */
export function objectOfKey(key: Key): {
  readonly instance: number;
  readonly classNumber: number;
} {
  return { instance: instanceIn(key), classNumber: Number(key.pk.split('#')[3]) };
}

/** The kinds of classes and objects. */
export const classKinds = [
  classEntity,
  classMetadataEntity,
  classCountEntity,
  classFileCountEntity,
  classMigrationEntity,
  objectEntity,
  uniqueEntity,
  fileEntity,
] as const;
