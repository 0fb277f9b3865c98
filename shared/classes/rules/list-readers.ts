import { dataMessages } from '../../values/errors/data-messages.ts';
import { messages } from '../../values/errors/messages.ts';
import { ExactNumber } from '../../values/json/exact-number.ts';
import { isJsonObject, type Json, type JsonObject } from '../../values/json/json.ts';
import { readDoubles, readJson, readWellFormed } from '../../values/json/json-values.ts';
import { quoteValue, read, reject, type ValueResult } from '../../values/scalars.ts';
import type { Held } from './field-types.ts';

type Member = string | boolean | number;

/**
 * Reads an array: a list of texts, booleans and numbers, JSON text of one, or on updates the operators `_add`,
 * `_addunique` and `_remove`, applied in this order (docs/reference/objects.md#operators).
 */
export function readArray(input: unknown, held: Held): ValueResult<Json> {
  const parsed = readJson(input);
  if (!parsed.ok) return reject(dataMessages.notArray);
  const { value } = parsed;
  if (Array.isArray(value)) return readMembers(value);
  const isOperation = isJsonObject(value) && hasOnly(value, ['_add', '_addunique', '_remove']);
  return held.isUpdate && isOperation
    ? changeArray(value, Array.isArray(held.value) ? held.value : [])
    : reject(dataMessages.notArray);
}

function readMembers(list: readonly unknown[]): ValueResult<readonly Member[]> {
  if (list.every(isMember)) return readWellFormed(list);
  const doubles = readDoubles(list);
  if (!doubles.ok) return doubles;
  const members = doubles.value as readonly unknown[]; // the shape is unchanged
  return members.every(isMember) ? readWellFormed(members) : reject(dataMessages.arrayMembers);
}

function isMember(value: unknown): value is Member {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

/** Applies operators to an array. Texts, numbers and booleans are never equal to one another, as in a Set. */
function changeArray(operation: JsonObject, current: readonly Json[]): ValueResult<Json> {
  const add = readMembers(operand(operation, '_add'));
  if (!add.ok) return add;
  const addUnique = readMembers(operand(operation, '_addunique'));
  if (!addUnique.ok) return addUnique;
  const remove = readMembers(operand(operation, '_remove'));
  if (!remove.ok) return remove;
  const added = [...current, ...add.value];
  const present = new Set(added);
  const removed = new Set<Json>(remove.value);
  const all = [...added, ...addUnique.value.filter((member) => !present.has(member))];
  return read(all.filter((member) => !removed.has(member)));
}

const maxIds = 1000; // docs/reference/objects.md#references. Of the resulting ids, each counted once
const maxId = 2147483647; // ids are signed 32 bit numbers in clients

/**
 * Reads a relation: a list of ids, or on updates the operators `_add` and `_remove`. Returns ids ascending, each once;
 * an empty list is null. Drops numbers that cannot be ids, like ids that do not exist
 * (docs/reference/objects.md#operators).
 */
export function readRelation(value: unknown, held: Held): ValueResult<Json> {
  if (value === null) return read(null);
  if (Array.isArray(value)) return readIds(value);
  if (!isJsonObject(value)) return reject(dataMessages.notRelation);
  const isOperation = hasOnly(value, ['_add', '_remove']);
  if (!isOperation) return reject(dataMessages.notArray);
  return held.isUpdate
    ? changeRelation(value, Array.isArray(held.value) ? held.value : [])
    : reject(dataMessages.notRelation);
}

function changeRelation(operation: JsonObject, current: readonly Json[]): ValueResult<Json> {
  const removed = operand(operation, '_remove');
  if (!removed.every(isInteger)) return reject(memberFault(removed));
  const gone = new Set<Json>(removed);
  return readIds([...current, ...operand(operation, '_add')].filter((id) => !gone.has(id)));
}

function readIds(list: readonly unknown[]): ValueResult<Json> {
  if (!list.every(isInteger)) return reject(memberFault(list));
  const ids = [...new Set(list)].filter((id) => id > 0 && id <= maxId).sort((a, b) => a - b);
  if (ids.length > maxIds) return reject(dataMessages.relationTooLong(maxIds));
  return read(ids.length === 0 ? null : ids);
}

/** Returns the message for a list whose members are not all ids. */
function memberFault(list: readonly unknown[]): string {
  const large = list.find((id) => id instanceof ExactNumber && id.isInteger);
  return large === undefined ? dataMessages.relationMembers : messages.noSuchPk(quoteValue(large));
}

function isInteger(value: unknown): value is number {
  return Number.isInteger(value);
}

/** Returns the operands of an operator: one value or a list; empty if the operator is absent. */
function operand(operation: JsonObject, operator: string): readonly Json[] {
  const value = operation[operator];
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** Checks whether an object has at least one key, and only these. */
function hasOnly(value: JsonObject, keys: readonly string[]): boolean {
  const own = Object.keys(value);
  return own.length > 0 && own.every((key) => keys.includes(key));
}
