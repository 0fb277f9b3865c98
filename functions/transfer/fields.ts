import { objectPermissions } from '../../shared/classes/rules/permissions.ts';
import { computed, defineFields, text } from '../../shared/core/family.ts';
import { choiceField, flagField, json } from '../../shared/core/resource/field.ts';
import { messages } from '../../shared/values/errors/messages.ts';
import { isJsonObject, type JsonObject, jsonTypeName } from '../../shared/values/json/json.ts';
import { readJson } from '../../shared/values/json/json-values.ts';
import { recordId } from '../../shared/values/record-id.ts';
import { read, reject, type ValueResult } from '../../shared/values/scalars.ts';
import { slug } from '../../shared/values/text/slug.ts';
import {
  datetime,
  email as emailValue,
  integer,
  schemaOf,
  text as textValue,
  word,
} from '../../shared/values/values.ts';

/** Kinds of records, in the order in which an instance is imported. */
export const transferKinds = ['groups', 'users', 'objects'] as const;
export type TransferKind = (typeof transferKinds)[number];

/** Records of one request (docs/reference/transfer.md#pages). */
export const maxRecords = 100;

const maxNumber = 2_147_483_647;

/** Fields of an import (docs/reference/transfer.md#import). */
export const importFields = defineFields({
  kind: {
    type: 'choice',
    writable: 'always',
    required: true,
    input: word(transferKinds),
    choices: transferKinds,
  },
  class: text(64),
  records: {
    type: 'list',
    writable: 'always',
    input: schemaOf(readRecords),
    initial: [],
    child: computed('nested object', { children: {}, isOpen: true }),
  },
  reserve: {
    type: 'integer',
    writable: 'always',
    input: integer({ min: 0, max: maxNumber }),
    initial: 0,
    minValue: 0,
    maxValue: maxNumber,
  },
});

function readRecords(input: unknown): ValueResult<readonly JsonObject[]> {
  const parsed = readJson(input);
  const value = parsed.ok ? parsed.value : input;
  if (!Array.isArray(value)) return reject(messages.notList(jsonTypeName(value)));
  if (value.length > maxRecords) return reject(messages.tooManyItems(maxRecords));
  const other = value.find((record) => !isJsonObject(record));
  if (other !== undefined) return reject(messages.notDictionary(jsonTypeName(other)));
  return read(value as readonly JsonObject[]); // each was checked
}

function id() {
  return json(recordId(), { required: true, shows: 'integer' });
}

function moment() {
  return { type: 'datetime', writable: 'always', required: true, input: datetime() } as const;
}

function otherId() {
  return json(recordId(), { nullable: true, initial: null, shows: 'integer' });
}

/** Fields of the record of an object, in addition to those of its class (docs/reference/transfer.md#objects). */
export const objectRecord = defineFields({
  id: id(),
  created_at: moment(),
  updated_at: moment(),
  revision: {
    type: 'integer',
    writable: 'always',
    required: true,
    input: integer({ min: 1, max: maxNumber }),
  },
  owner: otherId(),
  owner_permissions: choiceField(objectPermissions, 'full'),
  group: otherId(),
  group_permissions: choiceField(objectPermissions, 'none'),
  other_permissions: choiceField(objectPermissions, 'none'),
  channel: json(textValue({ max: 64 }), { nullable: true, initial: null, shows: 'string' }),
  channel_room: json(textValue({ max: 64, blank: true }), {
    nullable: true,
    initial: null,
    shows: 'string',
  }),
});

/** Fields of the record of a user (docs/reference/transfer.md#users). */
export const userRecord = defineFields({
  id: id(),
  username: text(64, { required: true }),
  password: json(textValue({ max: 256 }), { nullable: true, initial: null, shows: 'string' }),
  is_confirmed: flagField(),
  email: json(emailValue({ max: 254 }), { nullable: true, initial: null, shows: 'string' }),
  is_email_confirmed: flagField(),
  profile: id(),
  groups: json(schemaOf(readIds), { initial: [], shows: 'list' }),
});

const maxGroups = 32; // docs/reference/limits.md#accounts-and-instances

function readIds(input: unknown): ValueResult<readonly number[]> {
  if (!Array.isArray(input)) return reject(messages.notList(jsonTypeName(input)));
  if (input.length > maxGroups) return reject(messages.tooManyItems(maxGroups));
  if (!input.every(isId)) return reject(messages.notInteger);
  return read([...new Set(input)].sort((a, b) => a - b));
}

function isId(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= maxNumber;
}

/** Fields of the record of a group (docs/reference/transfer.md#groups). */
export const groupRecord = defineFields({
  id: id(),
  name: json(slug(), { nullable: true, initial: null, shows: 'string' }),
  label: text(64),
  description: text(256),
});
