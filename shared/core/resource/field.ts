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

/** The kind of a field as introspection names it (docs/reference/requests.md#options). */
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

/** One field of a resource: what it accepts, what it does when absent, and how introspection describes it. */
export interface Field {
  readonly type: FieldType;
  /** Absent: read-only. */
  readonly input?: ValueSchema<unknown>;
  /** `create`: later bodies that carry it are read past; `update`: a create reads it past. */
  readonly writable: 'always' | 'create' | 'update' | 'never';
  /** Must be in the body of a create and of a PUT. */
  readonly required?: boolean;
  /** Introspection says required though a default steps in (docs/reference/requests.md#options). */
  readonly shownRequired?: boolean;
  readonly nullable?: boolean;
  /** Taken by a create that does not send the field. */
  readonly initial?: Json;
  /** Taken by a PUT that does not send the field; without it the field stays as it is. */
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
  /** Taken, and in no answer. */
  readonly writeOnly?: true;
  /** What a `field` holds, as far as children do not say it: for the interface document. */
  readonly shows?: 'string' | 'integer' | 'boolean' | 'object' | 'list';
}

/** A link as introspection describes it, and the versions that have it; all when absent. */
export interface LinkForm {
  readonly name: string;
  /** Kind of the target: `list`, `detail`, or the last word of its path. */
  readonly type: string;
  readonly versions?: readonly Version[];
}

/** Fields by name, in display order. */
export type Fields = Readonly<Record<string, Field>>;

/** What a field may add to its kind. */
type Extra = Partial<Omit<Field, 'type' | 'input'>>;

/** A field that only answers. */
export function computed(type: FieldType = 'field', extra: Extra = {}): Field {
  return { type, writable: 'never', ...extra };
}

/** Text of `min` to `max` characters; optional and blank unless `required`. */
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

/** Free text of at most 256 characters, empty at first. */
export function description(): Field {
  return text(256);
}

/** An e-mail address of at most 254 characters. */
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

/** A boolean, false at first. */
export function flag(): Field {
  return { type: 'boolean', writable: 'always', input: flagValue(), initial: false };
}

/** The revision that an update expects to find; no answer shows it. */
export function expectedRevision(): Field {
  return { type: 'integer', writable: 'update', writeOnly: true, input: integerValue() };
}

/** One of `choices`. */
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

/** The role of an administrator: the word, or its number from 1; a PUT without it gives `full`. */
export function role(): Field {
  return { ...choice(roles, 'full'), input: choiceValue(roles, 1) };
}

/** A JSON value that `input` checks. */
export function json(input: ValueSchema<unknown>, extra: Extra = {}): Field {
  return { type: 'field', writable: 'always', input, ...extra };
}

/** A small free object; a PUT without it empties it. */
export function metadata(): Field {
  return json(metadataValue(), { initial: {}, putDefault: {}, shows: 'object' });
}
