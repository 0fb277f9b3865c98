/**
 * Forms: what stands in the controls becomes one JSON body, or a multipart one when a file is chosen. The answer, or
 * the errors of each field, are shown where they were asked for.
 */
export const formScript = String.raw`
const controlsOf = (form) => [...form.querySelectorAll('[data-field]')];

// A box can show that nothing is stored yet, neither yes nor no.
function prepareForms() {
  for (const box of document.querySelectorAll('[data-kind=boolean][data-initial=null]')) box.indeterminate = true;
}

function onSubmit(event) {
  event.preventDefault();
  const form = event.target;
  if (form.id === 'form-keys') useKeys({ api: byId('keys-api').value, user: byId('keys-user').value });
  else send(form, event.submitter ? event.submitter.value : form.querySelector('[type=submit]').value);
}

async function send(form, method) {
  showErrors(form, {});
  const { values, files, errors } = readForm(form, method);
  if (Object.keys(errors).length > 0) return showErrors(form, errors, 'Not sent');
  form.setAttribute('aria-busy', 'true');
  for (const button of form.querySelectorAll('button')) button.disabled = true;
  try {
    const whole = form.dataset.body;
    const response = await fetch(location.pathname + (whole ? location.search : ''), {
      method, cache: 'no-store', credentials: 'omit', ...bodyOf(method, whole ? values[whole] || {} : values, files),
    });
    await showOutcome(form, method, response);
  } catch (error) {
    showErrors(form, { detail: error.message }, 'No answer');
  } finally {
    form.removeAttribute('aria-busy');
    for (const button of form.querySelectorAll('button')) button.disabled = false;
  }
}

function bodyOf(method, values, files) {
  const headers = keyHeaders('application/json');
  if (method === 'DELETE') return { headers };
  if (files.length === 0) {
    return { headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(values) };
  }
  const body = new FormData();
  for (const [name, value] of Object.entries(values)) {
    body.append(name, typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value));
  }
  for (const [name, file] of files) body.append(name, file);
  return { headers, body };
}

function readForm(form, method) {
  const values = {}, files = [], errors = {};
  for (const control of controlsOf(form)) {
    const name = control.dataset.field;
    if (control.dataset.kind === 'file') {
      if (control.files[0]) files.push([name, control.files[0]]);
      continue;
    }
    try {
      const value = readControl(control, method);
      if (value !== undefined) values[name] = value;
    } catch (error) {
      errors[name] = [error.message];
    }
  }
  return { values, files, errors };
}

// What nobody touched goes back as it came, or, in a partial update, not at all.
function readControl(control, method) {
  const { kind, initial } = control.dataset;
  if (!isChanged(control)) {
    return method === 'PATCH' || initial === undefined ? undefined : JSON.parse(initial);
  }
  if (kind === 'boolean') return control.checked;
  if (kind === 'text') return control.value;
  const text = control.value.trim();
  if (text === '') return null;
  if (kind === 'number') return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
  return kind === 'json' ? readJson(text) : control.value;
}

function isChanged(control) {
  switch (control.dataset.kind) {
    case 'boolean':
      if (control.dataset.initial === 'null') return !control.indeterminate;
      return control.checked !== control.defaultChecked;
    case 'choice':
      return [...control.options].some((option) => option.selected !== option.defaultSelected);
    default:
      return control.value !== control.defaultValue;
  }
}

// A bare word is taken for a text, so that names need no quotes.
function readJson(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (/^[[{"]/.test(text)) throw new Error('This is not JSON: ' + error.message);
    return text;
  }
}

function showErrors(form, errors, heading = '') {
  for (const slot of form.querySelectorAll('[data-error]')) slot.textContent = '';
  for (const control of controlsOf(form)) control.removeAttribute('aria-invalid');
  const others = [];
  for (const [name, messages] of Object.entries(errors)) {
    const control = controlsOf(form).find((each) => each.dataset.field === name);
    if (control === undefined) {
      others.push(['detail', 'non_field_errors'].includes(name) ? textOf(messages) : name + ': ' + textOf(messages));
      continue;
    }
    control.setAttribute('aria-invalid', 'true');
    byId(control.id + '-error').textContent = textOf(messages);
  }
  const outcome = form.querySelector('.outcome');
  outcome.replaceChildren();
  outcome.classList.toggle('bad', heading !== '');
  if (heading === '') return;
  outcome.append(make('strong', { textContent: heading }), ...others.map((text) => make('p', { textContent: text })));
  (controlsOf(form).find((control) => control.hasAttribute('aria-invalid')) || outcome).focus();
}

function textOf(messages) {
  if (typeof messages === 'string') return messages;
  if (Array.isArray(messages) && messages.every((each) => typeof each === 'string')) return messages.join(' ');
  return JSON.stringify(messages);
}

async function showOutcome(form, method, response) {
  if (isForeign(response)) {
    const type = response.headers.get('Content-Type') || '';
    return showParts(form, response.status + ', ' + type, [await rawAnswer(response, type)]);
  }
  const text = await response.text();
  const isJson = (response.headers.get('Content-Type') || '').startsWith('application/json');
  const answer = isJson && text !== '' ? JSON.parse(text) : text;
  const status = response.status + ' ' + (statusWords[response.status] || '');
  if (!response.ok) return showErrors(form, Object(answer) === answer ? answer : { detail: text }, status);
  if (method === 'DELETE') return load(location.pathname.replace(/[^/]+\/$/, ''), { push: true, notice: 'Deleted.' });
  if (method !== 'POST') return load(location.href, { notice: 'Saved.' });
  const self = answer && answer.links && answer.links.self;
  if (typeof self === 'string' && self.startsWith('/v')) {
    return load(self, { push: true, notice: response.status === 201 ? 'Created.' : 'Done.' });
  }
  showAnswer(form, status, answer);
}

const statusWords = { 200: 'OK', 201: 'Created', 204: 'Done', 400: 'Bad request', 401: 'Not logged in', 403: 'Not allowed', 404: 'Not found', 405: 'Method not allowed', 413: 'Too large', 429: 'Too many requests', 500: 'Server error' };

function showAnswer(form, status, answer) {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer, null, 2);
  const shown = answer === '' ? [] : [make('pre', { textContent: text })];
  showParts(form, status, [...shown, ...keyButtons(answer)]);
}

function showParts(form, heading, parts) {
  const outcome = form.querySelector('.outcome');
  outcome.replaceChildren(make('strong', { textContent: heading }), ...parts);
  outcome.focus();
}

// Who has logged in can go on with the key that came.
function keyButtons(answer) {
  if (Object(answer) !== answer) return [];
  const offers = [
    ['account_key', (key) => useKeys({ api: key, user: '' }, '/v1.1/instances/')],
    ['user_key', (key) => useKeys({ ...keys, user: key })],
  ];
  return offers.filter(([name]) => typeof answer[name] === 'string').map(([name, use]) => {
    const button = make('button', { type: 'button', className: 'main', textContent: 'Use this ' + name });
    button.addEventListener('click', () => use(answer[name]));
    return button;
  });
}

// A new line begins where the last one did, deeper after a bracket.
function onKey(event) {
  const { target } = event;
  if (event.key === 'Escape' && target.closest('#keys')) {
    byId('keys').open = false;
    byId('keys').querySelector('summary').focus();
  }
  if (event.key !== 'Enter' || event.isComposing || target.dataset.kind !== 'json') return;
  if (event.ctrlKey || event.metaKey) return target.form.requestSubmit();
  event.preventDefault();
  const before = target.value.slice(0, target.selectionStart);
  const [line] = /[^\n]*$/.exec(before);
  const [indent] = /^ */.exec(line);
  const deeper = /[[{]\s*$/.test(line) ? '  ' : '';
  target.setRangeText('\n' + indent + deeper, target.selectionStart, target.selectionEnd, 'end');
  growEditor(target);
}

function growEditor(editor) {
  editor.rows = Math.min(Math.max(editor.value.split('\n').length, editor.rows), 24);
}

// What grows under a pressed pointer would move away from it what is being pressed, so that no click came of it.
let isPressed = false;
function onPointer(event) {
  isPressed = event.type === 'pointerdown';
}

function onEditorLeft({ target }) {
  if (!target.dataset || target.dataset.kind !== 'json') return;
  if (!isPressed) return checkEditor(target);
  addEventListener('pointerup', () => setTimeout(checkEditor, 0, target), { once: true });
}

function checkEditor(editor) {
  const text = editor.value.trim();
  if (!isChanged(editor) || text === '') return;
  const slot = byId(editor.id + '-error');
  try {
    const value = readJson(text);
    if (Object(value) === value) editor.value = JSON.stringify(value, null, 2);
    growEditor(editor);
    slot.textContent = '';
    editor.removeAttribute('aria-invalid');
  } catch (error) {
    slot.textContent = error.message;
    editor.setAttribute('aria-invalid', 'true');
  }
}
`;
