import { parseExactJson } from '../../../../shared/values/json/exact-number.ts';
import type { ForeignRecord } from '../convert.ts';

/* Documents of Parse Server's database, as mongoexport writes them, become the records of Parse's own exports. */

/** Checks whether a record is a document of a database: it has `_id` in place of `objectId`. */
export function isDocument(record: ForeignRecord): boolean {
  return '_id' in record && !('objectId' in record);
}

const names: Readonly<Record<string, string>> = {
  _id: 'objectId',
  _created_at: 'createdAt',
  _updated_at: 'updatedAt',
};

/** Returns a document as a record of Parse. */
export function parseRecord(document: ForeignRecord): ForeignRecord {
  const { _rperm, _wperm, _acl, ...others } = document;
  const members = Object.entries(others).map(([name, raw]) => {
    const value = plainValue(raw);
    return name.startsWith('_p_')
      ? ([name.slice('_p_'.length), pointerOf(value)] as const)
      : ([names[name] ?? name, value] as const);
  });
  const hasRights = _rperm !== undefined || _wperm !== undefined;
  const acl = hasRights ? aclOf(_rperm, _wperm) : longAcl(_acl); // Parse Server writes both alike
  return { ...Object.fromEntries(members), ...(acl !== undefined && { ACL: acl }) };
}

/** Returns the ACL of those who may read and write. */
function aclOf(readers: unknown, writers: unknown): ForeignRecord {
  const acl: Record<string, Record<string, boolean>> = {};
  for (const who of listOf(readers)) acl[who] = { read: true };
  for (const who of listOf(writers)) acl[who] = { ...acl[who], write: true };
  return acl;
}

/** Returns the names in a list; of nothing else, as rights that are no list are those of nobody. */
function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function pointerOf(value: unknown): unknown {
  const [, className, objectId] = /^([^$]+)\$(.+)$/.exec(String(value)) ?? [];
  return className === undefined ? value : { __type: 'Pointer', className, objectId };
}

function longAcl(acl: unknown): unknown {
  if (typeof acl !== 'object' || acl === null) return acl;
  const entries = Object.entries(acl).map(([who, rights]) => {
    const { r, w } = Object(rights) as { readonly r?: boolean; readonly w?: boolean };
    return [who, { ...(r && { read: true }), ...(w && { write: true }) }] as const;
  });
  return Object.fromEntries(entries);
}

/** Returns a value of MongoDB's extended JSON as plain JSON; of another type, such as `$binary`, as Parse writes it. */
function plainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainValue);
  if (typeof value !== 'object' || value === null || value.constructor !== Object) return value;
  const entries = Object.entries(value);
  const [[name, inner] = ['', undefined]] = entries;
  switch (entries.length === 1 ? name : '') {
    case '$oid':
      return inner;
    case '$date':
      return { __type: 'Date', iso: isoOf(plainValue(inner)) };
    case '$numberInt':
    case '$numberLong':
    case '$numberDouble':
    case '$numberDecimal':
      return readNumber(String(inner)) ?? inner;
    case '$binary':
      return { __type: 'Bytes', ...Object(inner) };
    default:
      return Object.fromEntries(entries.map(([key, each]) => [key, plainValue(each)]));
  }
}

const maxTime = 8.64e15; // milliseconds that a Date can have

function isoOf(time: unknown): unknown {
  const isTime = typeof time === 'number' && Math.abs(time) <= maxTime;
  return isTime ? new Date(time).toISOString() : time;
}

/** Returns a number of extended JSON; undefined for what JSON has no number for, which stays text. */
function readNumber(text: string): unknown {
  if (!/^-?\d/.test(text)) return undefined;
  const number = parseExactJson(text);
  return number === Number.POSITIVE_INFINITY || number === Number.NEGATIVE_INFINITY
    ? undefined
    : number;
}
