import { parseFiniteJson } from '../../../values/json/finite-json.ts';
import { thrownMessage } from './dom.ts';

/** A control for a field, rendered by the server. */
export type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** The input of a form's controls. */
export interface FormInput {
  readonly values: Readonly<Record<string, unknown>>;
  /** Selected files with the names of their fields. */
  readonly files: readonly (readonly [string, File])[];
  /** Error messages by field name. */
  readonly errors: Readonly<Record<string, readonly string[]>>;
}

/** Returns the controls inside an element. */
export function controlsOf(element: Element): readonly Control[] {
  return [...element.querySelectorAll<Control>('[data-field]')];
}

/** Checks whether the target is an editor for JSON. */
export function isEditor(target: EventTarget | null): target is HTMLTextAreaElement {
  return target instanceof HTMLTextAreaElement && target.dataset.kind === 'json';
}

/** Prepares the controls of a page that was just shown: a checkbox whose field is null becomes indeterminate. */
export function prepareControls(): void {
  const unset = '[data-kind=boolean][data-initial=null]';
  for (const box of document.querySelectorAll<HTMLInputElement>(unset)) box.indeterminate = true;
}

/** Reads the controls of a form for a request with this method. */
export function readForm(form: HTMLFormElement, method: string): FormInput {
  const values: Record<string, unknown> = {};
  const files: [string, File][] = [];
  const errors: Record<string, string[]> = {};
  for (const control of controlsOf(form)) {
    const name = control.dataset.field ?? '';
    const file = 'files' in control ? control.files?.[0] : undefined;
    if (file !== undefined) files.push([name, file]);
    if (control.dataset.kind === 'file') continue;
    try {
      const value = readControl(control, method);
      if (value !== undefined) values[name] = value;
    } catch (error) {
      errors[name] = [thrownMessage(error)];
    }
  }
  return { values, files, errors };
}

/** Returns the value to send. An unchanged field keeps its initial value; a partial update omits it. */
function readControl(control: Control, method: string): unknown {
  const { kind, initial } = control.dataset;
  if (!isChanged(control)) {
    return method === 'PATCH' || initial === undefined ? undefined : JSON.parse(initial);
  }
  if ('checked' in control && kind === 'boolean') return control.checked;
  if (kind === 'text') return control.value;
  const text = control.value.trim();
  if (text === '') return null;
  if (kind === 'number') return readNumber(text);
  return kind === 'json' ? parseControlJson(text) : control.value;
}

/** Returns a number, or the text of what is none: the server says what is wrong with it. */
function readNumber(text: string): number | string {
  const isNumber = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text));
  return isNumber ? Number(text) : text;
}

/** Checks whether the control's value differs from the initial value. */
export function isChanged(control: Control): boolean {
  if ('options' in control) {
    return [...control.options].some((option) => option.selected !== option.defaultSelected);
  }
  const { kind, initial } = control.dataset;
  if (!('checked' in control) || kind !== 'boolean') return control.value !== control.defaultValue;
  return initial === 'null' ? !control.indeterminate : control.checked !== control.defaultChecked;
}

/**
 * Parses JSON. Text that does not start like JSON is a string, so names need no quotes.
 *
 * @throws Error when the text starts like JSON and is invalid
 */
export function parseControlJson(text: string): unknown {
  try {
    return parseFiniteJson(text);
  } catch (error) {
    if (/^[[{"]/.test(text)) throw new Error(`This is not JSON: ${thrownMessage(error)}`);
    return text;
  }
}
