/** Who may do what with an object. */
export type ObjectPermission = 'none' | 'read' | 'write' | 'full';

/** What every object has besides the fields of its class. */
export interface DataObject {
  readonly id: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly revision: number;
  readonly owner: number | null;
  readonly owner_permissions: ObjectPermission;
  readonly group: number | null;
  readonly group_permissions: ObjectPermission;
  readonly other_permissions: ObjectPermission;
  readonly channel: string | null;
  readonly channel_room: string | null;
  readonly links: Readonly<Record<string, string>>;
}

/** What can be set when an object is created, besides the fields of its class. */
export interface ObjectInput {
  readonly owner?: number | null | undefined;
  readonly owner_permissions?: ObjectPermission | undefined;
  readonly group?: number | null | undefined;
  readonly group_permissions?: ObjectPermission | undefined;
  readonly other_permissions?: ObjectPermission | undefined;
  /** Name of the channel on which changes of the object are published. */
  readonly channel?: string | null | undefined;
  readonly channel_room?: string | null | undefined;
}

/** What an update can have besides changes. */
export interface ObjectUpdate {
  /** The update fails if the object has another revision. */
  readonly expected_revision?: number | undefined;
}

export interface DateTimeValue {
  readonly type: 'datetime';
  readonly value: string;
}

export interface FileValue {
  readonly type: 'file';
  /** Address of the file, which needs no key. */
  readonly value: string;
}

/** A file, the value that `upload` returns, or a file of the same instance. */
export type FileInput = Blob | string | FileValue;

/** Refers to an object of the class `target`, or to a user. */
export interface ReferenceValue<Target extends string> {
  readonly type: 'reference';
  readonly target: Target;
  readonly value: number;
}

export interface RelationValue<Target extends string> {
  readonly type: 'relation';
  readonly target: Target;
  readonly value: readonly number[];
}

export type ArrayElement = string | number | boolean;

export interface GeoPointValue {
  readonly type: 'geopoint';
  readonly longitude: number;
  readonly latitude: number;
}

export type GeoPointInput = Omit<GeoPointValue, 'type'>;

export interface JsonObject {
  readonly [name: string]: unknown;
}

/** Changes of the present value, which do not overwrite those of others. */
export interface NumberChange {
  readonly _increment: number;
}

export interface RelationChange {
  readonly _add?: number | readonly number[];
  readonly _remove?: number | readonly number[];
}

export interface ArrayChange {
  readonly _add?: ArrayElement | readonly ArrayElement[];
  readonly _addunique?: ArrayElement | readonly ArrayElement[];
  readonly _remove?: ArrayElement | readonly ArrayElement[];
}

export interface ExistsLookup {
  readonly _exists?: boolean | undefined;
}

export interface ValueLookups<Value> extends ExistsLookup {
  readonly _eq?: Value | undefined;
  readonly _neq?: Value | undefined;
  readonly _gt?: Value | undefined;
  readonly _gte?: Value | undefined;
  readonly _lt?: Value | undefined;
  readonly _lte?: Value | undefined;
  readonly _in?: readonly Value[] | undefined;
  readonly _nin?: readonly Value[] | undefined;
}

/** Lookups that begin with `_i` ignore case. */
export interface TextLookups extends ValueLookups<string> {
  readonly _startswith?: string | undefined;
  readonly _endswith?: string | undefined;
  readonly _contains?: string | undefined;
  readonly _like?: string | undefined;
  readonly _istartswith?: string | undefined;
  readonly _iendswith?: string | undefined;
  readonly _icontains?: string | undefined;
  readonly _ilike?: string | undefined;
  readonly _ieq?: string | undefined;
}

export type DateTimeLookups = ValueLookups<string | Date>;

/** `_is` finds objects that refer to one which the inner query finds. */
export interface ReferenceLookups<Query> extends ValueLookups<number> {
  readonly _is?: InnerQuery<Query> | undefined;
}

export interface RelationLookups<Query> extends ExistsLookup {
  readonly _contains?: readonly number[] | undefined;
  readonly _is?: InnerQuery<Query> | undefined;
}

export interface ArrayLookups {
  readonly _contains?: readonly ArrayElement[] | undefined;
}

export interface GeoLookups extends ExistsLookup {
  readonly _near?: GeoCircle | undefined;
}

/** A circle of 100 miles, if it has no distance. */
export interface GeoCircle {
  readonly longitude: number;
  readonly latitude: number;
  readonly distance_in_kilometers?: number;
  readonly distance_in_miles?: number;
}

/** A query inside `_is` has no other one. */
export type InnerQuery<Query> = {
  readonly [Field in keyof Query]?: Omit<NonNullable<Query[Field]>, '_is'> | undefined;
};

/** Conditions on what every object has. */
export interface ObjectQuery {
  readonly id?: ValueLookups<number> | undefined;
  readonly created_at?: DateTimeLookups | undefined;
  readonly updated_at?: DateTimeLookups | undefined;
  readonly revision?: ValueLookups<number> | undefined;
  readonly owner?: ValueLookups<number> | undefined;
  readonly group?: ValueLookups<number> | undefined;
  readonly channel?: ValueLookups<string> | undefined;
  readonly channel_room?: ValueLookups<string> | undefined;
}

/** A field by which a list is ordered; `-` reverses the order. */
export type OrderBy<Field extends string> = Field | `-${Field}`;
