import { statusText } from '../status-text.ts';
import { controlsOf } from './controls.ts';
import { byId, createElement, isRecord } from './dom.ts';
import { currentKeys } from './keys.ts';
import { loadPage, useKeys } from './navigation.ts';
import { finishedBody } from './refresh.ts';
import { isSandboxed, mediaTypeOf, rawBody } from './response.ts';

/**
 * Shows messages next to their fields and the others below the heading; removes earlier messages.
 *
 * @param errors messages by field name
 * @param heading empty when there are no errors
 */
export function showErrors(
  form: HTMLFormElement,
  errors: Readonly<Record<string, unknown>>,
  heading = '',
): void {
  const controls = controlsOf(form);
  for (const element of form.querySelectorAll('[data-error]')) element.textContent = '';
  for (const control of controls) control.removeAttribute('aria-invalid');
  const others: string[] = [];
  for (const [name, messages] of Object.entries(errors)) {
    const control = controls.find((each) => each.dataset.field === name);
    if (control === undefined) {
      const isGeneral = name === 'detail' || name === 'non_field_errors';
      others.push((isGeneral ? '' : `${name}: `) + textOf(messages));
      continue;
    }
    control.setAttribute('aria-invalid', 'true');
    byId(`${control.id}-error`, HTMLElement).textContent = textOf(messages);
  }
  const outcome = outcomeOf(form);
  outcome.replaceChildren();
  outcome.classList.toggle('bad', heading !== '');
  if (heading === '') return;
  const lines = others.map((textContent) => createElement('p', { textContent }));
  outcome.append(createElement('strong', { textContent: heading }), ...lines);
  (controls.find((control) => control.hasAttribute('aria-invalid')) ?? outcome).focus();
}

function textOf(messages: unknown): string {
  if (typeof messages === 'string') return messages;
  const isList = Array.isArray(messages) && messages.every((each) => typeof each === 'string');
  return isList ? messages.join(' ') : JSON.stringify(messages);
}

function outcomeOf(form: HTMLFormElement): HTMLElement {
  const outcome = form.querySelector<HTMLElement>('.outcome');
  if (outcome === null) throw new Error('the form has no place for its outcome');
  return outcome;
}

/** Shows the response to a form, or loads the page that it links to. */
export async function showResponse(
  form: HTMLFormElement,
  method: string,
  response: Response,
): Promise<void> {
  const type = mediaTypeOf(response);
  if (isSandboxed(response)) {
    showParts(form, `${response.status}, ${type}`, [await rawBody(response)]);
    return;
  }
  const text = await response.text();
  const body = type.startsWith('application/json') && text !== '' ? JSON.parse(text) : text;
  const status = `${response.status} ${statusText(response.status)}`;
  if (!response.ok) showErrors(form, isRecord(body) ? body : { detail: text }, status);
  else if (method === 'DELETE') await loadParent();
  else if (form.dataset.target !== undefined) await showRun(form, status, body);
  else if (method !== 'POST') await loadPage(location.href, { notice: 'Saved.' });
  else if (!(await showCreated(response.status, body))) showBody(form, status, body);
}

/** Shows the result of a run, below its form, once the run is finished. */
async function showRun(form: HTMLFormElement, status: string, body: unknown): Promise<void> {
  showBody(form, status, body);
  const finished = await finishedBody(body, () => form.isConnected);
  if (finished !== body) showBody(form, 'Finished', finished);
}

function loadParent(): Promise<void> {
  const list = location.pathname.replace(/[^/]+\/$/, '');
  return loadPage(list, { push: true, notice: 'Deleted.' });
}

/** Loads the resource that a POST created. Returns false when the response contains no link to it. */
async function showCreated(status: number, body: unknown): Promise<boolean> {
  const links = isRecord(body) ? body.links : undefined;
  const self = isRecord(links) ? links.self : undefined;
  if (typeof self !== 'string' || !self.startsWith('/v')) return false;
  await loadPage(self, { push: true, notice: status === 201 ? 'Created.' : 'Done.' });
  return true;
}

function showBody(form: HTMLFormElement, status: string, body: unknown): void {
  const textContent = typeof body === 'string' ? body : JSON.stringify(body, null, 2);
  const texts = body === '' ? [] : [createElement('pre', { textContent })];
  showParts(form, status, [...texts, ...keyButtons(body)]);
}

function showParts(form: HTMLFormElement, heading: string, parts: readonly Node[]): void {
  const outcome = outcomeOf(form);
  outcome.replaceChildren(createElement('strong', { textContent: heading }), ...parts);
  outcome.focus();
}

/** Renders buttons that use the keys in the response to a login. */
function keyButtons(body: unknown): readonly Node[] {
  if (!isRecord(body)) return [];
  const { account_key: account, user_key: user } = body;
  const ofAccount = (key: string) => useKeys({ api: key, user: '' }, '/v1.1/instances/');
  const ofUser = (key: string) => useKeys({ ...currentKeys(), user: key });
  return [
    ...(typeof account === 'string' ? [keyButton('account_key', () => ofAccount(account))] : []),
    ...(typeof user === 'string' ? [keyButton('user_key', () => ofUser(user))] : []),
  ];
}

function keyButton(name: string, use: () => void): Node {
  const button = createElement('button', {
    type: 'button',
    className: 'main',
    textContent: `Use this ${name}`,
  });
  button.addEventListener('click', use);
  return button;
}
