import { commitUnique } from '../../store/commit.ts';
import type { Entity } from '../../store/entity.ts';
import type { NamedPositionData } from '../../store/records/records.ts';
import type { Stored, Write } from '../../store/store.ts';
import { createItem, deleteIfExists, putItem, updateItem } from '../../store/writes.ts';
import { invalid } from '../../values/errors/errors.ts';
import { messages } from '../../values/errors/messages.ts';
import type { RowRange } from '../../values/paging.ts';
import { slug } from '../../values/text/slug.ts';
import { defineFields, type Field, type Fields } from './field.ts';
import { type Body, bodyObject, type Values, validInput } from './input.ts';
import { rowsOf } from './page.ts';
import { instanceOf } from './place.ts';
import type { Context } from './route.ts';

/** Common data of an instance's records that are found by name and listed in order of creation. */
export interface Named {
  readonly name: string;
  /** List position; it does not change with the name. */
  readonly row: number;
}

/** Keys of such records and of their list. */
export interface NamedKind<Data extends Named> {
  readonly entity: Entity<Data, [instance: number, name: string]>;
  readonly rowEntity: Entity<
    NamedPositionData,
    [instance: number, row: number],
    [instance: number]
  >;
  /** Data of a record in its list; only the name when absent. */
  readonly rowOf?: (data: Data) => NamedPositionData;
}

/** The name of such a record: a slug, set at creation. */
export const nameField = {
  type: 'slug',
  writable: 'create',
  required: true,
  input: slug(),
  maxLength: 64,
} as const satisfies Field;

/** Fields of a rename. */
export const renameFields = defineFields({ new_name: nameField });

/**
 * Reads the new name from the body of a rename.
 *
 * @throws ApiError 400
 */
export function newName(body: Body): string {
  return readRename(body, renameFields).new_name;
}

/**
 * Reads the body of a rename by the fields of a resource.
 *
 * @throws ApiError 400
 */
export function readRename<F extends Fields>(body: Body, fields: F): Values<F, 'create'> {
  // deliberate: a missing new name counts as null (docs/reference/data-endpoints.md#names)
  if (!Object.hasOwn(bodyObject(body), 'new_name')) throw invalid({ new_name: [messages.null] });
  return validInput(fields, body, 'create');
}

/** Reads records of a range of the list; an entry without record has no item. */
export async function readNamedRows<Data extends Named>(
  context: Context,
  { entity, rowEntity }: NamedKind<Data>,
  range: RowRange,
): Promise<readonly { readonly pk: number; readonly item: Stored<Data> | undefined }[]> {
  const { store } = context.platform;
  const instance = instanceOf(context);
  const rows = await rowsOf(store, rowEntity, [instance], range);
  const items = await entity.readAll(
    store,
    rows.map(({ item }) => [instance, item.data.name]),
  );
  return rows.map((row, at) => ({ pk: row.pk, item: items[at] }));
}

/** How a record gets its name. */
export interface Taking<Data extends Named> {
  readonly data: Data;
  /** The record that has the name now. */
  readonly holder: Stored<Data> | undefined;
  /** Checks whether the holder represents something; otherwise its name is free. Absent: it does. */
  readonly isLiving?: (holder: Data) => boolean;
  /** The field that contained the name. */
  readonly field: 'name' | 'new_name';
  /** Further writes of the same transaction. */
  readonly more?: readonly Write[];
}

/**
 * Puts a record under a free name, at its list position.
 *
 * @throws ApiError 400 when the name is taken; ConditionFailed after a write conflict
 */
export async function takeName<Data extends Named>(
  context: Context,
  kind: NamedKind<Data>,
  { data, holder, isLiving = () => true, field, more = [] }: Taking<Data>,
): Promise<void> {
  const taken = () => invalid({ [field]: [messages.unique] });
  if (holder !== undefined && isLiving(holder.data)) throw taken();
  const own: readonly Write[] =
    holder === undefined
      ? [createItem(kind.entity, kind.entity.key(instanceOf(context), data.name), data)]
      : [updateItem(holder, data), freedRow(context, kind, holder.data)];
  const writes = [...own, ...more, listedRow(context, kind, data)];
  await commitUnique(context, writes, (write) => (write === own[0] ? taken() : undefined));
}

/** Returns the write that puts a record into the list, at its position. */
export function listedRow<Data extends Named>(
  context: Context,
  { rowEntity, rowOf }: NamedKind<Data>,
  data: Data,
): Write {
  const { name, row } = data;
  return putItem(rowEntity, rowEntity.key(instanceOf(context), row), rowOf?.(data) ?? { name });
}

/** Returns the write that deletes a record from the list. */
export function freedRow<Data extends Named>(
  context: Context,
  { rowEntity }: NamedKind<Data>,
  { row }: Named,
): Write {
  const key = rowEntity.key(instanceOf(context), row);
  return deleteIfExists(key);
}
