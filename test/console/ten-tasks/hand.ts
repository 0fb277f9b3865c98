import type { Locator, Page } from 'playwright-core';

/** What a task took a person. */
export interface Effort {
  /** Presses of the mouse. A choice in a list, and a file, are two: one opens, one picks. */
  readonly clicks: number;
  /** Presses of keys; those of a chord count each. */
  readonly keys: number;
}

/** The hand of a person at a page: does what a mouse and a keyboard can, and counts it. */
export interface Hand {
  click(target: Locator): Promise<void>;
  /** Chooses from a list of the browser, by its text. */
  choose(list: Locator, option: string): Promise<void>;
  attach(field: Locator, file: UploadedFile): Promise<void>;
  /** Types into a field, which is clicked first unless it has the focus. */
  write(field: Locator, text: string): Promise<void>;
  /** Types over what is in a field, which is selected first unless it already is. */
  replace(field: Locator, text: string): Promise<void>;
  press(chord: string): Promise<void>;
  /** Looks at a result. One outside of the window is scrolled into it, which counts as a click. */
  see(result: Locator): Promise<void>;
  /** Presses the mouse twice. */
  doubleClick(target: Locator): Promise<void>;
  /** Returns the effort so far. */
  effort(): Effort;
}

interface UploadedFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

/** A page has this time to put the focus where it wants it. */
const focusMs = 300;

/** Gives a person to a page, who has done nothing yet. */
export function openHand(page: Page): Hand {
  let clicks = 0;
  let keys = 0;

  async function click(target: Locator): Promise<void> {
    await target.click();
    clicks += 1;
  }

  async function focus(field: Locator): Promise<void> {
    await field.waitFor();
    const focused = field.and(page.locator(':focus'));
    await focused.waitFor({ timeout: focusMs }).catch(() => click(field));
  }

  async function type(text: string): Promise<void> {
    await page.keyboard.type(text);
    keys += [...text].length;
  }

  async function press(chord: string): Promise<void> {
    await page.keyboard.press(chord);
    keys += chord.split('+').length;
  }

  return {
    click,
    choose: async (list, label) => {
      await list.selectOption({ label });
      clicks += 2;
    },
    attach: async (field, file) => {
      await field.setInputFiles(file);
      clicks += 2;
    },
    write: async (field, text) => {
      await focus(field);
      await type(text);
    },
    replace: async (field, text) => {
      await focus(field);
      const selected = await page.evaluate('getSelection().toString()');
      if (selected !== (await field.inputValue())) await press('Control+a');
      await type(text);
    },
    press,
    see: async (result) => {
      await result.waitFor();
      if (await isInWindow(page, result)) return;
      await result.scrollIntoViewIfNeeded();
      clicks += 1;
    },
    doubleClick: async (target) => {
      await target.dblclick();
      clicks += 2;
    },
    effort: () => ({ clicks, keys }),
  };
}

/** Returns whether the beginning of something is in the window. */
async function isInWindow(page: Page, target: Locator): Promise<boolean> {
  const box = await target.boundingBox();
  const height = page.viewportSize()?.height ?? 0;
  return box !== null && box.y >= 0 && box.y + Math.min(box.height, 20) <= height;
}
