import type { ClassShape } from './compiled-class.ts';

/**
 * Returns the storage names of fields with files: file fields, and former ones until all their files are deleted. Takes
 * the stored record, no compiled class: a wrong entry of a cache must not make a text the key of a file.
 */
export function fileNamesOf({
  schema,
  storage,
  retiredFiles = [],
}: Pick<ClassShape, 'schema' | 'storage' | 'retiredFiles'>): readonly string[] {
  const files = storage.filter((_, at) => schema[at]?.type === 'file');
  return [...files.map((field) => field.storage), ...retiredFiles];
}
