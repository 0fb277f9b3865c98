import type { Page } from 'playwright-core';

/** How much is pressed. */
export interface Presses {
  /** Chooses what is pressed: the same seed on the same screen presses the same. */
  readonly seed: number;
  readonly count: number;
}

/** Controls that are not pressed: they end the session, rename what the screens are for, or fail on purpose. */
const left = ['Sign out', 'Rename', 'Reset key', 'Problem'];

/**
 * Presses links and buttons, chooses, types, and goes back and forth, at random and faster than any person: often
 * before a screen has answered the last press. In an open dialog only what is in it is pressed.
 *
 * @returns what was pressed, with the place
 */
export function pressAtRandom(page: Page, presses: Presses): Promise<readonly string[]> {
  return page.evaluate(`(${program})(${JSON.stringify({ ...presses, left })})`);
}

const program = `async ({ seed, count, left }) => {
  let state = seed;
  const random = (below) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * below);
  };
  const texts = ['a', '1', 'book', '', 'two words', '{', '{}', '-5', 'ü', '2026-01-01', '[1]', '"'];
  const kinds = 'a[href^="#"], button, select, summary, input:not([type=file]), textarea, [role=gridcell]';
  const nameOf = (element) => element.getAttribute('aria-label') ?? element.textContent ?? '';
  const mayPress = (element) =>
    element.checkVisibility() && !element.disabled && !left.some((name) => nameOf(element).includes(name));
  const change = (element) => {
    for (const type of ['input', 'change']) element.dispatchEvent(new Event(type, { bubbles: true }));
  };
  const type = (element) => {
    const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), 'value');
    set.call(element, texts[random(texts.length)]);
    change(element);
    if (random(3) === 0) element.form?.requestSubmit();
  };
  const press = (element) => {
    if (element.matches('select')) {
      element.selectedIndex = random(element.options.length);
      change(element);
    } else if (element.matches('textarea, input:not([type=checkbox], [type=radio])')) type(element);
    else element.click();
    if (element.matches('[role=gridcell]')) element.dispatchEvent(new MouseEvent('dblclick', { bubbles: true }));
  };
  window.showSaveFilePicker = undefined;
  window.open = () => null;
  const pressed = [];
  for (let index = 0; index < count; index += 1) {
    const dialog = [...document.querySelectorAll('dialog:modal')].pop() ?? document;
    const all = [...dialog.querySelectorAll(kinds)].filter(mayPress);
    const chosen = all[random(all.length)];
    const step = random(25);
    pressed.push(location.hash + ' ' + (step === 0 ? 'back' : step === 1 ? 'forward' : nameOf(chosen ?? document.body).slice(0, 40)));
    if (step === 0 && navigation.canGoBack) history.back();
    else if (step === 1) history.forward();
    else if (chosen !== undefined) press(chosen);
    const pause = random(5);
    if (pause > 1) await new Promise((resolve) => setTimeout(resolve, pause === 2 ? 0 : random(100)));
  }
  return pressed;
}`;
