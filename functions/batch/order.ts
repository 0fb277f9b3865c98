import { classOf } from '../../shared/classes/class-record.ts';
import { compiledClass } from '../../shared/classes/compiled-classes.ts';
import type { CompiledClass } from '../../shared/classes/rules/compiled-class.ts';
import type { FieldDefinition } from '../../shared/classes/rules/field-types.ts';
import type { Context } from '../../shared/core/family.ts';
import { encodeValue } from '../../shared/table/index-keys.ts';
import type { Json, JsonObject } from '../../shared/values/json/json.ts';
import type { BatchRequest } from './requests.ts';
import type { RoutedItem } from './steps.ts';

/**
 * Returns whether clients can see the order of authorized writes, all in the class of `context`. It is visible when
 * they
 *
 * - refer to objects of the same class: one write may create or delete an object that another refers to;
 * - have a value of a unique field in common, or may free one by an update or a delete;
 * - name a channel: listeners receive the messages in order.
 */
export function isOrderShown(context: Context, items: readonly RoutedItem[]): boolean {
  const classRecord = classOf(context);
  const compiled = compiledClass(context.caches, classRecord);
  const requests = items.map(({ request }) => request);
  const own = compiled.fields.filter(({ definition }) =>
    refersTo(classRecord.data.name, definition),
  );
  const names = ['channel', ...own.map(({ name }) => name)];
  if (requests.some(({ body }) => names.some((name) => sentValue(body, name) !== null)))
    return true;
  const { unique } = compiled;
  if (unique.length === 0) return false;
  return !items.every(isCreate) || unique.some((field) => isShared(field, requests));
}

function refersTo(className: string, { target }: FieldDefinition): boolean {
  const name = target?.toLowerCase();
  return name === 'self' || name === className;
}

/** Checks whether an item creates an object, which is done at the path of their list. */
export function isCreate({ request: { method, path } }: RoutedItem): boolean {
  return method === 'POST' && path.endsWith('/objects/');
}

/** Returns the value of a body for a field; null when it is absent. */
function sentValue(body: JsonObject, name: string): Json {
  return Object.hasOwn(body, name) ? (body[name] ?? null) : null;
}

function isShared(
  { name, type, read }: CompiledClass['fields'][number],
  requests: readonly BatchRequest[],
): boolean {
  const codes = requests.flatMap(({ body }) => {
    const value = sentValue(body, name);
    if (value === null) return [];
    const reading = read(value, { isUpdate: false, value: undefined });
    return reading.ok && reading.value !== null ? [encodeValue(type, reading.value)] : [];
  });
  return new Set(codes).size < codes.length;
}
