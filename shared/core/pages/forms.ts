import { isJsonObject, type Json } from '../../values/json/json.ts';
import { renderControl } from './controls.ts';
import { readFields } from './fields.ts';
import { attributes, type Html, html } from './html.ts';
import type { Offer } from './offer.ts';
import type { PageRun } from './run.ts';
import { isSystemMember } from './views/members.ts';

/** One form: its fields, and the methods of its buttons, the default one first. */
interface Form {
  readonly id: string;
  readonly title: string;
  readonly action: Json | undefined;
  readonly buttons: readonly { readonly method: string; readonly label: string }[];
  /** Initial values of the form; empty when absent. */
  readonly current?: unknown;
  readonly note?: string;
  /** The field whose value is the whole body. */
  readonly body?: string;
  /** Path that it is sent to; absent: that of the page. */
  readonly target?: string;
}

/**
 * Renders forms for the writes that OPTIONS describes, and for a delete. The script of the page sends them with the
 * keys; without script they are hidden. Returns undefined when there are none.
 *
 * @param current the resource as the page shows it
 */
export function renderForms(offer: Offer, current: unknown): Html | undefined {
  const forms = formsOf(offer, current);
  if (forms.length === 0) return undefined;
  return html`<div id="forms" class="forms scripts">${forms.map(renderForm)}</div>`;
}

function formsOf(offer: Offer, current: unknown): readonly Form[] {
  const { description, isList, methods, runsCode, run } = offer;
  const actions = isJsonObject(description.actions) ? description.actions : {};
  const forms: Form[] = [];
  if (run !== undefined) forms.push(formOfRun(run));
  if (runsCode && methods.includes('POST')) forms.push(runForm);
  if (actions.POST !== undefined && methods.includes('POST')) {
    const label = isList ? 'Create' : 'Send';
    forms.push({
      id: 'post',
      title: label,
      action: actions.POST,
      buttons: [{ method: 'POST', label }],
    });
  }
  const updates = updateButtons.filter(({ method }) => methods.some((each) => each === method));
  if (actions.PUT !== undefined && updates.length > 0) {
    forms.push({ id: 'put', title: 'Change', action: actions.PUT, buttons: updates, current });
  }
  if (methods.includes('DELETE')) forms.push(deleteForm);
  return forms;
}

const updateButtons = [
  { method: 'PATCH', label: 'Save changes' },
  { method: 'PUT', label: 'Replace' },
];

const runForm: Form = {
  id: 'post',
  title: 'Run',
  action: {
    arguments: {
      type: 'field',
      required: false,
      read_only: false,
      label: 'Arguments',
      help_text: 'An object, which the script finds in ARGS',
    },
  },
  buttons: [{ method: 'POST', label: 'Run' }],
  body: 'arguments',
};

function formOfRun({ path, title, fields }: PageRun): Form {
  const shared = { id: 'run', title, target: path };
  if (fields === undefined) return { ...runForm, ...shared };
  return { ...shared, action: fields, buttons: runForm.buttons };
}

const deleteForm: Form = {
  id: 'delete',
  title: 'Delete',
  action: undefined,
  buttons: [{ method: 'DELETE', label: 'Delete for good' }],
  note: 'What is deleted cannot be brought back.',
};

function renderForm({ id, title, action, buttons, current, note, body, target }: Form): Html {
  const fields = readFields(action).filter(({ readOnly, type }) => !readOnly && type !== 'links');
  const values: Readonly<Record<string, Json>> = isJsonObject(current) ? current : {};
  const own = fields.filter((field) => !isSystemMember(field.name));
  const system = fields.filter((field) => isSystemMember(field.name));
  const controls = [...own, ...system].map((field) => {
    const value = Object.hasOwn(values, field.name) ? values[field.name] : undefined;
    return renderControl(field, { form: id, value });
  });
  const submitButtons = buttons.map(
    ({ method, label }, at) =>
      html`<button type="submit" value="${method}"${attributes({ class: at === 0 && 'main' })}>${label} <span class="verb">${method}</span></button> `,
  );
  const form = html`<form id="form-${id}" class="write" autocomplete="off" novalidate aria-labelledby="title-${id}"${attributes({ 'data-body': body, 'data-target': target })}>
${note !== undefined && html`<p>${note}</p>`}
<div class="fields">${controls}</div>
<div class="outcome" role="status" tabindex="-1"></div>
<p class="buttons">${submitButtons}</p>
</form>`;
  const heading = html`<h2 id="title-${id}">${title}</h2>`;
  if (id !== 'delete') return html`<section class="panel" id="${id}">${heading}${form}</section>`;
  return html`<details class="panel" id="${id}"><summary>${heading}</summary>${form}</details>`;
}
