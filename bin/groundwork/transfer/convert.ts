import { toDatetime } from '../../../shared/values/text/datetime-text.ts';
import type { SchemaField } from './schema.ts';

/** Formats of exports of other systems. */
export const formats = ['parse', 'pocketbase'] as const;
export type Format = (typeof formats)[number];

/** A record as another system exports it. */
export type ForeignRecord = Readonly<Record<string, unknown>>;

/** Returns the id here of a record of another system; undefined when it is not part of the import. */
export type FindId = (className: string, id: string) => number | undefined;

/** The system fields of a format, and its names that carry no data of an app. */
interface Dialect {
  readonly id: string;
  readonly created: string;
  readonly updated: string;
  readonly others: readonly string[];
}

/** The names of each format (docs/guides/moving-data.md). */
export const dialects: Readonly<Record<Format, Dialect>> = {
  parse: {
    id: 'objectId',
    created: 'createdAt',
    updated: 'updatedAt',
    others: ['ACL', '__type', 'className'],
  },
  pocketbase: {
    id: 'id',
    created: 'created',
    updated: 'updated',
    others: ['collectionId', 'collectionName', 'expand'],
  },
};

/** Finds the field for a name of another system: `publishedAt` is also `publishedat` or `published_at`. */
export function fieldFor(schema: readonly SchemaField[], name: string): SchemaField | undefined {
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return [name, name.toLowerCase(), snake]
    .map((each) => schema.find((field) => field.name === each))
    .find((field) => field !== undefined);
}

/** Converts a value to that of a field; null where it has none, as for files, which are not moved. */
export function convertValue(field: SchemaField, value: unknown, findId: FindId): unknown {
  if (isUnset(field, value)) return null;
  switch (field.type) {
    case 'datetime':
      return toDatetime(String(member(value, 'iso') ?? value));
    case 'reference':
      return idOf(field, value, findId) ?? null;
    case 'relation':
      return [value].flat().flatMap((each) => idOf(field, each, findId) ?? []);
    case 'geopoint':
      return {
        longitude: member(value, 'longitude') ?? member(value, 'lon'),
        latitude: member(value, 'latitude') ?? member(value, 'lat'),
      };
    case 'string':
    case 'text':
      return member(value, 'base64') ?? value;
    default:
      return value;
  }
}

function isUnset({ type }: SchemaField, value: unknown): boolean {
  if (value === null || value === undefined || type === 'file') return true;
  return value === '' && type !== 'string' && type !== 'text';
}

/** Returns the id here of the record that a value refers to: a pointer of Parse, or an id of PocketBase. */
function idOf({ target = '' }: SchemaField, value: unknown, findId: FindId): number | undefined {
  const one = Array.isArray(value) ? value[0] : value; // PocketBase may have a list of one
  const id = member(one, 'objectId') ?? one;
  return typeof id === 'string' ? findId(target, id) : undefined;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** Returns owner and rights by the ACL of a record of Parse; without one, only its owner and administrators have any. */
export function rightsOf(acl: unknown, findId: FindId): Readonly<Record<string, unknown>> {
  if (typeof acl !== 'object' || acl === null) return {};
  const everyone = member(acl, '*');
  const users = Object.keys(acl).flatMap((id) => findId('user', id) ?? []);
  const right = member(everyone, 'write') ? 'write' : member(everyone, 'read') ? 'read' : 'none';
  return { other_permissions: right, ...(users.length === 1 && { owner: users[0] }) };
}
