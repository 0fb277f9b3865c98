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

/**
 * Declares fields. Keeps the type of each, from which the types of bodies follow ({@link Values}).
 *
 * @example const fields = defineFields({ id: computed('integer'), label: text(64) });
 */
export function defineFields<const F extends Fields>(fields: F): F {
  return fields;
}

/** What a declaration may add to a field. */
type Extra = Partial<Omit<Field, 'type' | 'input'>>;

/** The same for a field whose values are `Value`. */
type ExtraOf<Value> = Extra & {
  readonly initial?: Value | null;
  readonly putDefault?: Value | null;
};

type None = Record<never, never>;
/** Without `NoInfer` the place of a field, which only asks for a `Field`, would decide what is known of it. */
type Extended<Base, E> = Omit<Base, keyof E> & NoInfer<E>;

function extended<const Base, E>(base: Base, extra: E | undefined): Extended<Base, E> {
  return { ...base, ...(extra as E) }; // a spread of undefined adds nothing
}

/** Describes a read-only field. */
export function computed<const Type extends FieldType = 'field', const E extends Extra = None>(
  type?: Type,
  extra?: E,
): E & { readonly type: Type; readonly writable: 'never' } {
  const of = (type ?? 'field') as Type; // the default of the parameter of types
  return { type: of, ...(extra as E), writable: 'never' };
}

/** Describes text of at most `max` characters; optional and possibly blank unless `required`. */
export function text<const E extends ExtraOf<string> = None>(max: number | undefined, extra?: E) {
  const base = {
    type: 'string',
    writable: 'always',
    input: textValue({ blank: extra?.required !== true, ...(max !== undefined && { max }) }),
    initial: '',
    ...(max !== undefined && { maxLength: max }),
  } as const;
  return extended(base, extra);
}

/** Describes free text of at most 256 characters, initially empty. */
export function description() {
  return text(256);
}

/** Describes an e-mail address of at most 254 characters. */
export function email<const E extends ExtraOf<string> = None>(extra?: E) {
  const max = 254;
  const input = emailValue({ max });
  const base = {
    type: 'email',
    writable: 'always',
    required: true,
    input,
    maxLength: max,
  } as const;
  return extended(base, extra);
}

/** Describes a boolean, initially false. */
export function flag() {
  return { type: 'boolean', writable: 'always', input: flagValue(), initial: false } as const;
}

/** Describes the revision that an update expects; no response contains it. */
export function expectedRevision() {
  const input = integerValue();
  return { type: 'integer', writable: 'update', writeOnly: true, input } as const;
}

/** Describes one of `choices`. */
export function choice<const Word extends string, const E extends ExtraOf<Word> = None>(
  choices: readonly Word[],
  initial: NoInfer<Word>,
  extra?: E,
) {
  const input = choiceValue(choices);
  const defaults = { initial, putDefault: initial };
  return extended({ type: 'choice', writable: 'always', input, ...defaults, choices }, extra);
}

/** Describes the role of an administrator: the word, or its number from 1; a PUT without it sets `full`. */
export function role() {
  return { ...choice(roles, 'full'), input: choiceValue(roles, 1) };
}

/** Describes a JSON value that `input` checks. */
export function json<Value, const E extends ExtraOf<NoInfer<Value>> = None>(
  input: ValueSchema<Value>,
  extra?: E,
) {
  return extended({ type: 'field', writable: 'always', input }, extra);
}

/** Describes a small free object; a PUT without it empties it. */
export function metadata() {
  return json(metadataValue(), { initial: {}, putDefault: {}, shows: 'object' });
}
