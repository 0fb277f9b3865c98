import { readDatetimeText } from '../../../shared/values/text/datetime-text.ts';
import type { SchemaField } from './schema.ts';

/** Formats of exports of other systems. */
export const formats = ['parse', 'pocketbase'] as const;
export type ExportFormat = (typeof formats)[number];

/** A record as another system exports it. */
export type ForeignRecord = Readonly<Record<string, unknown>>;

/** Returns the id here of a record of another system; undefined when it is not part of the import. */
export type FindId = (className: string, id: string) => number | undefined;

/** The system fields of a format, and its names that carry no data of an app, or data that have another name here. */
interface Dialect {
  readonly id: string;
  readonly created: string;
  readonly updated: string;
  readonly others: readonly string[];
}

/** The names of each format (docs/guides/moving-data.md). */
export const dialects: Readonly<Record<ExportFormat, Dialect>> = {
  parse: {
    id: 'objectId',
    created: 'createdAt',
    updated: 'updatedAt',
    others: ['ACL', '__type', 'className'], // rights are those of the object; the type is that of the file
  },
  pocketbase: {
    id: 'id',
    created: 'created',
    updated: 'updated',
    others: ['collectionId', 'collectionName', 'expand'], // copies of other records, where they are not names
  },
};

/** Finds the field for a name of another system: `publishedAt` is also `publishedat` or `published_at`. */
export function fieldFor(schema: readonly SchemaField[], name: string): SchemaField | undefined {
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return [name, name.toLowerCase(), snake]
    .map((each) => schema.find((field) => field.name === each))
    .find((field) => field !== undefined);
}

/** What a conversion of a value needs. */
export interface Conversion {
  readonly findId: FindId;
  /** Checks whether the class that a pointer of Parse names is the target of a field. */
  readonly isTarget: (target: string, className: string) => boolean;
  /** Counts values that have no equivalent here. */
  readonly leave: (reason: string, values?: number) => void;
  /** Is told that a time names no zone. */
  readonly onUtcAssumed: () => void;
}

/** Converts a value to that of a field; null where it has none, which is counted. */
export function convertValue(field: SchemaField, value: unknown, call: Conversion): unknown {
  if (isUnset(field, value)) return null;
  switch (field.type) {
    case 'file':
      call.leave('files are not moved');
      return null;
    case 'datetime':
      return timeOf(value, call.onUtcAssumed);
    case 'reference':
      return referenceOf(field, value, call);
    case 'relation':
      return relationOf(field, value, call);
    case 'geopoint':
      return pointOf(value);
    case 'string':
    case 'text':
      return member(value, 'base64') ?? value;
    default:
      return value;
  }
}

/** Returns a time as the interface writes it: a Date of Parse, a time of Firestore, or a text. */
export function timeOf(value: unknown, onUtcAssumed: () => void): string {
  const text = String(member(value, 'iso') ?? firestoreTime(value) ?? value);
  const time = readDatetimeText(text);
  if (time?.isUtcAssumed) onUtcAssumed();
  return time?.value ?? text; // the server rejects any other text
}

/** Checks whether a value says that there is none: PocketBase has an empty text for that. */
function isUnset({ type }: SchemaField, value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return value === '' && type !== 'string' && type !== 'text';
}

/** Returns the id here of the record that a value refers to: a pointer of Parse, or an id of PocketBase. */
function referenceOf(field: SchemaField, value: unknown, call: Conversion) {
  const [one, ...others] = [value].flat(); // PocketBase may have a list of one
  call.leave('a reference has one value', others.length);
  return one === undefined ? null : (idOf(field, one, call) ?? null); // undefined of an empty list
}

function relationOf(field: SchemaField, value: unknown, call: Conversion) {
  if (member(value, '__type') === 'Relation') {
    call.leave(`a Relation of Parse is in a file of its own, _Join:${field.name}:<class>.json`);
    return null;
  }
  return [value]
    .flat()
    .map((each) => idOf(field, each, call))
    .filter((id) => id !== undefined);
}

/** Returns the id here of a record; undefined where there is none, which is counted. */
function idOf({ target = '' }: SchemaField, value: unknown, call: Conversion): number | undefined {
  const className = member(value, 'className');
  if (typeof className === 'string' && !call.isTarget(target, className)) {
    call.leave('their records are of another class');
    return undefined;
  }
  const id = member(value, 'objectId') ?? value;
  const isId = typeof id === 'string' || typeof id === 'number';
  const found = isId ? call.findId(target, String(id)) : undefined;
  if (found === undefined) call.leave('their records are in no file');
  return found;
}

/** Returns a point: an object of Parse, PocketBase or Firestore, or a pair in a database of Parse. */
function pointOf(value: unknown) {
  if (Array.isArray(value)) return { longitude: value[0], latitude: value[1] };
  const part = (...names: readonly string[]) =>
    names.map((name) => member(value, name)).find((each) => each !== undefined);
  return {
    longitude: part('longitude', 'lon', '_longitude'),
    latitude: part('latitude', 'lat', '_latitude'),
  };
}

/** Returns the text of a time of Firestore; undefined for other values. */
function firestoreTime(value: unknown): string | undefined {
  const [seconds, nanoseconds] = [member(value, '_seconds'), member(value, '_nanoseconds') ?? 0];
  if (typeof seconds !== 'number') return undefined;
  const fraction = String(nanoseconds).padStart(9, '0').replace(/000$/, '');
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${fraction}Z`;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/**
 * Returns owner and rights by the ACL of a record of Parse: those of everyone, and of one user. Without an ACL, only its
 * owner and administrators have any.
 */
export function rightsOf(
  acl: unknown,
  { findId, leave }: Conversion,
): Readonly<Record<string, unknown>> {
  if (typeof acl !== 'object' || acl === null) return {};
  const everyone = member(acl, '*');
  const others = Object.keys(acl).filter((who) => who !== '*');
  const users = others.map((id) => findId('user', id)).filter((id) => id !== undefined);
  const right = rightOf(everyone);
  const isOwned = users.length === 1;
  leave(
    'rights of roles, and of several users, have no place here',
    others.length - Number(isOwned),
  );
  if (isWriteOnly(everyone)) leave(writeOnly);
  if (!isOwned) return { other_permissions: right };
  const own = member(acl, others.find((id) => findId('user', id) !== undefined) ?? '');
  // what everyone may read, its owner may read as well
  const isBlind = isWriteOnly(own) && right === 'none';
  if (isBlind) leave(writeOnly);
  const ownRight = isWriteOnly(own) && !isBlind ? 'write' : rightOf(own);
  return {
    other_permissions: right,
    owner: users[0],
    ...(ownRight !== 'write' && { owner_permissions: ownRight }),
  };
}

const writeOnly = 'there is no right to write without reading';

function isWriteOnly(rights: unknown): boolean {
  return Boolean(member(rights, 'write')) && !member(rights, 'read');
}

/** Returns the right here: one to write includes reading, so without that there is none. */
function rightOf(rights: unknown): 'write' | 'read' | 'none' {
  if (!member(rights, 'read')) return 'none';
  return member(rights, 'write') ? 'write' : 'read';
}
