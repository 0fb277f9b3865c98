import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, openConsole, program } from './console-page.ts';

/* What is typed is not lost: after a first save, while it is saved, and between two views. */

describe.skipIf(program === undefined)('unsaved input in the console', () => {
  let view: Console;
  const library = '/v1.1/instances/library/';

  beforeAll(async () => {
    view = await openConsole('library');
    const schema = [{ name: 'title', type: 'string' }];
    await view.send({ path: `${library}classes/`, body: { name: 'book', schema } });
    await view.send({ path: `${library}classes/book/objects/`, body: { title: 'Emma' } });
  }, 120_000);

  afterAll(() => view?.close());

  test('is asked about also after a first save', async () => {
    const { page, ...tab } = await view.open('/i/library/settings');
    const description = page.getByLabel('Description').first();
    await description.fill('first');
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByText('Saved.').waitFor();
    await description.fill('second');
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByRole('dialog').getByText('You have unsaved changes.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();

    expect(await description.inputValue()).toBe('second');
    await tab.close();
  });

  test('stays when it was typed while the object was saved', async () => {
    const { page, ...tab } = await view.open('/i/library/data/book/1');
    await page.route('**/objects/1/', async (route) => {
      if (route.request().method() === 'PATCH') await new Promise((end) => setTimeout(end, 1_000));
      await route.continue();
    });
    const title = page.getByLabel('title', { exact: true });
    await title.fill('first');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await title.fill('first, and more');
    await page.getByText('Saved.').waitFor();

    expect(await title.inputValue()).toBe('first, and more');
    await page.unrouteAll();
    await tab.close();
  });

  test('is discarded between the form and JSON, which asks again later', async () => {
    const { page, ...tab } = await view.open('/i/library/data/book/1');
    const title = page.getByLabel('title', { exact: true });
    await title.fill('discarded');
    await page.getByRole('link', { name: 'JSON' }).click();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByLabel('Object as JSON').fill('{ "title": "typed" }');
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByText('You have unsaved changes.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await tab.close();
  });
});
