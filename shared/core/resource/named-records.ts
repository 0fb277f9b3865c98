import { commitUnique } from '../../store/commit.ts';
import type { Entity } from '../../store/entity.ts';
import type { Put, Stored, Write } from '../../store/store.ts';
import {
  createItem,
  createOrUpdate,
  deleteIfExists,
  putItem,
  updateItem,
} from '../../store/writes.ts';
import type { NamedPositionData } from '../../table/records/records.ts';
import { invalid } from '../../values/errors/errors.ts';
import { messages } from '../../values/errors/messages.ts';
import type { ItemRange } from '../../values/paging.ts';
import { slug } from '../../values/text/slug.ts';
import type { Body } from '../http/body/body.ts';
import { queryValue } from '../http/message.ts';
import type { Field, Fields } from '../routing/forms.ts';
import type { Context } from '../routing/route.ts';
import { instanceOf } from './context-values.ts';
import { defineFields } from './field.ts';
import { bodyObject, type Values, validInput } from './input.ts';
import { cut, gather, itemsIn, itemsOf, type ListItem, type ListItems } from './page.ts';

/** Common data of an instance's records that are found by name and listed in order of creation. */
export interface Named {
  readonly name: string;
  /** List position; it does not change with the name. */
  readonly row: number;
}

/** Keys of such records and of their list. */
export interface NamedKind<Data extends Named> {
  readonly entity: Entity<Data, [instance: number, name: string]>;
  readonly positionEntity: Entity<
    NamedPositionData,
    [instance: number, row: number],
    [instance: number]
  >;
  /** Data of a record in its list; only the name when absent. */
  readonly positionDataOf?: (data: Data) => NamedPositionData;
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
export async function readNamedItems<Data extends Named>(
  context: Context,
  { entity, positionEntity }: NamedKind<Data>,
  range: ItemRange,
): Promise<readonly { readonly pk: number; readonly item: Stored<Data> | undefined }[]> {
  const { store } = context.platform;
  const instance = instanceOf(context);
  const listItems = await itemsOf(store, positionEntity, [instance], range);
  const items = await entity.readAll(
    store,
    listItems.map(({ item }) => [instance, item.data.name]),
  );
  return listItems.map((listItem, at) => ({ pk: listItem.pk, item: items[at] }));
}

/** Returns a record that every instance has before it is stored; its version is empty. */
export function unwritten<Data extends Named>(
  entity: NamedKind<Data>['entity'],
  instance: number,
  data: Data,
): Stored<Data> {
  return { key: entity.key(instance, data.name), kind: entity.kind, version: '', data };
}

/** Returns the write of a changed record. One that is {@link unwritten} is created. */
export function changedRecord<Data extends Named>(current: Stored<Data>, data: Data): Put {
  const { key, version } = current;
  return createOrUpdate(current, { key, current: version === '' ? undefined : current }, data);
}

/** A list with some records that may not be stored yet. */
interface PartlyWritten<Data extends Named> {
  readonly range: ItemRange;
  /** As they are when they are not stored. */
  readonly unwritten: readonly Stored<Data>[];
  readonly isShown: (data: Data) => boolean;
}

/** Reads the records of a range whose names begin as the request asks. */
export async function readPartlyWritten<Data extends Named>(
  context: Context,
  kind: NamedKind<Data>,
  { range, unwritten: all, isShown }: PartlyWritten<Data>,
): Promise<ListItems<Data>> {
  const prefix = queryValue(context.request.query, 'name__startswith') ?? '';
  const isKept = ({ item: { data } }: ListItem<Data>) =>
    data.name.startsWith(prefix) && isShown(data);
  const mayFollow = all.map((item) => ({ pk: item.data.row, item })).filter(isKept);
  const [written, others] = await Promise.all([
    gather(range, (part) => readNamedItems(context, kind, part), isKept),
    withoutStored(context, kind, cut(mayFollow, { ...range, limit: all.length })),
  ]);
  const listItems = cut([...itemsIn(written), ...others], range);
  return 'isUndecided' in written && listItems.length < range.limit
    ? { listItems, isUndecided: true }
    : listItems;
}

async function withoutStored<Data extends Named>(
  context: Context,
  { entity }: NamedKind<Data>,
  listItems: readonly ListItem<Data>[],
): Promise<readonly ListItem<Data>[]> {
  const instance = instanceOf(context);
  const stored = await entity.readAll(
    context.platform.store,
    listItems.map(({ item }) => [instance, item.data.name]),
  );
  return listItems.filter((_, at) => stored[at] === undefined);
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
  const nameTaken = () => invalid({ [field]: [messages.unique] });
  if (holder !== undefined && isLiving(holder.data)) throw nameTaken();
  const own: readonly Write[] =
    holder === undefined
      ? [createItem(kind.entity, kind.entity.key(instanceOf(context), data.name), data)]
      : [updateItem(holder, data), freedPosition(context, kind, holder.data)];
  const writes = [...own, ...more, listPositionWrite(context, kind, data)];
  await commitUnique(context, writes, (write) => (write === own[0] ? nameTaken() : undefined));
}

/** Returns the write that puts a record into the list, at its position. */
export function listPositionWrite<Data extends Named>(
  context: Context,
  { positionEntity, positionDataOf }: NamedKind<Data>,
  data: Data,
): Write {
  const { name, row: position } = data;
  return putItem(
    positionEntity,
    positionEntity.key(instanceOf(context), position),
    positionDataOf?.(data) ?? { name },
  );
}

/** Returns the write that deletes a record from the list. */
export function freedPosition<Data extends Named>(
  context: Context,
  { positionEntity }: NamedKind<Data>,
  { row: position }: Named,
): Write {
  const key = positionEntity.key(instanceOf(context), position);
  return deleteIfExists(key);
}
