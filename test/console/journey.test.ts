import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, openConsole, program, type Tab, widths } from './console-page.ts';
import { sixFields } from './ten-tasks/tasks.ts';
import { writeCode } from './write-code.ts';

/* A person who has never seen a command line builds a backend: in one tab, with what the screens offer. */

const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

describe.skipIf(program === undefined)('a journey through the console', () => {
  let view: Console;

  beforeAll(async () => {
    view = await openConsole('elsewhere');
  }, 120_000);

  afterAll(() => view?.close());

  test.each(widths)(
    'from the sign-up to a restored backup, %i px wide',
    async (width) => {
      const instance = `shelf-${width}`;
      const tab = await view.open('/sign-up', { width, isStranger: true });
      await signUp(tab, instance);

      await makeClass(tab);
      await addRows(tab);
      await filterAndExport(tab);
      await makeUserAndKey(tab);
      await writeScript(tab);
      await automate(tab);
      await watchChannel(tab);
      await readCharts(tab);
      await restoreBackup(tab, instance);

      await tab.close();
    },
    240_000,
  );
});

/** Opens a screen by the navigation, which is behind a button in narrow windows. */
async function go(page: Page, screen: string): Promise<void> {
  const menu = page.getByRole('button', { name: 'Menu' });
  if (await menu.isVisible()) await menu.click();
  await page.getByRole('link', { name: screen, exact: true }).first().click();
  await page.getByRole('heading', { level: 1, name: screen }).waitFor();
}

async function signUp({ page, check }: Tab, instance: string): Promise<void> {
  await page.getByLabel('E-mail').fill(`owner-of-${instance}@example.com`);
  await page.getByLabel('Password').fill('a password');
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.getByRole('button', { name: 'New instance' }).first().click();
  await page.getByLabel('Name').fill(instance);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('heading', { name: instance }).waitFor();
  await check();
}

async function makeClass({ page, check }: Tab): Promise<void> {
  await go(page, 'Classes');
  await page.getByRole('link', { name: 'New class' }).click();
  await page.getByRole('heading', { level: 1, name: 'New class' }).waitFor(); // the list has a field “Filter by name”
  await page.getByLabel('Name', { exact: true }).fill('book');
  for (const [type, name] of sixFields) {
    const field = page.getByRole('group', { name: 'New field' });
    await field.getByLabel('Type').selectOption(type);
    await field.getByLabel('Field name').fill(name);
    await page.keyboard.press('Enter');
  }
  for (const name of ['title', 'pages']) {
    await page.getByRole('group', { name }).getByLabel('Filter').check();
  }
  await check();
  await page.getByRole('button', { name: 'Create class' }).click();
  await page.getByRole('heading', { level: 1, name: 'book' }).waitFor();
}

async function addRows({ page, check }: Tab): Promise<void> {
  for (const [title, pages] of [
    ['Emma', '474'],
    ['Persuasion', '249'],
  ] as const) {
    await go(page, 'Classes');
    await page.getByRole('link', { name: 'Objects of book' }).click();
    await page.getByRole('link', { name: 'New object' }).first().click();
    await page.getByLabel('title', { exact: true }).fill(title);
    await page.getByLabel('pages', { exact: true }).fill(pages);
    await page
      .getByLabel('cover', { exact: true })
      .setInputFiles({ name: 'cover.png', mimeType: 'image/png', buffer: picture });
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('row', { name: title }).getByRole('link').first().click();
    await page.getByAltText('The stored file').waitFor();
    await check();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
  }
}

async function filterAndExport({ page, check }: Tab): Promise<void> {
  await go(page, 'Classes');
  await page.getByRole('link', { name: 'Objects of book' }).click();
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByLabel('Field').selectOption('pages');
  await page.getByLabel('Condition').selectOption('_lt');
  await page.getByLabel('Value').fill('300');
  await page.keyboard.press('Enter');
  await page.getByText('1 object', { exact: true }).waitFor();
  await check();
  await page.evaluate('window.showSaveFilePicker = undefined');
  await page.getByRole('button', { name: 'Export' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('dialog').getByRole('button', { name: 'Export' }).click(),
  ]);
  const [head = '', ...rows] = readFileSync(await download.path(), 'utf8')
    .trim()
    .split(/\r?\n/);
  expect(head).toContain('title');
  expect(rows.map((row) => row.includes('Persuasion'))).toEqual([true]);
}

async function makeUserAndKey({ page, check }: Tab): Promise<void> {
  await go(page, 'Users');
  await page.getByRole('button', { name: 'New user' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('ada');
  await page.getByLabel('Password').fill('first password');
  await page.getByRole('button', { name: 'Create user' }).click();
  await page.getByRole('heading', { name: 'ada', level: 1 }).waitFor();
  await go(page, 'API keys');
  await page.getByRole('button', { name: 'New API key' }).first().click();
  await page.getByLabel('Name of the app').fill('my app');
  await page.getByRole('button', { name: 'Create API key' }).click();
  await page.getByRole('row', { name: 'my app' }).waitFor();
  await check();
}

async function writeScript({ page, check }: Tab): Promise<void> {
  await go(page, 'Scripts');
  await page.getByRole('button', { name: 'New script' }).first().click();
  await page.getByLabel('Label', { exact: true }).fill('greet');
  await page.getByRole('button', { name: 'Create script' }).click();
  const source = page.getByRole('textbox', { name: 'Source' });
  await writeCode(source, 'console.log("hello", ARGS.title || "nobody");');
  await source.press('Control+Enter');
  await page.getByRole('region', { name: 'Output' }).getByText('hello nobody').waitFor();
  const parts = page.getByRole('navigation', { name: /^Parts of/ });
  await parts.getByRole('link', { name: 'Endpoints' }).click();
  await page.getByRole('button', { name: 'New endpoint' }).click();
  await page.getByLabel('Name').fill('greet');
  await page.getByRole('button', { name: 'Create endpoint', exact: true }).click();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page
    .getByRole('region', { name: 'Response', exact: true })
    .getByText('hello nobody')
    .waitFor();
  await check();
}

async function automate({ page, check }: Tab): Promise<void> {
  await go(page, 'Triggers');
  await page.getByRole('button', { name: 'New trigger' }).first().click();
  await page.getByLabel('Label').fill('new books');
  await page.getByLabel('Class').selectOption('book');
  await page.getByLabel('Script to run').selectOption({ label: 'greet' });
  await page.getByRole('button', { name: 'Create trigger' }).click();
  await page.getByRole('heading', { level: 1, name: 'new books' }).waitFor();
  await check();
  await go(page, 'Schedules');
  await page.getByRole('button', { name: 'New schedule' }).first().click();
  await page.getByLabel('Label').fill('nightly');
  await page.getByLabel('Script to run').selectOption({ label: 'greet' });
  await page.getByRole('button', { name: 'Create schedule' }).click();
  await page.getByRole('heading', { level: 1, name: 'nightly' }).waitFor();
  await check();
}

async function watchChannel({ page, check }: Tab): Promise<void> {
  await go(page, 'Channels');
  await page.getByRole('button', { name: 'New channel' }).click();
  await page.getByLabel('Name').fill('news');
  await page.getByRole('button', { name: 'Create channel' }).click();
  await page.getByText('live', { exact: true }).waitFor();
  await page.getByLabel('Payload (JSON)').fill('{ "text": "a new book" }');
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByRole('region', { name: 'Live messages' }).getByText('a new book').waitFor();
  await check();
}

async function readCharts({ page, check }: Tab): Promise<void> {
  await go(page, 'Usage');
  await page.locator('canvas').first().waitFor();
  await check();
}

async function restoreBackup({ page, check }: Tab, instance: string): Promise<void> {
  await go(page, 'Backups');
  await page.getByRole('button', { name: 'Back up now' }).first().click();
  await page.getByLabel('Label').fill('before the fair');
  await page.getByRole('button', { name: 'Create' }).click();
  const row = page.getByRole('row', { name: 'before the fair' });
  await row.getByText('success').waitFor();
  await go(page, 'Classes');
  await page.getByRole('link', { name: 'Objects of book' }).click();
  await page
    .getByRole('checkbox', { name: /^Select object/ })
    .first()
    .check();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Object 1 deleted').waitFor();
  await go(page, 'Backups');
  await row.getByRole('button', { name: 'Restore…' }).click();
  await page.getByLabel(`Type ${instance} to confirm`).fill(instance);
  await page.getByRole('button', { name: 'Replace the contents' }).click();
  await page.getByRole('region', { name: 'Restores' }).getByText('success').waitFor();
  await go(page, 'Classes');
  await page.getByRole('link', { name: 'Objects of book' }).click();
  for (const title of ['Emma', 'Persuasion']) await page.getByText(title).first().waitFor();
  await check();
}
