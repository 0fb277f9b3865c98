import type { Json } from '../../values/json/json.ts';
import type { ValueSchema } from '../../values/values.ts';
import type { Version } from './versions.ts';

/* What introspection and the interface document describe of a route: fields, links, query parameters. */

/** The type of a field as introspection names it (docs/reference/requests.md#options). */
export type FieldType =
  | 'field'
  | 'string'
  | 'slug'
  | 'email'
  | 'boolean'
  | 'integer'
  | 'choice'
  | 'datetime'
  | 'float'
  | 'file upload'
  | 'list'
  | 'nested object';

/** One field of a resource: the accepted values, the default, and its description for introspection. */
export interface Field {
  readonly type: FieldType;
  /** Absent: read-only. */
  readonly input?: ValueSchema<unknown>;
  /** `create`: later bodies may contain it, but it is ignored; `update`: a create ignores it. */
  readonly writable: 'always' | 'create' | 'update' | 'never';
  /** Required in the body of a create and of a PUT. */
  readonly required?: boolean;
  /** Introspection shows it as required although it has a default (docs/reference/requests.md#options). */
  readonly shownRequired?: boolean;
  readonly nullable?: boolean;
  /** Value when a create omits the field; a required one is never omitted. */
  readonly initial?: Json;
  /** Value when a PUT omits the field; without it the field stays unchanged. */
  readonly putDefault?: Json;
  readonly label?: string;
  readonly helpText?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minValue?: number;
  readonly maxValue?: number;
  readonly choices?: readonly string[];
  readonly children?: Fields;
  /** One element of a list. */
  readonly child?: Field;
  /** Links that the children are shown with, for the interface document. */
  readonly links?: readonly LinkForm[];
  /** A class adds fields of its own to the children. */
  readonly isOpen?: true;
  /** Accepted, but never returned. */
  readonly writeOnly?: true;
  /** Some responses omit it. */
  readonly isOptional?: true;
  /** Some responses show null, which no body may contain. */
  readonly isShownAsNull?: true;
  /** Type of the value of a `field` without children, for the interface document. */
  readonly shows?: 'string' | 'integer' | 'boolean' | 'object' | 'list';
}

/** A link as introspection describes it, and its versions; all when absent. */
export interface LinkForm {
  readonly name: string;
  /** Kind of the target: `list`, `detail`, or the last word of its path. */
  readonly type: string;
  readonly versions?: readonly Version[];
}

/** Fields by name, in display order. */
export type Fields = Readonly<Record<string, Field>>;

/** A query parameter, as the interface document describes it. */
export interface QueryParameter {
  /** `json` is JSON text. */
  readonly type: 'integer' | 'string' | 'boolean' | 'json';
  readonly description: string;
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
}

/** Query parameters by name. */
export type QueryParameters = Readonly<Record<string, QueryParameter>>;
