import { writeExactJson } from '../../../values/json/exact-number.ts';
import { readForm } from './controls.ts';
import { byId, thrownMessage } from './dom.ts';
import { filterAddress } from './filter.ts';
import { keyHeaders } from './keys.ts';
import { loadPage, useKeys } from './navigation.ts';
import { showErrors, showResponse } from './outcome.ts';

/*
 * Forms: the values of the controls are sent as one JSON body, or as multipart when a file is selected. The form shows
 * the response, or the errors of each field.
 */

/** Starts to send forms. */
export function startForms(): void {
  document.addEventListener('submit', onSubmit);
}

function onSubmit(event: SubmitEvent): void {
  event.preventDefault();
  const form = event.target;
  if (!(form instanceof HTMLFormElement)) return;
  if (form.id === 'form-keys') {
    const [api, user] = [byId('keys-api', HTMLInputElement), byId('keys-user', HTMLInputElement)];
    useKeys({ api: api.value, user: user.value });
    return;
  }
  if (form.id === 'filter') {
    void loadPage(filterAddress(form), { push: true });
    return;
  }
  const button = event.submitter ?? form.querySelector('[type=submit]');
  if (button instanceof HTMLButtonElement) void send(form, button.value);
}

async function send(form: HTMLFormElement, method: string): Promise<void> {
  showErrors(form, {});
  const { values, files, errors } = readForm(form, method);
  if (Object.keys(errors).length > 0) {
    showErrors(form, errors, 'Not sent');
    return;
  }
  setBusy(form, true);
  try {
    const { body: bodyField, target } = form.dataset;
    const body = bodyField === undefined ? values : values[bodyField] || {};
    const response = await fetch(
      target ?? location.pathname + (bodyField === undefined ? '' : location.search),
      {
        method,
        cache: 'no-store',
        credentials: 'omit',
        ...bodyOf(method, body, files),
      },
    );
    await showResponse(form, method, response);
  } catch (error) {
    showErrors(form, { detail: thrownMessage(error) }, 'No response');
  } finally {
    setBusy(form, false);
  }
}

function setBusy(form: HTMLFormElement, isBusy: boolean): void {
  if (isBusy) form.setAttribute('aria-busy', 'true');
  else form.removeAttribute('aria-busy');
  for (const button of form.querySelectorAll('button')) button.disabled = isBusy;
}

function bodyOf(
  method: string,
  values: unknown,
  files: readonly (readonly [string, File])[],
): Pick<RequestInit, 'headers' | 'body'> {
  const headers = keyHeaders('application/json');
  if (method === 'DELETE') return { headers };
  if (files.length === 0) {
    return {
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: writeExactJson(values),
    };
  }
  const body = new FormData();
  for (const [name, value] of Object.entries(Object(values))) body.append(name, partOf(value));
  for (const [name, file] of files) body.append(name, file);
  return { headers, body };
}

function partOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null ? '' : writeExactJson(value);
}
