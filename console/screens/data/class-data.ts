import type { classFields } from '../../../functions/classes/fields.ts';
import type { FieldDefinition } from '../../../shared/classes/rules/field-types.ts';
import type { ShownRecord } from '../../../shared/core/resource/shown.ts';
import { at, below, type RequestPath } from '../../../shared/values/text/request-path.ts';
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

/** The class of the profiles of users: it cannot be deleted. */
export const userProfileClass = 'user_profile';

/** Returns the path of a class. */
export function classPath(instance: string, name: string): RequestPath {
  return at`instances/${instance}/classes/${name}/`;
}

/** Reads a class. */
export function fetchClass(instance: string, name: string): Promise<ClassRecord> {
  return send<ClassRecord>({ method: 'GET', path: classPath(instance, name) });
}

/** Reads how far the indexes of a class are built. */
export function readMigration(instance: string, name: string): Promise<MigrationRecord> {
  const path = below(classPath(instance, name))`migration/`;
  return send<MigrationRecord>({ method: 'GET', path, isQuiet: true });
}

/** Reads all classes of an instance, in order of creation. */
export function readClasses(instance: string): Promise<ClassRecord[]> {
  return readAll<ClassRecord>(at`instances/${instance}/classes/`, { page_size: 100 });
}
