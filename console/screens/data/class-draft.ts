import type { ClassFieldType, FieldDefinition } from '../../../shared/classes/rules/field-types.ts';
import type { ClassPermission } from '../../../shared/classes/rules/permissions.ts';
import { writeExactJson } from '../../../shared/values/json/exact-number.ts';
import type { ApiProblem } from '../../core/api.ts';
import { type ClassRecord, type FieldOption, fieldOptions } from './class-data.ts';

/** Limits of a class (docs/reference/limits.md#classes-and-objects). */
export const classLimits = { fields: 32, indexes: 16 };

/** A field while it is edited. */
export interface FieldDraft {
  readonly name: string;
  readonly type: ClassFieldType;
  readonly filter_index: boolean;
  readonly order_index: boolean;
  readonly unique: boolean;
  readonly private: boolean;
  readonly target: string;
  /** Identifies the row. */
  readonly row: number;
  /** As it is stored; undefined for a new field. Name, type and target of a stored field are fixed. */
  readonly stored: FieldDefinition | undefined;
}

/** A class while it is edited. */
export interface ClassDraft {
  readonly name: string;
  readonly description: string;
  readonly group: string;
  readonly group_permissions: ClassPermission;
  readonly other_permissions: ClassPermission;
  /** JSON text. */
  readonly metadata: string;
  readonly fields: readonly FieldDraft[];
}

let lastRow = 0;

/** Returns the row of a stored field, or of a new one. */
export function draftField(field?: FieldDefinition): FieldDraft {
  lastRow += 1;
  return {
    name: field?.name ?? '',
    type: field?.type ?? 'string',
    filter_index: field?.filter_index ?? false,
    order_index: field?.order_index ?? false,
    unique: Boolean(field?.unique),
    private: field?.private ?? false,
    target: field?.target ?? 'self',
    row: lastRow,
    stored: field,
  };
}

/** Returns a class to edit; without a record, a new one. */
export function draftClass(record?: ClassRecord): ClassDraft {
  return {
    name: record?.name ?? '',
    description: record?.description ?? '',
    group: record?.group == null ? '' : String(record.group),
    group_permissions: record?.group_permissions ?? 'create_objects',
    other_permissions: record?.other_permissions ?? 'create_objects',
    metadata: writeExactJson(record?.metadata ?? {}, 2),
    fields: (record?.schema ?? []).map(draftField),
  };
}

/** Checks whether fields of a type have an option. */
export function hasOption(type: ClassFieldType, option: FieldOption): boolean {
  return fieldOptions[type].includes(option);
}

/** Returns the definition of a field, without the keys that its type does not have. */
export function definitionOf(field: FieldDraft): FieldDefinition {
  const { name, type, target, stored } = field;
  const flags = (['filter_index', 'order_index', 'unique', 'private'] as const).filter(
    (flag) => hasOption(type, flag) && field[flag],
  );
  return {
    name,
    type,
    ...Object.fromEntries(flags.map((flag) => [flag, true])),
    ...(hasOption(type, 'target') && { target }),
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
export interface ChangeCost {
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
    sameTarget(other.target, field.target)
  );
}

function sameTarget(one: string | undefined, other: string | undefined): boolean {
  return one?.toLowerCase() === other?.toLowerCase();
}

function isIndexed(field: FieldDefinition | undefined): boolean {
  return Boolean(field?.filter_index || field?.order_index || field?.unique);
}

/** Returns the position of the field that an error of the schema is about, if it names one. */
export function positionOf(problem: ApiProblem | undefined): number | undefined {
  const found = /^Error processing field definition .* #(\d+): /s.exec(
    problem?.fields.schema ?? '',
  );
  return found === null ? undefined : Number(found[1]);
}
