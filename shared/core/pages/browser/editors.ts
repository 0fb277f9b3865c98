import { writeExactJson } from '../../../values/json/exact-number.ts';
import { isChanged, isEditor, parseControlJson } from './controls.ts';
import { byId, isRecord, thrownMessage } from './dom.ts';

const maxRows = 24; // of an editor; longer text scrolls
let isPressed = false;

/** Starts the JSON editors, which indent and check their text. Escape closes the keys form. */
export function startEditors(): void {
  document.addEventListener('keydown', onKey);
  for (const type of ['pointerdown', 'pointerup', 'pointercancel']) {
    document.addEventListener(type, () => {
      isPressed = type === 'pointerdown';
    });
  }
  document.addEventListener('focusout', onFocusOut);
}

function onKey(event: KeyboardEvent): void {
  const { target } = event;
  if (event.key === 'Escape' && target instanceof Element && target.closest('#keys')) {
    const keys = byId('keys', HTMLDetailsElement);
    keys.open = false;
    keys.querySelector('summary')?.focus();
  }
  if (event.key !== 'Enter' || event.isComposing || !isEditor(target)) return;
  if (event.ctrlKey || event.metaKey) {
    target.form?.requestSubmit();
    return;
  }
  event.preventDefault();
  breakLine(target);
}

/** Starts a new line with the indentation of the current one, deeper after a bracket. */
function breakLine(editor: HTMLTextAreaElement): void {
  const before = editor.value.slice(0, editor.selectionStart);
  const line = before.slice(before.lastIndexOf('\n') + 1);
  const [indent = ''] = /^ */.exec(line) ?? [];
  const deeper = /[[{]\s*$/.test(line) ? '  ' : '';
  editor.setRangeText(`\n${indent}${deeper}`, editor.selectionStart, editor.selectionEnd, 'end');
  grow(editor);
}

function grow(editor: HTMLTextAreaElement): void {
  editor.rows = Math.min(Math.max(editor.value.split('\n').length, editor.rows), maxRows);
}

/** Waits for the pointer's release: growing earlier would move the pressed element and cancel its click. */
function onFocusOut({ target }: FocusEvent): void {
  if (!isEditor(target)) return;
  if (isPressed) addEventListener('pointerup', () => setTimeout(check, 0, target), { once: true });
  else check(target);
}

function check(editor: HTMLTextAreaElement): void {
  const text = editor.value.trim();
  if (!isChanged(editor) || text === '') return;
  const message = byId(`${editor.id}-error`, HTMLElement);
  try {
    const value = parseControlJson(text);
    if (isRecord(value)) editor.value = writeExactJson(value, 2);
    grow(editor);
    message.textContent = '';
    editor.removeAttribute('aria-invalid');
  } catch (error) {
    message.textContent = thrownMessage(error);
    editor.setAttribute('aria-invalid', 'true');
  }
}
