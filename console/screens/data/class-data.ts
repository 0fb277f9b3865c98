import type { classFields } from '../../../functions/classes/fields.ts';
import type { ClassFieldType, FieldDefinition } from '../../../shared/classes/rules/field-types.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
import { at } from '../../../shared/values/text/request-path.ts';
import { readAll, send } from '../../core/api.ts';

/** A class, as the interface shows it. */
export type ClassRecord = ShownRecord<
  typeof classFields,
  { readonly schema: readonly FieldDefinition[]; readonly status: 'ready' | 'migrating' }
>;

/** How far the indexes of a class are built. */
export interface MigrationRecord extends Pick<ClassRecord, 'status' | 'objects_count'> {
  /** Objects that have their indexes. */
  readonly objects_done: number;
}

/** A key of a field's definition that depends on its type. */
export type FieldOption = 'filter_index' | 'order_index' | 'unique' | 'target' | 'private';

const indexed: readonly FieldOption[] = ['filter_index', 'order_index', 'unique'];

/** Options of each type; others must not be sent. */
export const fieldOptions: Readonly<Record<ClassFieldType, readonly FieldOption[]>> = {
  string: indexed,
  text: [],
  integer: indexed,
  float: indexed,
  boolean: indexed,
  datetime: indexed,
  file: ['private'],
  reference: [...indexed, 'target'],
  relation: ['filter_index', 'target'],
  array: ['filter_index'],
  object: [],
  geopoint: ['filter_index'],
};

/** The class of the profiles of users: it cannot be deleted. */
export const userProfileClass = 'user_profile';

/** Reads a class. */
export function fetchClass(
  instance: string,
  name: string,
  options: { readonly signal?: AbortSignal } = {},
): Promise<ClassRecord> {
  const path = at`instances/${instance}/classes/${name}/`;
  return send<ClassRecord>({ method: 'GET', path, ...options });
}

/** Reads how far the indexes of a class are built. */
export function readMigration(instance: string, name: string): Promise<MigrationRecord> {
  const path = at`instances/${instance}/classes/${name}/migration/`;
  return send<MigrationRecord>({ method: 'GET', path, isQuiet: true });
}

/** Reads all classes of an instance, in order of creation. */
export function readClasses(instance: string): Promise<ClassRecord[]> {
  return readAll<ClassRecord>(at`instances/${instance}/classes/`, { page_size: 100 });
}
