import {
  type ClassFieldType,
  definitionKeys,
  type FieldDefinition,
} from '../../../shared/classes/rules/field-types.ts';
import type { ClassPermission } from '../../../shared/classes/rules/permissions.ts';
import { writeExactJson } from '../../../shared/values/json/exact-number.ts';
import type { ClassRecord } from './class-data.ts';

/** Limits of a class (docs/reference/limits.md#classes-and-objects). */
export const classLimits = { fields: 32, indexes: 16 };

const flags = ['filter_index', 'order_index', 'unique', 'private'] as const;

/** A key of a field's definition that is true or absent. */
export type FieldFlag = (typeof flags)[number];

/** A field while it is edited. */
export interface FieldDraft extends Readonly<Record<FieldFlag, boolean>> {
  readonly name: string;
  readonly type: ClassFieldType;
  /** Empty before it is chosen. */
  readonly target: string;
  /** Identifies the line. */
  readonly line: number;
  /** As it is stored; undefined for a new field. Name, type and target of a stored field are fixed. */
  readonly stored: FieldDefinition | undefined;
}

/** The rights of a class while they are edited. */
export interface RightsDraft {
  /** An id as text; empty: none. */
  readonly group: string;
  readonly group_permissions: ClassPermission;
  readonly other_permissions: ClassPermission;
}

/** A class while it is edited. */
export interface ClassDraft extends RightsDraft {
  readonly name: string;
  readonly description: string;
  /** JSON text. */
  readonly metadata: string;
  readonly fields: readonly FieldDraft[];
  /** The fields as JSON text; undefined while they are edited as a form. */
  readonly json: string | undefined;
}

let lastLine = 0;

/** Returns the line of a stored field, or of a new one. */
export function draftField(field?: FieldDefinition): FieldDraft {
  lastLine += 1;
  return {
    name: field?.name ?? '',
    type: field?.type ?? 'string',
    filter_index: field?.filter_index ?? false,
    order_index: field?.order_index ?? false,
    unique: field?.unique ?? false,
    private: field?.private ?? false,
    target: field?.target ?? '',
    line: lastLine,
    stored: field,
  };
}

/** Returns the rights of a class to edit. */
export function draftRights(record?: ClassRecord): RightsDraft {
  return {
    group: String(record?.group ?? ''),
    group_permissions: record?.group_permissions ?? 'create_objects',
    other_permissions: record?.other_permissions ?? 'create_objects',
  };
}

/** Returns a class to edit; without a record, a new one with an empty field. */
export function draftClass(record?: ClassRecord): ClassDraft {
  return {
    name: record?.name ?? '',
    description: record?.description ?? '',
    ...draftRights(record),
    metadata: writeExactJson(record?.metadata ?? {}, 2),
    fields: record?.schema.map(draftField) ?? [draftField()],
    json: undefined,
  };
}

/** Checks whether fields of a type have an option. */
export function hasOption(type: ClassFieldType, option: FieldFlag | 'target'): boolean {
  return definitionKeys[type].includes(option);
}

/** Returns the definition of a field, without the keys that its type does not have. */
export function definitionOf(field: FieldDraft): FieldDefinition {
  const { name, type, target, stored } = field;
  const set = flags.filter((flag) => hasOption(type, flag) && field[flag]);
  return {
    name,
    type,
    ...Object.fromEntries(set.map((flag) => [flag, true])),
    ...(hasOption(type, 'target') && target !== '' && { target }),
    ...(type === 'file' && stored?.thumbs && { thumbs: stored.thumbs }),
  };
}

/** Returns the number of indexes; a field with both flags has two. */
export function countIndexes(fields: readonly FieldDraft[]): number {
  return fields.reduce((sum, { filter_index, order_index, unique }) => {
    return sum + Number(filter_index || unique) + Number(order_index);
  }, 0);
}

/** What saving a changed schema does to existing objects. */
interface ChangeCost {
  /** Names of fields that lose their values. */
  readonly removed: readonly string[];
  /** Names of fields of which an index is built or removed. */
  readonly indexed: readonly string[];
}

/** Compares the fields of a class with those of a draft (docs/reference/classes.md#changing-a-schema). */
export function costOf(
  before: readonly FieldDefinition[],
  after: readonly FieldDefinition[],
): ChangeCost {
  const next = (name: string) => after.find((field) => field.name === name);
  const isLost = (field: FieldDefinition) => !canKeepValues(field, next(field.name));
  const kept = before.filter((field) => !isLost(field));
  const added = after.filter(({ name }) => !kept.some((field) => field.name === name));
  const changed = kept.filter((field) => isIndexed(field) !== isIndexed(next(field.name)));
  return {
    removed: before.filter(isLost).map(({ name }) => name),
    indexed: [...changed, ...added.filter(isIndexed)].map(({ name }) => name),
  };
}

/** Checks whether a field keeps its values when it becomes another. */
export function canKeepValues(field: FieldDefinition, other: FieldDefinition | undefined): boolean {
  return (
    other?.name === field.name &&
    other.type === field.type &&
    other.target?.toLowerCase() === field.target?.toLowerCase()
  );
}

function isIndexed(field: FieldDefinition | undefined): boolean {
  return Boolean(field?.filter_index || field?.order_index || field?.unique);
}

/** What the server says about a schema, and the position of the field that it names. */
interface SchemaProblem {
  readonly position: number | undefined;
  readonly message: string | undefined;
}

/** Returns the parts of an error of a schema. */
export function readSchemaError(error: string | undefined): SchemaProblem {
  const [, position, message = error] =
    /^Error processing field definition .* #(\d+): (.*)$/s.exec(error ?? '') ?? [];
  return { position: position === undefined ? undefined : Number(position), message };
}
