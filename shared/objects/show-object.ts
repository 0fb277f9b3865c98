import { compiledClass } from '../classes/compiled-classes.ts';
import { type CompiledClass, pieceOf, showValues } from '../classes/rules/compiled-class.ts';
import { cachedBody, type ItemBody } from '../core/http/response-cache.ts';
import { instanceBase, type Link, linksOf } from '../core/resource/links.ts';
import type { Context } from '../core/routing/route.ts';
import type { Stored } from '../store/store.ts';
import { type Shape, TextItem } from '../store/text-item.ts';
import { type ObjectHead, readObjectHead } from '../table/records/object-text.ts';
import type { ClassData, ObjectData } from '../table/records/records.ts';
import { BodyText } from '../values/json/body-text.ts';
import type { Json, JsonObject } from '../values/json/json.ts';
import { MemberReader } from '../values/json/member-reader.ts';

/**
 * Formats an object, without its links (docs/reference/objects.md#record).
 *
 * @param addresses of its private files, for a response to a caller who may read it; absent: their keys are shown
 */
export function showObject(
  compiled: CompiledClass,
  data: ObjectData,
  addresses?: FileAddresses,
): Record<string, Json> {
  const shown: Record<string, Json> = {
    id: data.id,
    created_at: data.created_at,
    updated_at: data.updated_at,
    revision: data.revision,
    owner: data.owner,
    owner_permissions: data.owner_permissions,
    group: data.group,
    group_permissions: data.group_permissions,
    other_permissions: data.other_permissions,
    channel: data.channel,
    channel_room: data.channel_room,
  };
  showValues(compiled, data.values, shown);
  if (addresses !== undefined) setAddresses(compiled, { data, addresses }, shown);
  return shown;
}

/** Signed addresses of private files, by their keys. */
export type FileAddresses = ReadonlyMap<Json | undefined, string>;

function setAddresses(
  { fields }: CompiledClass,
  { data, addresses }: Pick<ShownObject, 'data'> & { readonly addresses: FileAddresses },
  shown: Record<string, Json>,
): void {
  for (const { name, type, storage } of fields) {
    const address = type === 'file' ? addresses.get(data.values[storage]) : undefined;
    if (address !== undefined) shown[name] = { type, value: address };
  }
}

/** Returns an object with its links, for responses of other paths than its own. */
export function wholeObject(
  context: Context,
  classRecord: Stored<ClassData>,
  view: ShownObject,
): JsonObject {
  const form = compiledClass(context.caches, classRecord);
  return withLinks(context, { form, list: objectListPath(context, classRecord) }, view);
}

/** Returns the path of the list of a class's objects. */
export function objectListPath(context: Context, { data }: Stored<ClassData>): string {
  return `${instanceBase(context)}/classes/${data.name}/objects/`;
}

/**
 * Creates a function that returns the body of an object. It is made from the object's text where that is known; of one
 * that was read, it is cached.
 *
 * @param list path of the list of the class's objects
 */
export function objectBodies(
  context: Context,
  classRecord: Stored<ClassData>,
  list: string,
): (view: ShownObject) => ItemBody {
  const shape = { form: compiledClass(context.caches, classRecord), list };
  return (view) => {
    const { text, at } = view;
    if (text === undefined) return withLinks(context, shape, view);
    const write = () =>
      writeObject(context, shape, { text, at }) ?? JSON.stringify(withLinks(context, shape, view));
    return view instanceof TextItem ? cachedBody(view, shape, write) : new BodyText(write());
  };
}

/** An object to show. */
export interface ShownObject {
  readonly data: ObjectData;
  /** Addresses of its private files, see `withAddresses`. They are of one caller and expire, so never in a text. */
  readonly addresses?: FileAddresses | undefined;
  /** Text that ends with the JSON of the data, where it is known. */
  readonly text?: string | undefined;
  /** Position in the text where that JSON begins; 0 when absent. */
  readonly at?: number | undefined;
}

/** How objects are shown. */
interface ObjectShape extends Shape {
  readonly form: CompiledClass;
}

function withLinks(context: Context, { form, list }: ObjectShape, view: ShownObject): JsonObject {
  const shown = showObject(form, view.data, view.addresses);
  shown.links = linksOf(context, objectLinks, `${list}${view.data.id}/`, view);
  return shown;
}

/** Returns the JSON of {@link withLinks}, made of that of the object; undefined when its members have another order. */
function writeObject(
  context: Context,
  { form: { fields, pieces }, list }: ObjectShape,
  { text, at: start }: { readonly text: string; readonly at: number | undefined },
): string | undefined {
  const head = readObjectHead(text, start);
  if (head === undefined) return undefined;
  const made = [...pieces];
  made[0] = head.shown;
  const members = new MemberReader(text, head.valuesAt);
  let next = 0; // most objects have all fields, in their order
  while (members.next()) {
    const { name } = members;
    const at = fields[next]?.storage === name ? next : positionOf(fields, name);
    const field = fields[at];
    if (field === undefined) continue; // a value of a former field
    made[pieceOf(at)] = field.showText(members.value);
    next = at + 1;
  }
  made[pieceOf(fields.length)] = writeLinks(context, `${list}${head.id}/`, head);
  return made.join(''); // a flat text, not a tree of pieces, which each response would walk through
}

function writeLinks(context: Context, self: string, head: ObjectHead): string {
  const { owner, group, channel } = head;
  // most objects: a path of plain characters, which JSON writes as they are
  if (owner === null && group === null && channel === null) return `{"self":"${self}"}`;
  return JSON.stringify(linksOf(context, objectLinks, self, { data: head }));
}

function positionOf(fields: CompiledClass['fields'], name: string): number {
  return fields.findIndex(({ storage }) => storage === name);
}

/** Links of an object: to itself, its owner, group and channel. */
export const objectLinks: readonly Link<{
  readonly data: Pick<ObjectData, 'owner' | 'group' | 'channel'>;
}>[] = [
  { name: 'self', type: 'detail', to: '' },
  {
    name: 'owner',
    type: 'detail',
    to: ({ data }, base) => (data.owner === null ? undefined : `${base}/users/${data.owner}/`),
  },
  {
    name: 'group',
    type: 'detail',
    to: ({ data }, base) => (data.group === null ? undefined : `${base}/groups/${data.group}/`),
  },
  {
    name: 'channel',
    type: 'detail',
    to: ({ data }, base) =>
      data.channel === null ? undefined : `${base}/channels/${data.channel}/`,
  },
];
