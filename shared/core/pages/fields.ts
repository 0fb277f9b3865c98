import { isJsonObject, type Json } from '../../values/json/json.ts';

/** A field as described by OPTIONS. */
export interface DescribedField {
  readonly name: string;
  readonly type: string;
  readonly label: string;
  readonly required: boolean;
  readonly readOnly: boolean;
  readonly helpText: string | undefined;
  /** Limits of its values as text: `at most 50 characters`. */
  readonly limits: readonly string[];
  readonly choices: readonly string[];
  readonly maxLength: number | undefined;
}

/** Reads the fields of one method from the response to OPTIONS; empty when the method has none. */
export function readFields(action: Json | undefined): readonly DescribedField[] {
  if (!isJsonObject(action)) return [];
  return Object.entries(action).flatMap(([name, field]) =>
    isJsonObject(field) ? [readField(name, field)] : [],
  );
}

function readField(name: string, field: { readonly [key: string]: Json }): DescribedField {
  const { type, label, help_text } = field;
  return {
    name,
    type: String(type),
    label: typeof label === 'string' ? label : name,
    required: field.required === true,
    readOnly: field.read_only === true,
    helpText: typeof help_text === 'string' ? help_text : undefined,
    limits: limitsOf(field),
    choices: choicesOf(field.choices),
    maxLength: numberOf(field.max_length),
  };
}

function limitsOf(field: { readonly [key: string]: Json }): readonly string[] {
  const bounds = [
    ['at least', field.min_length, ' characters'],
    ['at most', field.max_length, ' characters'],
    ['at least', field.min_value, ''],
    ['at most', field.max_value, ''],
  ] as const;
  return bounds.flatMap(([words, bound, unit]) =>
    bound === undefined ? [] : [`${words} ${numberOf(bound)?.toLocaleString('en')}${unit}`],
  );
}

function choicesOf(choices: Json | undefined): readonly string[] {
  if (!Array.isArray(choices)) return [];
  return choices.flatMap((choice: Json) => (isJsonObject(choice) ? [String(choice.value)] : []));
}

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
