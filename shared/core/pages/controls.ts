import type { Json } from '../../values/json/json.ts';
import type { DescribedField } from './fields.ts';
import { attributes, type Html, html } from './html.ts';

const longText = 256; // characters; a field that accepts more gets a text area

/** Determines how the script of the page reads a control. */
type Kind = 'text' | 'word' | 'number' | 'json' | 'boolean' | 'choice' | 'file';

/** The form and the value of a control. */
export interface ControlContext {
  /** Id of the form; the ids of its controls start with it. */
  readonly form: string;
  /** Current value of the field; undefined when it has none or shows none. */
  readonly value: Json | undefined;
}

/**
 * Renders the control for one writable field, with a label, a hint and an element for its errors. Controls have no
 * `name`, which would hide the form's property of the same name; the script uses `data-field`.
 */
export function renderControl(field: DescribedField, context: ControlContext): Html {
  const id = `${context.form}-${field.name}`;
  const kind = kindOf(field);
  const shared = attributes({
    id,
    'data-field': field.name,
    'data-kind': kind,
    'data-initial': context.value === undefined ? undefined : JSON.stringify(context.value),
    'aria-describedby': `${id}-hint ${id}-error`,
    required: field.required && kind !== 'boolean',
  });
  const mark = field.required && html` <span class="required">required</span>`;
  const label = html`<label for="${id}">${field.label}${mark}</label>`;
  const control = renderInput(kind, field, context.value, shared);
  const parts = kind === 'boolean' ? [control, label] : [label, control];
  return html`<div class="field ${kind}">${parts}
<p class="hint" id="${id}-hint">${hintOf(field)}</p>
<p class="error" id="${id}-error" data-error="${field.name}"></p></div>`;
}

const kinds: Readonly<Record<string, Kind>> = {
  boolean: 'boolean',
  choice: 'choice',
  'file upload': 'file',
  'image upload': 'file',
  integer: 'number',
  float: 'number',
  decimal: 'number',
  datetime: 'word', // an empty control is sent as null: these types have no empty value
  date: 'word',
  time: 'word',
  slug: 'word',
  field: 'json',
  list: 'json',
  'multiple choice': 'json',
  'nested object': 'json',
};

function kindOf({ type, choices }: DescribedField): Kind {
  const kind = kinds[type] ?? 'text';
  return kind === 'choice' && choices.length === 0 ? 'text' : kind;
}

function renderInput(
  kind: Kind,
  field: DescribedField,
  value: Json | undefined,
  shared: Html,
): Html {
  switch (kind) {
    case 'boolean':
      return html`<input type="checkbox"${shared}${attributes({ checked: value === true })}>`;
    case 'choice':
      return html`<select${shared}>${renderOptions(field, value)}</select>`;
    case 'file':
      return html`<input type="file"${shared}>`;
    case 'json':
      return renderLines(value === undefined ? '' : JSON.stringify(value, null, 2), shared, 'code');
    case 'number':
      return html`<input type="text" inputmode="${field.type === 'integer' ? 'numeric' : 'decimal'}"${shared}${attributes({ value: textOf(value) })}>`;
    case 'word':
    case 'text':
      return renderText(field, textOf(value), shared);
  }
}

function renderText({ name, type, maxLength }: DescribedField, value: string, shared: Html): Html {
  if (maxLength !== undefined && maxLength > longText) return renderLines(value, shared);
  const isSecret = name.includes('password');
  const inputType = type === 'email' || type === 'url' ? type : 'text';
  return html`<input${attributes({
    type: inputType,
    class: isSecret ? 'secret' : undefined,
    autocomplete: 'off',
    autocapitalize: 'none',
    spellcheck: isSecret || type !== 'string' ? 'false' : undefined,
  })}${shared}${attributes({ value })}>`;
}

/** Renders a text area. Browsers drop the first line break inside, so one is added. */
function renderLines(text: string, shared: Html, variant?: 'code'): Html {
  const rows = Math.min(Math.max(text.split('\n').length, variant === 'code' ? 1 : 2), 16);
  const plain = variant === 'code' ? { spellcheck: 'false', autocapitalize: 'none' } : {};
  return html`<textarea${attributes({ class: variant, rows, ...plain })}${shared}>
${text}</textarea>`;
}

/** Renders the options. A field without a value starts with an empty option. */
function renderOptions({ choices }: DescribedField, value: Json | undefined): readonly Html[] {
  const current = typeof value === 'string' && choices.includes(value) ? value : '';
  const shown = current === '' ? ['', ...choices] : choices;
  return shown.map((choice) => {
    const marks = attributes({ value: choice, selected: choice === current });
    return html`<option${marks}>${choice === '' ? '(not set)' : choice}</option>`;
  });
}

function hintOf({ type, limits, helpText }: DescribedField): string {
  const facts = [typeTexts[type] ?? type, ...limits].filter((fact) => fact !== '').join(', ');
  return [facts, helpText ?? ''].filter((part) => part !== '').join('. ');
}

const typeTexts: Readonly<Record<string, string>> = {
  datetime: 'YYYY-MM-DDThh:mm:ss.uuuuuuZ, in UTC',
  string: 'text',
  choice: '', // the options show it
  field: 'JSON',
  list: 'JSON list',
  'nested object': 'JSON object',
  'file upload': 'file',
};

function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
