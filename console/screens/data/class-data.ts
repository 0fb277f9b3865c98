import type { FieldType } from '../../../shared/classes/rules/field-types.ts';
import { at } from '../../../shared/values/text/request-path.ts';
import { readAll, send } from '../../core/api.ts';

/** A field of a class, as the interface shows it. */
export interface FieldDefinition {
  readonly name: string;
  readonly type: FieldType;
  readonly filter_index?: boolean;
  readonly order_index?: boolean;
  readonly unique?: boolean;
  /** Of references and relations: `self`, `user`, or the name of a class in any case. */
  readonly target?: string;
}

/** What callers may do with the objects of a class. */
export type ClassPermission = 'none' | 'read' | 'create_objects';

/** A class, as the interface shows it. */
export interface ClassRecord {
  readonly name: string;
  readonly description: string;
  readonly schema: readonly FieldDefinition[];
  /** `migrating` while indexes are built or removed: it cannot be changed, and new indexes cannot be used. */
  readonly status: 'ready' | 'migrating';
  readonly created_at: string;
  readonly updated_at: string;
  readonly objects_count: number;
  /** Counts the changes of the schema. */
  readonly revision: number;
  readonly group: number | null;
  readonly group_permissions: ClassPermission;
  readonly other_permissions: ClassPermission;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** How far the indexes of a class are built. */
export interface MigrationRecord extends Pick<ClassRecord, 'status' | 'objects_count'> {
  /** Objects that have their indexes. */
  readonly objects_done: number;
}

/** A key of a field's definition that depends on its type. */
export type FieldOption = 'filter_index' | 'order_index' | 'unique' | 'target';

const indexed: readonly FieldOption[] = ['filter_index', 'order_index', 'unique'];

/** Options of each type; others must not be sent. */
export const fieldOptions: Readonly<Record<FieldType, readonly FieldOption[]>> = {
  string: indexed,
  text: [],
  integer: indexed,
  float: indexed,
  boolean: indexed,
  datetime: indexed,
  file: [],
  reference: [...indexed, 'target'],
  relation: ['filter_index', 'target'],
  array: ['filter_index'],
  object: [],
  geopoint: ['filter_index'],
};

/** The class of the profiles of users: it cannot be deleted. */
export const profileClass = 'user_profile';

/** Reads a class. */
export function readClass(
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
