import type { Locator } from 'playwright-core';

/**
 * Replaces the text of a code editor by pasting, as a person would. `fill` has the browser insert styled elements, which
 * the policy of the console blocks.
 */
export async function writeCode(editor: Locator, text: string): Promise<void> {
  await editor.page().evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await editor.press('ControlOrMeta+a');
  await editor.press('ControlOrMeta+v');
}
