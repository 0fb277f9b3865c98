import type { CompiledClass } from '../../classes/rules/compiled-class.ts';
import { incorrectPage } from '../../values/errors/errors.ts';
import type { Json } from '../../values/json/json.ts';
import { readDatetime, readFloat, type ValueResult } from '../../values/scalars.ts';
import { orderErrors } from './errors.ts';
import { findField, type QueriedObject, type QueryField } from './fields.ts';
import { compareValues } from './match.ts';
import { readOperand, readText, type Scalar } from './operands.ts';

/** Order of a list: by a field, ties by id, all in one direction; null is after all values. */
export interface Order {
  readonly field: QueryField;
  readonly isDescending: boolean;
  /** Whether ids determine the order: it is by id, or by time of creation, which ids follow. */
  readonly isById: boolean;
}

/** Position where a page begins or ends: the object itself is not on it. */
export interface Cursor {
  readonly id: number;
  /** Value of the order field; null also if ids determine the order. */
  readonly value: Scalar | null;
}

/** Fields of every object that lists can be ordered by. */
export const systemOrders: readonly string[] = ['id', 'created_at', 'updated_at'];

/**
 * Parses `order_by` (docs/reference/queries.md#order_by).
 *
 * @param text undefined, or empty as one client sends it: by id
 * @throws ApiError 400
 */
export function parseOrder(text: string | undefined, compiled: CompiledClass): Order {
  const isDescending = text?.startsWith('-') ?? false;
  const name = isDescending ? text?.slice(1) : text || 'id';
  const found = findField(compiled, name ?? 'id');
  switch (found.kind) {
    case 'unknown':
      throw orderErrors.incorrect();
    case 'system': {
      const { field } = found;
      if (field === undefined || !systemOrders.includes(field.name)) throw orderErrors.cannotUse();
      return { field, isDescending, isById: field.name !== 'updated_at' };
    }
    case 'class': {
      const { definition, index } = found.compiled;
      if (definition.order_index !== true || index === 'building') throw orderErrors.noIndex();
      return { field: found.field, isDescending, isById: false };
    }
  }
}

/**
 * Compares two objects by an order, ascending.
 *
 * @returns negative when `a` comes first, never 0 for two objects
 */
export function compareObjects(order: Order, a: QueriedObject, b: QueriedObject): number {
  return compareCursors(cursorOf(order, a), cursorOf(order, b));
}

/** Compares an object with a cursor by an order, ascending; 0 for the cursor's own object. */
export function compareWithCursor(order: Order, object: QueriedObject, cursor: Cursor): number {
  return compareCursors(cursorOf(order, object), cursor);
}

function compareCursors(a: Cursor, b: Cursor): number {
  if (a.value === null || b.value === null) {
    const nulls = Number(a.value === null) - Number(b.value === null);
    return nulls === 0 ? a.id - b.id : nulls;
  }
  return compareValues(a.value, b.value) || a.id - b.id;
}

/** Returns the position of an object in an order. */
export function cursorOf({ field, isById }: Order, object: QueriedObject): Cursor {
  return { id: object.id, value: isById ? null : scalar(field.valueOf(object)) };
}

/** Casts a value: values of fields that can be ordered are scalars. */
function scalar(value: Json | undefined): Scalar | null {
  return value === undefined || value === null ? null : (value as Scalar);
}

/**
 * Returns an object's value as the text of `last_value` in links: undefined if it is null, or if the order is by id
 * itself (docs/reference/paging.md#with-order_by).
 */
export function lastValueOf({ field }: Order, object: QueriedObject): string | undefined {
  if (field.name === 'id') return undefined;
  const value = scalar(field.valueOf(object));
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return value === null ? undefined : String(value);
}

/**
 * Parses `last_value`.
 *
 * @param text undefined: null
 * @throws ApiError 400 when it is invalid for the field
 */
export function parseLastValue({ field, isById }: Order, text: string | undefined): Scalar | null {
  if (text === undefined || field.name === 'id') return null;
  const reading = readLastValue(field, text);
  if (!reading?.ok) throw incorrectPage();
  return isById ? null : reading.value;
}

function readLastValue({ type }: QueryField, text: string): ValueResult<Scalar> | undefined {
  switch (type) {
    case 'datetime':
      return readDatetime(text);
    case 'float':
      return readFloat(text);
    case 'string':
      return readText(text);
    case 'boolean':
      return text === 'True' || text === 'False' ? readOperand(type, text) : undefined;
    default:
      return readOperand(type, text);
  }
}
