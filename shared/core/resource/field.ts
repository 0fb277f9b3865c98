import { roles } from '../../values/access.ts';
import {
  choice as choiceValue,
  email as emailValue,
  flag as flagValue,
  integer as integerValue,
  metadata as metadataValue,
  text as textValue,
  type ValueSchema,
} from '../../values/values.ts';
import type { Field, Fields, FieldType } from '../routing/forms.ts';

/**
 * Declares fields. Keeps the type of each, from which the types of bodies follow ({@link Values}).
 *
 * @example const fields = defineFields({ id: computed('integer'), label: text(64) });
 */
export function defineFields<const F extends Fields>(fields: F): F {
  return fields;
}

/** Properties that a declaration may add to a field. */
type Extra = Partial<Omit<Field, 'type' | 'input'>>;

/** The same for a field whose values are `Value`. */
type ExtraOf<Value> = Extra & {
  readonly initial?: Value | null;
  readonly putDefault?: Value | null;
};

type None = Record<never, never>;
/** Without `NoInfer` the context of a field, which only asks for a `Field`, would decide what is known of it. */
type Extended<Base, E> = Omit<Base, keyof E> & NoInfer<E>;

function extendField<const Base, E>(base: Base, extra: E | undefined): Extended<Base, E> {
  return { ...base, ...(extra as E) }; // a spread of undefined adds nothing
}

/** Describes a read-only field. */
export function readOnlyField<const Type extends FieldType = 'field', const E extends Extra = None>(
  type?: Type,
  extra?: E,
): E & { readonly type: Type; readonly writable: 'never' } {
  const of = (type ?? 'field') as Type; // the default of the parameter of types
  return { type: of, ...(extra as E), writable: 'never' };
}

/** Describes text of at most `max` characters; optional and possibly blank unless `required`. */
export function textField<const E extends ExtraOf<string> = None>(
  max: number | undefined,
  extra?: E,
) {
  const base = {
    type: 'string',
    writable: 'always',
    input: textValue({ blank: extra?.required !== true, ...(max !== undefined && { max }) }),
    initial: '',
    ...(max !== undefined && { maxLength: max }),
  } as const;
  return extendField(base, extra);
}

/** Describes free text of at most 256 characters, initially empty. */
export function description() {
  return textField(256);
}

/** Describes an e-mail address of at most 254 characters. */
export function emailField<const E extends ExtraOf<string> = None>(extra?: E) {
  const max = 254;
  const input = emailValue({ max });
  const base = {
    type: 'email',
    writable: 'always',
    required: true,
    input,
    maxLength: max,
  } as const;
  return extendField(base, extra);
}

/** Describes a boolean, initially false. */
export function flagField() {
  return { type: 'boolean', writable: 'always', input: flagValue(), initial: false } as const;
}

/** Describes the revision that an update expects; no response contains it. */
export function expectedRevision() {
  const input = integerValue();
  return { type: 'integer', writable: 'update', writeOnly: true, input } as const;
}

/** Describes one of `choices`. */
export function choiceField<const Word extends string, const E extends ExtraOf<Word> = None>(
  choices: readonly Word[],
  initial: NoInfer<Word>,
  extra?: E,
) {
  const input = choiceValue(choices);
  const defaults = { initial, putDefault: initial };
  return extendField({ type: 'choice', writable: 'always', input, ...defaults, choices }, extra);
}

/** Describes the role of an administrator: the word, or its number from 1; a PUT without it sets `full`. */
export function role() {
  return { ...choiceField(roles, 'full'), input: choiceValue(roles, 1) };
}

/** Describes a JSON value that `input` checks. */
export function json<Value, const E extends ExtraOf<NoInfer<Value>> = None>(
  input: ValueSchema<Value>,
  extra?: E,
) {
  return extendField({ type: 'field', writable: 'always', input }, extra);
}

/** Describes a small free object; a PUT without it empties it. */
export function metadataField() {
  return json(metadataValue(), { initial: {}, putDefault: {}, shows: 'object' });
}
