import { roles } from '../../values/access.ts';
import type { Json } from '../../values/json/json.ts';
import {
  choice as choiceValue,
  email as emailValue,
  flag as flagValue,
  integer as integerValue,
  metadata as metadataValue,
  text as textValue,
  type ValueSchema,
} from '../../values/values.ts';
import type { Version } from './versions.ts';

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
  /** Value when a create omits the field. */
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

/** What a field may add to its type. */
type Extra = Partial<Omit<Field, 'type' | 'input'>>;

/** Describes a read-only field. */
export function computed(type: FieldType = 'field', extra: Extra = {}): Field {
  return { type, writable: 'never', ...extra };
}

/** Describes text of `min` to `max` characters; optional and possibly blank unless `required`. */
export function text(
  max: number | undefined,
  extra: Extra & { readonly min?: number } = {},
): Field {
  const { min, ...rest } = extra;
  const isRequired = rest.required === true;
  return {
    type: 'string',
    writable: 'always',
    input: textValue({
      blank: !isRequired,
      ...(max === undefined ? {} : { max }),
      ...(min === undefined ? {} : { min }),
    }),
    ...(isRequired ? {} : { initial: '' }),
    ...(min === undefined ? {} : { minLength: min }),
    ...(max === undefined ? {} : { maxLength: max }),
    ...rest,
  };
}

/** Describes free text of at most 256 characters, initially empty. */
export function description(): Field {
  return text(256);
}

/** Describes an e-mail address of at most 254 characters. */
export function email(extra: Extra = {}): Field {
  const max = 254;
  return {
    type: 'email',
    writable: 'always',
    required: true,
    input: emailValue({ max }),
    maxLength: max,
    ...extra,
  };
}

/** Describes a boolean, initially false. */
export function flag(): Field {
  return { type: 'boolean', writable: 'always', input: flagValue(), initial: false };
}

/** Describes the revision that an update expects; no response contains it. */
export function expectedRevision(): Field {
  return { type: 'integer', writable: 'update', writeOnly: true, input: integerValue() };
}

/** Describes one of `choices`. */
export function choice<const Word extends string>(
  choices: readonly Word[],
  initial: Word,
  extra: Extra = {},
): Field {
  return {
    type: 'choice',
    writable: 'always',
    input: choiceValue(choices),
    initial,
    putDefault: initial,
    choices,
    ...extra,
  };
}

/** Describes the role of an administrator: the word, or its number from 1; a PUT without it sets `full`. */
export function role(): Field {
  return { ...choice(roles, 'full'), input: choiceValue(roles, 1) };
}

/** Describes a JSON value that `input` checks. */
export function json(input: ValueSchema<unknown>, extra: Extra = {}): Field {
  return { type: 'field', writable: 'always', input, ...extra };
}

/** Describes a small free object; a PUT without it empties it. */
export function metadata(): Field {
  return json(metadataValue(), { initial: {}, putDefault: {}, shows: 'object' });
}
