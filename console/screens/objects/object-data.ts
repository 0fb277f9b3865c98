import type { ClassFieldType, FieldDefinition } from '../../../shared/classes/rules/field-types.ts';
import { writeExactJson } from '../../../shared/values/json/exact-number.ts';
import { at, below, type RequestPath } from '../../../shared/values/text/request-path.ts';
import { send } from '../../core/api.ts';
import type { ApiRequest } from '../../core/request.ts';
import { currentLocation, href } from '../../core/router.ts';
import { type ClassRecord, classPath } from '../data/class-data.ts';

/** An object, as the interface shows it. */
export type ObjectRecord = Readonly<Record<string, unknown>> & {
  readonly id: number;
  readonly revision: number;
};

/** A field of the class, or one that every object has. */
export interface ObjectColumn {
  readonly name: string;
  readonly type: ClassFieldType;
  readonly isSystem: boolean;
  readonly mayFilter: boolean;
  readonly maySort: boolean;
  readonly isUnique: boolean;
  readonly target?: string;
}

/** Where objects are. */
export interface ClassReference {
  readonly instance: string;
  readonly className: string;
}

export const maxCellLength = 200;

/** Fields that only the server writes. */
export const readOnlyFields: readonly string[] = ['id', 'created_at', 'updated_at', 'revision'];

const permissions = ['owner_permissions', 'group_permissions', 'other_permissions'];
/** Columns of the fields that every object has. */
export const systemColumns: readonly ObjectColumn[] = [
  system('id', 'integer', { maySort: true }),
  system('created_at', 'datetime', { maySort: true }),
  system('updated_at', 'datetime', { maySort: true }),
  system('revision', 'integer'),
  { ...system('owner', 'reference'), target: 'user' },
  system('group', 'integer'),
  ...permissions.map((name) => system(name, 'string', { mayFilter: false })),
  system('channel', 'string'),
  system('channel_room', 'string'),
];

function system(
  name: string,
  type: ClassFieldType,
  more: Partial<ObjectColumn> = {},
): ObjectColumn {
  return { name, type, isSystem: true, mayFilter: true, maySort: false, isUnique: false, ...more };
}

/** Returns the columns of a class: its own fields, then those that every object has. */
export function columnsOf({ schema }: ClassRecord): readonly ObjectColumn[] {
  return [...schema.map(toColumn), ...systemColumns];
}

function toColumn(field: FieldDefinition): ObjectColumn {
  const { name, type, target } = field;
  const isUnique = field.unique === true;
  return {
    name,
    type,
    isSystem: false,
    mayFilter: field.filter_index === true || isUnique,
    maySort: field.order_index === true,
    isUnique,
    ...(target !== undefined && { target }),
  };
}

/** Returns the texts of a class by which people know its objects, the likeliest first. */
export function nameFields(
  fields: readonly Pick<FieldDefinition, 'name' | 'type'>[],
): readonly string[] {
  const texts = fields.filter(({ type }) => type === 'string').map(({ name }) => name);
  const isName = (text: string) => Number(/name|title|label/i.test(text));
  return texts.toSorted((one, other) => isName(other) - isName(one));
}

/** Returns the path of the objects of a class. */
export function objectsPath({ instance, className }: ClassReference): RequestPath {
  return below(classPath(instance, className))`objects/`;
}

/** Returns the path of an object. */
export function objectPath(ofClass: ClassReference, id: number): RequestPath {
  return below(objectsPath(ofClass))`${id}/`;
}

/** Returns the place in the console of the grid of a class. */
export function gridLocation({ instance, className }: ClassReference): RequestPath {
  return at`/i/${instance}/data/${className}`;
}

/** Returns the place in the console of an object; with `new`, of the form for one. */
export function objectLocation(ofClass: ClassReference, id: number | 'new'): RequestPath {
  return below(gridLocation(ofClass))`/${id}`;
}

/** Returns the parameters of the current place that say what the grid lists: they stay while a drawer is over it. */
export function gridQuery(): Readonly<Record<string, string>> {
  const all = [...currentLocation.value.query];
  return Object.fromEntries(all.filter(([name]) => gridParameterNames.includes(name)));
}

const gridParameterNames = ['query', 'order_by', 'columns'];

/** Returns the address of an object in a drawer over the current grid. */
export function drawerHref(ofClass: ClassReference, id: number | 'new', field?: string): string {
  return href(objectLocation(ofClass, id), { ...gridQuery(), field });
}

/** Reads an object. */
export function readObject(
  ofClass: ClassReference,
  id: number,
  more: Pick<ApiRequest, 'query' | 'signal'> = {},
): Promise<ObjectRecord> {
  return send<ObjectRecord>({ method: 'GET', path: objectPath(ofClass, id), ...more });
}

/** Returns the class that a reference or relation refers to; undefined for users. */
export function targetClass(
  { target }: ObjectColumn,
  { className }: ClassReference,
): string | undefined {
  if (target === 'user' || target === undefined) return undefined;
  return target === 'self' ? className : target.toLowerCase();
}

/** Returns the bare value: dates, files and references come in an object that names their type. */
export function bareValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return 'type' in value && 'value' in value && 'target' in value ? value.value : unwrap(value);
}

function unwrap(value: object): unknown {
  const isWrapped = 'type' in value && (value.type === 'datetime' || value.type === 'file');
  return isWrapped && 'value' in value ? value.value : value;
}

/** Returns a value of a column as text; empty when it is not set. */
export function valueText({ type }: Pick<ObjectColumn, 'type'>, value: unknown): string {
  const bare = type === 'object' ? value : bareValue(value);
  if (bare === null || bare === undefined) return '';
  if (type === 'geopoint') {
    const { latitude, longitude } = bare as Readonly<Record<string, unknown>>; // as the interface shows it
    return `${latitude}, ${longitude}`;
  }
  if (type === 'relation' && Array.isArray(bare)) return bare.join(', ');
  return typeof bare === 'string' ? bare : writeExactJson(bare);
}
