import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, openConsole, program, type Tab, widths } from './console-page.ts';

const classes = '/v1.1/instances/library/classes/';
const objects = `${classes}book/objects/`;
const grid = '/i/library/data/book';
const bookCount = 900;

describe.skipIf(program === undefined)('the grid of objects and its drawer', () => {
  let view: Console;

  beforeAll(async () => {
    view = await openConsole('library');
    const schema = [
      { name: 'title', type: 'string', filter_index: true, order_index: true },
      { name: 'pages', type: 'integer', filter_index: true, order_index: true },
      { name: 'stock', type: 'integer' },
      { name: 'words', type: 'array' },
      { name: 'read', type: 'boolean' },
      { name: 'sequel', type: 'reference', target: 'self' },
    ];
    await view.send({ path: classes, body: { name: 'book', schema } });
    for (let first = 1; first <= bookCount; first += 50) {
      const requests = Array.from({ length: 50 }, (_, index) => ({
        method: 'POST',
        path: objects,
        body: {
          title: `Book ${first + index}`,
          pages: first + index,
          words: ['a', 'b'],
          read: true,
        },
      }));
      await view.send({ path: '/v1.1/instances/library/batch/', body: { requests } });
    }
  }, 120_000);

  afterAll(() => view?.close());

  async function openGrid(width = 1280, path = grid): Promise<Tab> {
    const tab = await view.open(path, { width });
    tab.page.setDefaultTimeout(8_000);
    await tab.page.locator('.grid').waitFor({ state: 'attached' });
    return tab;
  }

  const place = ({ page }: Tab) => new URL(page.url()).hash.slice(1);
  const offset = ({ page }: Tab) =>
    page.locator('.grid-box').evaluate(({ scrollTop }) => scrollTop);

  async function scroll({ page }: Tab, pixels: number): Promise<void> {
    const box = page.locator('.grid-box');
    await expect
      .poll(
        () =>
          box.evaluate((element, top) => {
            element.scrollTop = top;
            return element.scrollTop;
          }, pixels),
        { timeout: 20_000 }, // pages are loaded meanwhile
      )
      .toBe(pixels);
  }

  test.each(widths)(
    'an object has an address, and opens over the grid, %i px wide',
    async (width) => {
      const tab = await openGrid(width, `${grid}/898?order_by=-pages`);
      const { page } = tab;
      const drawer = page.getByRole('dialog', { name: 'Book 898' });
      await drawer.getByLabel('title', { exact: true }).waitFor();
      await tab.check();
      const box = await drawer.boundingBox();
      expect(box?.width).toBe(Math.min(640, width));
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBe(width);
      const save = await drawer.getByRole('button', { name: 'Save' }).boundingBox();
      expect((save?.y ?? 1_000) + (save?.height ?? 0)).toBeLessThanOrEqual(900);

      expect(await drawer.getByLabel('words', { exact: true }).inputValue()).toBe('a\nb');
      await drawer.getByRole('button', { name: 'Previous object' }).click();
      await page.getByRole('dialog', { name: 'Book 899' }).waitFor();
      expect(place(tab)).toBe(`${grid}/899?order_by=-pages`);
      await page.getByRole('button', { name: 'Close' }).click();
      await expect.poll(() => place(tab)).toBe(`${grid}?order_by=-pages`);
      await page.getByText('Book 900', { exact: true }).waitFor();
      await page.goto(`/console/#${grid}/new`);
      await page.getByRole('dialog', { name: 'New object' }).waitFor();
      await tab.check();
      await tab.close();
    },
  );

  test('Back from an object finds the rows, the filter and the scroll position', async () => {
    const tab = await openGrid(1280, `${grid}?query=${encodeURIComponent('{"pages":{"_gt":2}}')}`);
    const { page } = tab;
    await scroll(tab, 25_000);
    const before = place(tab);
    const title = page.getByText('Book 670', { exact: true });
    await title.waitFor();
    const lists: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/objects/?')) lists.push(request.url());
    });

    await page.getByRole('link', { name: '670', exact: true }).click();
    await page
      .getByRole('dialog', { name: 'Book 670' })
      .getByLabel('title', { exact: true })
      .waitFor();
    expect(await offset(tab)).toBe(25_000);
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(place(tab)).toBe(before);
    expect(await offset(tab)).toBe(25_000);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('670');

    // also by Escape, which is the same step back, and from another screen
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Book 670' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Schedules' }).click();
    await page.getByRole('heading', { level: 1, name: 'Schedules' }).waitFor();
    await page.goBack();
    await title.waitFor();
    expect(await offset(tab)).toBe(25_000);
    expect(lists).toEqual([]);

    // a link is not a way back
    await page.getByRole('link', { name: 'Schedules' }).click();
    await page.getByRole('link', { name: 'book', exact: true }).click();
    await page.getByText('Book 1', { exact: true }).waitFor();
    expect(await offset(tab)).toBe(0);
    await tab.close();
  });

  test('asks before what is typed in the drawer is lost', async () => {
    const tab = await openGrid();
    const { page } = tab;
    const open = page.getByRole('link', { name: '5', exact: true });
    await open.click();
    const title = page.getByRole('dialog', { name: 'Book 5' }).getByLabel('title', { exact: true });
    await title.fill('Typed');
    const question = page.getByRole('dialog', { name: 'Discard your changes?' });
    for (const leave of [
      () => page.keyboard.press('Escape'),
      () => page.getByRole('link', { name: '6', exact: true }).click(),
      () => page.getByRole('link', { name: 'JSON' }).click(),
      () => page.getByRole('button', { name: 'Next object' }).click(),
    ]) {
      await leave();
      await question.getByRole('button', { name: 'Cancel' }).click();
      expect(await title.inputValue()).toBe('Typed');
    }
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Discard changes' }).click();
    await expect.poll(() => place(tab)).toBe(grid);

    // what is typed in a cell of the grid stays while a drawer is open: nothing is asked
    await page.getByText('Book 5', { exact: true }).dblclick();
    await page.getByLabel('title of object 5').fill('In the grid');
    await page.getByRole('link', { name: '6', exact: true }).click();
    await page.getByRole('dialog', { name: 'Book 6' }).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await page.getByLabel('title of object 5').inputValue()).toBe('In the grid');
    await page.getByLabel('title of object 5').press('Escape');
    await tab.close();
  });

  test('a created and a changed object are seen in the grid', async () => {
    const tab = await openGrid(1280, `${grid}?order_by=-pages`);
    const { page } = tab;
    await page.getByRole('link', { name: 'New object' }).click();
    await expect
      .poll(() => page.evaluate('document.activeElement.labels?.[0].textContent'))
      .toBe('title');
    await page.keyboard.type('Persuasion');
    await page.getByLabel('pages', { exact: true }).fill('5000');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => place(tab)).toBe(`${grid}?order_by=-pages`);
    await page.locator('.grid :focus-visible, .grid:focus').first().waitFor();
    await page.getByRole('row', { name: 'Persuasion' }).locator('.active').waitFor();
    await page.keyboard.press('Enter'); // opens the new one
    await page.getByRole('dialog', { name: 'Persuasion' }).waitFor();
    await page.getByLabel('title', { exact: true }).fill('Emma');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('gridcell', { name: 'Emma' }).waitFor();
    await page.goBack();
    await expect.poll(() => place(tab)).toBe(`${grid}?order_by=-pages`);
    await tab.close();
  });

  describe('deleting an object', () => {
    async function watchDeletions({ page }: Tab): Promise<string[]> {
      const sent: string[] = [];
      page.on('request', (request) => {
        if (request.method() === 'DELETE') sent.push(new URL(request.url()).pathname);
      });
      return sent;
    }

    async function deleteObject({ page }: Tab, id: number): Promise<void> {
      await page.getByRole('link', { name: String(id), exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText(`Object ${id} deleted`).waitFor();
      await page.getByText(`Book ${id}`, { exact: true }).waitFor({ state: 'detached' });
    }

    const exists = async (id: number) => {
      const { status } = await view.send({ path: `${objects}${id}/`, expect: [200, 404] });
      return status === 200;
    };

    test('sends nothing for five seconds, and nothing after Undo', async () => {
      const tab = await openGrid();
      const sent = await watchDeletions(tab);
      await deleteObject(tab, 10);
      await tab.page.getByRole('button', { name: 'Undo' }).click();
      await tab.page.getByText('Book 10', { exact: true }).waitFor();
      await tab.page.waitForTimeout(5_500);
      expect(sent).toEqual([]);

      await deleteObject(tab, 11);
      await tab.page.waitForTimeout(4_000);
      expect(sent).toEqual([]);
      await expect.poll(() => sent, { timeout: 3_000 }).toEqual([`${objects}11/`]);
      await expect.poll(() => exists(11)).toBe(false);
      expect(await exists(10)).toBe(true);
      await tab.close();
    });

    test('is sent at once when another screen opens, and when the page is left', async () => {
      const tab = await openGrid();
      const sent = await watchDeletions(tab);
      await deleteObject(tab, 12);
      await tab.page.getByRole('link', { name: 'Schedules' }).click();
      await expect.poll(() => sent, { timeout: 2_000 }).toEqual([`${objects}12/`]);
      await tab.page.goBack();
      await deleteObject(tab, 13);
      await tab.page.goto('/health');
      await expect.poll(() => exists(13), { timeout: 3_000 }).toBe(false);
      await tab.close();
    });

    test('is sent at once when the object is opened again', async () => {
      const tab = await openGrid();
      const { page } = tab;
      const sent = await watchDeletions(tab);
      await deleteObject(tab, 16);
      await expect.poll(() => place(tab)).toBe(grid);
      page.removeAllListeners('console'); // the browser logs the 404
      await page.goForward();
      await page.getByRole('dialog').getByRole('button', { name: 'Try again' }).waitFor();
      expect(sent).toEqual([`${objects}16/`]);
      expect(await exists(16)).toBe(false);
      expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
      await page.close();
    });

    test('that fails brings the row back, and says why', async () => {
      const tab = await openGrid();
      const { page } = tab;
      await page.route(`**${objects}14/`, async (route) => {
        if (route.request().method() !== 'DELETE') return route.continue();
        await route.fulfill({ status: 403, json: { detail: 'It is still lent.' } });
      });
      await deleteObject(tab, 14);
      await page.getByText('Object 14 was not deleted: It is still lent.').waitFor();
      await page.getByText('Book 14', { exact: true }).waitFor();
      await page.unrouteAll();
      tab.page.removeAllListeners('console');
      await tab.page.close();
    });

    test('of two objects can be undone one by one', async () => {
      const tab = await openGrid();
      await deleteObject(tab, 17);
      await deleteObject(tab, 18);
      await tab.page.getByRole('button', { name: 'Undo' }).first().click();
      await tab.page.getByRole('button', { name: 'Undo' }).first().click();
      for (const id of [17, 18]) await tab.page.getByText(`Book ${id}`, { exact: true }).waitFor();
      await tab.close();
    });

    test('is one click also for one that is selected', async () => {
      const tab = await openGrid();
      const { page } = tab;
      await page.getByRole('checkbox', { name: 'Select object 15' }).check();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('Object 15 deleted').waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('Book 15', { exact: true }).waitFor();
      await tab.close();
    });
  });

  test.each(widths)('a filter is a row of chips, %i px wide', async (width) => {
    const tab = await openGrid(width);
    const { page } = tab;
    const add = page.getByRole('button', { name: 'Filter', exact: true });
    await add.click();
    const form = page.getByRole('dialog', { name: 'Filter' });
    expect(
      await form.getByRole('option', { name: 'stock: needs a filter index' }).isDisabled(),
    ).toBe(true);
    expect(await form.getByRole('link', { name: 'Structure' }).getAttribute('href')).toBe(
      '#/i/library/structure/book',
    );
    await form.getByLabel('Field').selectOption('pages');
    await form.getByLabel('Condition').selectOption('_gt');
    await form.getByLabel('Value').fill('890');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'pages > 890', exact: true }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Filter');
    await add.click();
    await form.getByLabel('Condition').selectOption('_startswith');
    await form.getByLabel('Value').fill('Book 9');
    await page.keyboard.press('Enter');
    await page.getByText('1 object', { exact: true }).waitFor();
    await tab.check();
    const [tools, box] = await Promise.all([
      page.locator('.grid-tools').boundingBox(),
      page.locator('.grid-box').boundingBox(),
    ]);
    expect(tools?.height).toBeLessThan(width === 390 ? 160 : 40);
    expect(box?.height).toBeGreaterThan(width === 390 ? 350 : 550);

    // a chip is changed, and removed
    await page.getByRole('button', { name: 'pages > 890', exact: true }).click();
    await page.getByRole('dialog', { name: 'pages > 890' }).getByLabel('Value').fill('9000');
    await page.keyboard.press('Enter');
    await page.getByText('No object matches the filter.').waitFor();
    await tab.check();
    await page.getByRole('button', { name: 'Remove pages > 9000' }).click();
    await page.getByText('2 objects').waitFor();
    await page.getByRole('button', { name: 'title starts with Book 9', exact: true }).click();
    await page.getByRole('button', { name: 'Write as JSON' }).click();
    await page.getByLabel('Query').fill('{"pages": {"_gt": 9000}}');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'Clear filter' }).click();
    await page.getByText('Book 1', { exact: true }).waitFor();
    await tab.close();
  });

  test('the grid fills the window, has the one scroll bar and a whole focus outline', async () => {
    const tab = await openGrid();
    const { page } = tab;
    const heights = 'document.documentElement.scrollHeight - innerHeight';
    expect(await page.evaluate(heights)).toBe(0);
    const box = await page.locator('.grid-box').boundingBox();
    expect(900 - (box?.y ?? 0) - (box?.height ?? 0)).toBeLessThan(60);

    await page.getByRole('grid').focus();
    await page.keyboard.press('ArrowDown');
    const style = `getComputedStyle(document.querySelector('.grid-box')).outline`;
    expect(await page.evaluate(style)).toMatch(/ solid 2px$/);
    const active = () => page.getByRole('grid').getAttribute('aria-activedescendant');
    const rowsInView = Math.floor(((box?.height ?? 0) - 40) / 38);
    await page.keyboard.press('PageDown');
    const row = Number((await active())?.split('-')[1]);
    expect(row).toBeGreaterThan(rowsInView - 3);
    expect(row).toBeLessThanOrEqual(rowsInView + 1);
    await page.keyboard.press('PageUp');
    await page.keyboard.press('End');
    expect(await active()).toBe('cell-1-6');
    await page.keyboard.press('Home');
    expect(await active()).toBe('cell-1-0');
    await page.keyboard.press('Control+End');
    await expect.poll(() => offset(tab)).toBeGreaterThan(500);
    await tab.check();
    await tab.close();
  });

  test('a screen may change between a click on a link and the event of it', async () => {
    const tab = await openGrid();
    const { page } = tab;
    await page.evaluate(`{
      document.querySelector('a[href$="/new"]').click();
      const buttons = [...document.querySelectorAll('.grid-tools > button')];
      buttons.find(({ textContent }) => textContent === 'Export').click(); // before the other place is shown
    }`);
    await page.getByRole('dialog', { name: 'Export' }).getByLabel('Close').click();
    await page.getByRole('dialog', { name: 'New object' }).getByLabel('title').waitFor();
    await tab.close();
  });

  test('a connection that ends in the middle of a response is said, and is no mistake', async () => {
    const tab = await openGrid();
    const { page } = tab;
    await page.evaluate(`{
      const { fetch } = window;
      window.fetch = async (url, init) => {
        if (!String(url).includes('/objects/')) return fetch(url, init);
        const body = new ReadableStream({ pull: (part) => part.error(new TypeError('cut')) });
        return new Response(body, { status: 200 });
      };
    }`);
    await page.getByLabel('Order').selectOption('-pages');
    await page.getByText('The server cannot be reached.').waitFor();
    await tab.close();
  });

  test.each(widths)('an empty class says what to do next, %i px wide', async (width) => {
    await view.send({ path: classes, body: { name: 'empty', schema: [] }, expect: [201, 400] });
    const tab = await view.open('/i/library/data/empty', { width });
    await tab.page.getByText('No objects yet.').waitFor();
    expect(await tab.page.getByRole('button', { name: 'Import' }).count()).toBe(2);
    expect(await tab.page.getByRole('link', { name: 'New object' }).count()).toBe(2);
    await tab.check();
    await tab.close();
  });
});
