import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Console, openConsole, program, type Tab, widths } from './console-page.ts';

const classes = '/v1.1/instances/library/classes/';
const objects = `${classes}book/objects/`;
const hostile = [
  '<img src=x onerror="window.ran=1">',
  'javascript:window.ran=2',
  '"><script>window.ran=3</script>',
];
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

describe.skipIf(program === undefined)('objects in the console', () => {
  let view: Console;

  beforeAll(async () => {
    view = await openConsole('library');
  }, 120_000);

  beforeEach(async () => {
    await view.send({ method: 'DELETE', path: `${classes}book/`, expect: [204, 404] });
    const schema = [
      { name: 'title', type: 'string', filter_index: true, order_index: true },
      { name: 'pages', type: 'integer', filter_index: true, order_index: true },
      { name: 'summary', type: 'text' },
      { name: 'cover', type: 'file' },
      { name: 'sequel', type: 'reference', target: 'self' },
    ];
    await view.send({ path: classes, body: { name: 'book', schema } });
    for (const [index, title] of ['Emma', '=1+1', 'He said "no", twice', ...hostile].entries()) {
      await view.send({
        path: objects,
        body: { title, pages: index, summary: 'Word. '.repeat(50) },
      });
    }
  });

  afterAll(() => view?.close());

  async function openGrid(width: number): Promise<Tab> {
    const tab = await view.open('/i/library/data/book', { width });
    tab.page.setDefaultTimeout(5_000);
    await tab.page.getByRole('grid').waitFor();
    return tab;
  }

  async function titles(): Promise<readonly string[]> {
    const { body } = await view.send({ path: `${objects}?fields=title` });
    return body.objects.map(({ title }: { title: string }) => title);
  }

  test('a file that is deleted before the object is saved is named as the cause', async () => {
    const tab = await view.open('/i/library/data/book/new');
    const { page } = tab;
    const folder = mkdtempSync(join(tmpdir(), 'groundwork-file-'));
    writeFileSync(join(folder, 'cover.png'), picture);
    const cover = page.getByLabel('cover', { exact: true });
    await cover.setInputFiles(join(folder, 'cover.png'));
    await page.getByRole('button', { name: 'Remove cover' }).click();
    await cover.setInputFiles(join(folder, 'cover.png')); // for a browser, no change
    await page.getByRole('button', { name: 'Remove cover' }).waitFor();
    await page.waitForFunction("document.querySelector('dialog img')?.naturalWidth > 0");
    rmSync(folder, { recursive: true });
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('The file was changed or removed. Choose it again.').waitFor();
    await tab.close();
  });

  test.each(widths)('an object with a picture is made, %i px wide', async (width) => {
    const tab = await view.open('/i/library/data/book/new', { width });
    const { page } = tab;
    await page.getByLabel('title', { exact: true }).fill('Persuasion');
    await page
      .getByLabel('cover', { exact: true })
      .setInputFiles({ name: `${hostile[0]}.png`, mimeType: 'image/png', buffer: picture });
    await tab.check();
    await page.getByRole('button', { name: 'Create', exact: true }).click();

    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('row', { name: 'Persuasion' }).last().getByRole('link').first().click();
    await page.getByAltText('The stored file').waitFor();
    await tab.check();
    expect((await titles()).at(-1)).toBe('Persuasion');
    await tab.close();
  });

  test.each(widths)('hostile values are shown as text, %i px wide', async (width) => {
    const tab = await openGrid(width);
    for (const value of hostile) await tab.page.getByText(value, { exact: true }).waitFor();
    await tab.check();

    expect(await tab.page.evaluate('window.ran')).toBeUndefined();
    await tab.page
      .getByRole('link', { name: /^more of summary/ })
      .first()
      .click();
    const summary = tab.page.getByLabel('summary', { exact: true });
    expect(await summary.inputValue()).toBe('Word. '.repeat(50));
    await expect
      .poll(() => summary.evaluate('document.activeElement.id'))
      .toBe(await summary.getAttribute('id'));
    await tab.check();
    await tab.close();
  });

  test('a cell is edited by keyboard, unless another was faster', async () => {
    const tab = await openGrid(1280);
    const { page } = tab;
    const [first] = (await view.send({ path: objects })).body.objects;
    await page.getByRole('grid').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.getByLabel(`title of object ${first.id}`).fill('Mine');
    await view.send({ method: 'PATCH', path: `${objects}${first.id}/`, body: { title: 'Theirs' } });
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: 'Theirs' }).waitFor();
    await tab.check();
    await page.getByRole('button', { name: 'Overwrite with yours' }).click();

    await page.getByRole('gridcell', { name: 'Mine' }).waitFor();
    expect((await titles())[0]).toBe('Mine');
    await tab.close();
  });

  test('a cell takes the first key after a double click', async () => {
    const tab = await openGrid(1280);
    const { page } = tab;
    await page.getByText('Emma', { exact: true }).click();
    // a key that follows at once comes after what the event has left to run, and before the next frame
    const focused = await page.evaluate(`(async () => {
      document.querySelector('td.active').dispatchEvent(new MouseEvent('dblclick', { bubbles: true }));
      await Promise.resolve();
      return document.activeElement.getAttribute('aria-label');
    })()`);

    expect(focused).toMatch(/^title of object/);
    await page.keyboard.type('Persuasion');
    await page.keyboard.press('Enter');
    await page.getByRole('gridcell', { name: 'Persuasion', exact: true }).waitFor();
    await tab.close();
  });

  /** Returns where the text of a cell, or the content of its control, begins and ends; in code of the page. */
  const edges = (name: string) => `(() => {
    const cell = document.querySelector('td[data-label=${name}]');
    const range = document.createRange();
    range.selectNodeContents(cell);
    const { left, right } = (cell.querySelector('input') ?? range).getBoundingClientRect();
    return { left: Math.round(left), right: Math.round(right) };
  })()`;

  test.each([
    [1280, 'title', 'left'],
    [1280, 'pages', 'right'],
    [390, 'title', 'left'],
    [390, 'pages', 'left'],
  ] as const)(
    'an edited value stays where it was, in one frame, %i px wide: %s',
    async (...given) => {
      const [width, name, side] = given;
      const tab = await openGrid(width);
      const { page } = tab;
      const before = await page.evaluate<Record<string, number>>(edges(name));
      const cell = page.locator(`td[data-label=${name}]`).first();
      await cell.dblclick();
      const input = cell.locator('input');
      await input.waitFor();
      const after = await page.evaluate<Record<string, number>>(edges(name));
      expect(after[side]).toBe(before[side]);
      expect(await cell.textContent()).toBe(''); // the value is not there twice
      const style = "getComputedStyle(document.querySelector('td > input[inputmode]'))";
      const look = `[${style}.borderTopWidth, ${style}.outlineStyle, ${style}.textAlign]`;
      expect(await page.evaluate(look)).toEqual(['0px', 'none', side]);
      await tab.check();
      await tab.close();
    },
  );

  test('a class with one field, and without objects, is laid out well', async () => {
    const schema = [{ name: 'title', type: 'string' }];
    await view.send({ path: classes, body: { name: 'one', schema } });
    const tab = await view.open('/i/library/data/one');
    const { page } = tab;
    await page.locator('.empty').waitFor();
    const middles: number[] = await page.evaluate(`(() => {
      const middleOf = (first, last) =>
        (first.getBoundingClientRect().left + last.getBoundingClientRect().right) / 2;
      const buttons = document.querySelectorAll('.empty .actions > *');
      const box = document.querySelector('.empty');
      return [middleOf(box, box), middleOf(buttons[0], buttons[1])];
    })()`);
    expect(middles[1]).toBeCloseTo(middles[0] ?? 0, 0);

    await view.send({ path: `${classes}one/objects/`, body: { title: 'Emma' } });
    await page.reload();
    const cell = page.getByRole('grid').locator('td.select');
    expect((await cell.boundingBox())?.width).toBeLessThan(50);
    await tab.close();
  });

  test.each(widths)('a conflict in the JSON view is decided, %i px wide', async (width) => {
    const [first] = (await view.send({ path: objects })).body.objects;
    const path = `${objects}${first.id}/`;
    const tab = await view.open(`/i/library/data/book/${first.id}?view=json`, { width });
    const { page } = tab;
    const text = page.getByLabel('Object as JSON');
    const write = async (change: object) => {
      await text.fill(JSON.stringify({ ...JSON.parse(await text.inputValue()), ...change }));
    };
    const save = page.getByRole('button', { name: 'Save' });

    await write({ title: 'Mine' });
    await view.send({ method: 'PATCH', path, body: { title: 'Theirs', pages: 7 } });
    await save.click();
    await page.getByRole('cell', { name: 'Theirs' }).waitFor();
    await page.getByRole('cell', { name: 'Mine' }).waitFor();
    await tab.check();
    await page.getByRole('button', { name: 'Overwrite with yours' }).click();
    await page.getByText('Saved.').waitFor();
    expect((await view.send({ path })).body).toMatchObject({ title: 'Mine', pages: 7 });

    await write({ title: 'Again mine' });
    await view.send({ method: 'PATCH', path, body: { title: 'Again theirs' } });
    await save.click();
    await page.getByRole('button', { name: 'Keep theirs' }).click();
    await expect.poll(() => text.inputValue()).toContain('Again theirs');
    expect((await view.send({ path })).body.title).toBe('Again theirs');
    await tab.close();
  });

  test.each(widths)(
    'what is typed in a cell is kept while others are seen, %i px wide',
    async (width) => {
      for (let batch = 0; batch < 6; batch += 1) {
        const requests = Array.from({ length: 50 }, (_, index) => ({
          method: 'POST',
          path: objects,
          body: { title: `More ${batch * 50 + index}` },
        }));
        await view.send({ path: '/v1.1/instances/library/batch/', body: { requests } });
      }
      const [first, second] = (await view.send({ path: objects })).body.objects;
      const tab = await openGrid(width);
      const { page } = tab;
      const box = page.locator('.grid-box');
      const scroll = async (top: number) => {
        await box.evaluate((element, top) => {
          element.scrollTop = top;
        }, top);
      };
      const editorOf = ({ id }: { id: number }) => page.getByLabel(`title of object ${id}`);

      await page.getByText(first.title, { exact: true }).dblclick();
      await editorOf(first).fill('Typed at first');
      const cell = page.getByRole('gridcell').filter({ has: editorOf(first) });
      const [editor, around] = await Promise.all([
        editorOf(first).boundingBox(),
        cell.boundingBox(),
      ]);
      if (editor === null || around === null) throw new Error('the editor is not seen');
      expect(editor.x + editor.width).toBeLessThanOrEqual(around.x + around.width);
      expect(editor.y + editor.height).toBeLessThanOrEqual(around.y + around.height);
      await page.getByText(second.title, { exact: true }).dblclick();
      await editorOf(second).fill('Typed then');
      await scroll(1_000_000);
      await expect.poll(() => editorOf(first).count()).toBe(0);
      // the keyboard goes on in the grid
      const focused = () => page.evaluate('document.activeElement.getAttribute("role")');
      await expect.poll(focused).toBe('grid');
      await page.getByText('2 unsaved cells').waitFor();
      await tab.check();
      await scroll(0);
      expect(await editorOf(first).inputValue()).toBe('Typed at first');
      expect(await editorOf(second).inputValue()).toBe('Typed then');

      // a saved draft is gone, and so is a cancelled one
      await editorOf(first).press('Enter');
      await page.getByText('Typed at first', { exact: true }).waitFor();
      await editorOf(second).press('Escape');
      await page.getByText(second.title, { exact: true }).dblclick();
      expect(await editorOf(second).inputValue()).toBe(second.title);
      expect((await titles()).slice(0, 2)).toEqual(['Typed at first', second.title]);
      await tab.close();
    },
  );

  test.each(widths)('a filter and an order are in the address, %i px wide', async (width) => {
    const tab = await openGrid(width);
    const { page } = tab;
    await page.getByLabel('Order').selectOption('-pages');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByLabel('Field').selectOption('pages');
    await page.getByLabel('Condition').selectOption('_lt');
    await tab.check();
    await page.getByLabel('Value').fill('2');
    await page.keyboard.press('Enter');
    await page.getByText('2 objects', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'pages < 2', exact: true }).waitFor();
    await tab.check();

    const { searchParams } = new URL(page.url().replace('#', ''));
    expect(Object.fromEntries(searchParams)).toEqual({
      order_by: '-pages',
      query: '{"pages":{"_lt":2}}',
    });
    await tab.close();
  });

  test('a heading sorts', async () => {
    const tab = await openGrid(1280);
    const heading = tab.page.getByRole('columnheader', { name: 'title' });
    await heading.getByRole('button').click();
    await tab.page.getByRole('columnheader', { name: 'title ▲' }).waitFor();

    expect(await heading.getAttribute('aria-sort')).toBe('ascending');
    await tab.close();
  });

  test.each(widths)('selected objects are deleted, %i px wide', async (width) => {
    const tab = await openGrid(width);
    const { page } = tab;
    await page
      .getByRole('checkbox', { name: /^Select object/ })
      .nth(0)
      .check();
    await page
      .getByRole('checkbox', { name: /^Select object/ })
      .nth(1)
      .check();
    await page.getByText('2 selected').waitFor();
    await tab.check();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByLabel('Type book to confirm').fill('book');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('2 objects deleted.').waitFor();

    expect(await titles()).toEqual(['He said "no", twice', ...hostile]);
    await tab.close();
  });

  test.each(widths)('an exported file is imported as it was, %i px wide', async (width) => {
    const tab = await openGrid(width);
    const { page } = tab;
    const before = await titles();
    await page.evaluate('window.showSaveFilePicker = undefined');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByLabel('Safe for spreadsheets').uncheck();
    await tab.check();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('dialog').getByRole('button', { name: 'Export' }).click(),
    ]);
    const text = readFileSync(await download.path(), 'utf8');
    expect(text.split('\r\n').slice(0, 3)).toEqual([
      'title,pages,summary,cover,sequel',
      `Emma,0,"${'Word. '.repeat(50)}",,`,
      `=1+1,1,"${'Word. '.repeat(50)}",,`,
    ]);

    await page.getByRole('button', { name: 'Import' }).first().click();
    const file = { name: 'books.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
    await page.getByLabel('CSV or JSON lines file').setInputFiles(file);
    await page.getByText('Match the columns').waitFor();
    await tab.check();
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
    await page.getByText(`${before.length} objects imported.`).waitFor();

    expect(await titles()).toEqual([...before, ...before]);
    await tab.close();
  });

  test('an export ends quietly when no file is chosen', async () => {
    const tab = await openGrid(1280);
    const { page } = tab;
    const dismissed = `Promise.reject(new DOMException('The user aborted a request.', 'AbortError'))`;
    await page.evaluate(`window.showSaveFilePicker = () => ${dismissed}`);

    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Export' }).click();
    await dialog.getByRole('button', { name: 'Export' }).waitFor();

    expect(await page.getByRole('alert').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await tab.close();
  });

  test('a change of many objects stops without an error', async () => {
    const tab = await openGrid(1280);
    const { page } = tab;
    await page.route('**/batch/', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
    const count = (await titles()).length;

    await page.getByLabel('Select all loaded objects').check();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByLabel('Type book to confirm').fill('book');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });

    // the running batch ends, and what it did is told
    await page.getByText(`${count} objects deleted.`).waitFor();
    expect(await titles()).toEqual([]);
    await tab.close();
  });
});
