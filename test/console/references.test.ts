import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, openConsole, program, widths } from './console-page.ts';

const classes = '/v1.1/instances/library/classes/';
const books = `${classes}book/objects/`;

describe.skipIf(program === undefined)('references in the console', () => {
  let view: Console;

  beforeAll(async () => {
    view = await openConsole('library');
    const named = { name: 'name', type: 'string', filter_index: true };
    const author = { name: 'author', schema: [{ name: 'country', type: 'string' }, named] };
    const book = {
      name: 'book',
      schema: [
        { name: 'title', type: 'string' },
        { name: 'writer', type: 'reference', target: 'author', filter_index: true },
        { name: 'others', type: 'relation', target: 'author' },
        { name: 'reader', type: 'reference', target: 'user' },
        { name: 'sequel', type: 'reference', target: 'self' },
      ],
    };
    for (const body of [author, book]) await view.send({ path: classes, body });
    for (const name of ['Jane Austen', 'Jules Verne'])
      await view.send({ path: `${classes}author/objects/`, body: { country: 'England', name } });
    const user = { username: 'ada', password: 'a password' };
    const { body: ada } = await view.send({ path: '/v1.1/instances/library/users/', body: user });
    const others = { others: [1, 2], reader: ada.id, other_permissions: 'read' };
    for (let index = 0; index < 120; index += 1) {
      const body = { title: `Book ${index}`, writer: 1 + (index % 2), ...others };
      await view.send({ path: books, body });
    }
  }, 120_000);

  afterAll(() => view?.close());

  test.each(widths)('the grid names what a value refers to, %i px wide', async (width) => {
    const tab = await view.open('/i/library', { width });
    const { page } = tab;
    const asked: string[] = [];
    page.on('request', (request) => {
      const isUsers = request.postData()?.includes('/users/');
      if (isUsers || request.url().includes('/author/objects/')) asked.push(request.url());
    });
    await page.goto('/console/#/i/library/data/book');

    const first = page.getByRole('row').filter({ hasText: 'Book 0' });
    await first.getByRole('link', { name: '#1 Jane Austen' }).first().waitFor();
    await first.getByRole('link', { name: '#2 Jules Verne' }).waitFor();
    await first.getByRole('link', { name: 'User 1 ada' }).waitFor();
    await tab.check();
    await first.getByRole('gridcell').first().click();
    await page.keyboard.press('Control+End'); // rows leave the view, with their labels
    await first.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'User 1 ada' }).first().waitFor();
    await page.keyboard.press('Control+Home');
    await first.getByRole('link', { name: 'User 1 ada' }).waitFor();
    await page.waitForTimeout(100);
    expect(asked).toHaveLength(2);
    await tab.close();
  });

  test.each(widths)('the form names what a value refers to, %i px wide', async (width) => {
    const tab = await view.open('/i/library/data/book', { width });
    const { page } = tab;
    const first = page.getByRole('row').filter({ hasText: 'Book 0' });
    await first.getByRole('rowheader').getByRole('link').click();
    const writer = page.locator('[data-field=writer]');
    await writer.getByRole('link', { name: '#1 Jane Austen' }).waitFor();
    await page.getByLabel('writer', { exact: true }).fill('2');
    await writer.getByRole('link', { name: '#2 Jules Verne' }).waitFor();
    await tab.check();
    await page.getByRole('button', { name: 'Choose writer' }).click();
    await page.getByRole('button', { name: '#1 Jane Austen · England' }).waitFor();
    await tab.close();
  });

  test.each(widths)('a filter finds what it refers to by its name, %i px wide', async (width) => {
    const tab = await view.open('/i/library/data/book', { width });
    const { page } = tab;
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByLabel('Field').selectOption('writer');
    await page.getByRole('button', { name: 'Choose Value' }).click();
    await page.getByLabel('Starts with').fill('Jules');
    await page.getByRole('button', { name: /Jane/ }).waitFor({ state: 'detached' });
    await page.getByLabel('Starts with').press('Enter'); // does not apply the filter
    await page.getByRole('button', { name: /^#2 Jules Verne/ }).click();
    const filter = page.getByRole('dialog', { name: 'Filter' });
    await filter.getByRole('link', { name: '#2 Jules Verne' }).waitFor();
    await tab.check();
    await filter.getByLabel('Condition').selectOption('_in');
    await filter.getByLabel('Value', { exact: true }).fill('1');
    await filter.getByRole('button', { name: 'Add to Value' }).click();
    await page.getByRole('button', { name: /^#2 Jules Verne/ }).click();
    await filter.getByRole('link', { name: '#2 Jules Verne' }).waitFor();
    await filter.getByRole('link', { name: '#1 Jane Austen' }).waitFor();
    await filter.getByLabel('Condition').selectOption('_eq');
    await filter.getByLabel('Value', { exact: true }).fill('2');
    await filter.getByLabel('Value', { exact: true }).press('Enter');
    await page.getByRole('button', { name: 'Remove writer = 2' }).waitFor();
    await page.getByText('Book 1', { exact: true }).waitFor();
    expect(await page.getByText('Book 0', { exact: true }).count()).toBe(0);
    await tab.close();
  });

  test('a label changes with its object', async () => {
    const { body: renamed } = await view.send({ path: books, body: { title: 'Draft' } });
    const { body: object } = await view.send({ path: books, body: { sequel: renamed.id } });
    const query = encodeURIComponent(JSON.stringify({ id: { _gte: renamed.id } }));
    const tab = await view.open(`/i/library/data/book?query=${query}`);
    const { page } = tab;
    await page.getByRole('link', { name: `#${renamed.id} Draft` }).waitFor();
    await page.getByRole('gridcell', { name: 'Draft', exact: true }).dblclick();
    await page.keyboard.type('Final');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: `#${renamed.id} Final` }).waitFor();

    expect(object.sequel.value).toBe(renamed.id);
    await tab.close();
  });

  test('a class that a view may not read is not asked for names', async () => {
    const { body: key } = await view.send({
      path: '/v1.1/instances/library/api_keys/',
      body: { description: 'shop', allow_anonymous_read: true },
    });
    const rights = { other_permissions: 'none' };
    await view.send({ method: 'PATCH', path: `${classes}author/`, body: rights });
    const tab = await view.open('/i/library/keys');
    const { page } = tab;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.getByRole('row', { name: 'shop' }).getByRole('button', { name: 'View as' }).click();
    await page.getByText('Viewing library as').waitFor();
    const read = page.waitForResponse((response) => response.url().endsWith('/classes/author/'));
    await page.goto('/console/#/i/library/data/book');
    expect((await read).status()).toBe(404);
    await page.getByRole('link', { name: '#1', exact: true }).first().waitFor();

    expect(asked).toContain(books);
    expect(asked).not.toContain(`${classes}author/objects/`);
    expect(key.description).toBe('shop');
    await tab.close();
  });

  test.each(widths)('a new field asks what it refers to, %i px wide', async (width) => {
    const tab = await view.open('/i/library/structure', { width });
    const { page } = tab;
    await page.getByLabel('Name', { exact: true }).fill(`loan_${width}`);
    await page.getByRole('button', { name: 'reference', exact: true }).click();
    const field = page.getByRole('group', { name: 'New field' });
    await field.getByLabel('Field name').fill('lent');
    const target = page.getByRole('group', { name: 'lent' }).getByLabel('Refers to');
    expect(await target.inputValue()).toBe('');
    await tab.check();
    await page.getByRole('button', { name: 'Create class' }).click();
    await expect
      .poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")'))
      .toBe('Refers to');
    await page.getByText('Refers to: Choose one.').waitFor(); // no bubble of the browser
    await tab.check();
    await target.selectOption('this class');
    expect(await page.getByText('Choose one.').count()).toBe(0);
    await page.getByRole('button', { name: 'Create class' }).click();
    await page.getByRole('heading', { name: `loan_${width}`, level: 1 }).waitFor();

    const { body } = await view.send({ path: `${classes}loan_${width}/` });
    expect(body.schema).toEqual([{ name: 'lent', type: 'reference', target: 'self' }]);
    await tab.close();
  });
});
