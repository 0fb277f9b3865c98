import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, openConsole, program, type Tab } from './console-page.ts';

const classes = '/v1.1/instances/library/classes/';
const objects = `${classes}book/objects/`;
const rowCount = 60_000;
const heldBytes = 6_000_000; // a stream reads some megabytes ahead

/** Makes a file in the page, and keeps what is read of it: the whole size at once, or parts of a stream. */
const watched = `
  window.read = { bytes: 0, largest: 0, sent: 0, ahead: 0, isInOrder: true };
  const note = (size) => { read.bytes += size; read.largest = Math.max(read.largest, size); };
  for (const name of ['text', 'arrayBuffer']) {
    const original = Blob.prototype[name];
    Blob.prototype[name] = function () { note(this.size); return original.call(this); };
  }
  for (const name of ['readAsText', 'readAsArrayBuffer']) {
    FileReader.prototype[name] = () => { throw new Error('a file is read as a whole'); };
  }
  const { stream } = Blob.prototype;
  Blob.prototype.stream = function () {
    const count = new TransformStream({
      transform(chunk, controller) { note(chunk.byteLength); controller.enqueue(chunk); },
    });
    return stream.call(this).pipeThrough(count);
  };
  window.choose = (name, count, rowOf) => {
    const parts = [];
    for (let row = 0; row < count; row += 1) parts.push(rowOf(row));
    const transfer = new DataTransfer();
    const file = new File(name.endsWith('.csv') ? ['title,pages,summary\\n', ...parts] : parts, name);
    transfer.items.add(file);
    const input = document.querySelector('dialog input[type=file]');
    input.files = transfer.files;
    input.dispatchEvent(new Event('change', { bubbles: true }));
    window.fileSize = file.size;
    return file.size;
  };
`;

/** Has the page itself respond to batches: a server would take minutes for so many. */
const answered = `
  const mayGoOn = new Promise((resolve) => { window.goOn = resolve; });
  const { fetch } = window;
  window.fetch = async (url, init) => {
    if (!url.endsWith('/batch/')) return fetch(url, init);
    const { requests } = JSON.parse(init.body);
    if (read.sent === 0) read.checked = read.bytes; // all of it, before anything is written
    read.ahead = Math.max(read.ahead, read.bytes - read.checked - (read.sent / ${rowCount}) * fileSize);
    read.isInOrder &&= requests.every(({ body }, index) => Number(body.pages) === read.sent + index);
    read.sent += requests.length;
    if (read.sent > requests.length) await mayGoOn;
    return Response.json(requests.map(() => ({ code: 201, content: {} })));
  };
`;

/** Returns a promise, and a function that resolves it. */
function hold() {
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  return { held, goOn };
}

/** What was read of a file, in bytes, and what was sent of it. */
interface Read {
  readonly bytes: number;
  /** Before the first was sent. */
  readonly checked: number;
  /** At once. */
  readonly largest: number;
  /** Rows. */
  readonly sent: number;
  /** More than was sent. */
  readonly ahead: number;
  readonly isInOrder: boolean;
}

/** Rows of a large file, in code of the page. The records of the CSV have line breaks in quotes. */
const rows = {
  'many.csv':
    "(row) => '\"Row \"\"' + row + '\"\"\\nof many\",' + row + ',' + 'Wörter '.repeat(60) + '\\n'",
  'many.jsonl':
    "(row) => JSON.stringify({ title: 'Row ' + row, pages: row, summary: 'Wörter '.repeat(60) }) + '\\n'",
};

describe.skipIf(program === undefined)('import in the console', () => {
  let view: Console;

  beforeAll(async () => {
    view = await openConsole('library');
    const schema = [
      { name: 'title', type: 'string', filter_index: true },
      { name: 'pages', type: 'integer', filter_index: true, order_index: true },
      { name: 'summary', type: 'text' },
    ];
    await view.send({ path: classes, body: { name: 'book', schema } });
  }, 120_000);

  afterAll(() => view?.close());

  async function openImport(): Promise<Tab> {
    const tab = await view.open('/i/library/data/book');
    await tab.page.evaluate(watched);
    await tab.page.getByRole('button', { name: 'Import' }).first().click();
    return tab;
  }

  test.each(Object.entries(rows))(
    '%s of many rows is read as it is sent',
    async (name, rowOf) => {
      const tab = await openImport();
      const { page } = tab;
      const size: number = await page.evaluate(`choose('${name}', ${rowCount}, ${rowOf})`);
      await page.evaluate(answered);
      if (name.endsWith('.csv')) await page.getByText('Match the columns').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
      await page.getByRole('progressbar', { name: 'Read so far' }).waitFor();
      await tab.check();
      await page.evaluate('goOn()');
      await page.getByText('60,000 objects imported.').waitFor({ timeout: 40_000 });

      const read: Read = await page.evaluate('window.read');
      process.stdout.write(`${name} of ${size} bytes: ${JSON.stringify(read)}\n`);
      expect(size).toBeGreaterThan(4 * heldBytes);
      expect(read).toMatchObject({ sent: rowCount, isInOrder: true });
      expect(read.largest).toBeLessThan(heldBytes);
      expect(read.checked).toBeGreaterThanOrEqual(size);
      expect(read.ahead).toBeLessThan(heldBytes);
      await tab.close();
    },
    240_000,
  );

  test('rows arrive, and those that do not are reported by line', async () => {
    const tab = await openImport();
    const { page } = tab;
    const rowOf = `(row) => row === 60 ? '{"title": \\n' : (${rows['many.jsonl']})(row === 61 ? 'x' : row)`;
    await page.evaluate(`choose('some.jsonl', 1000, ${rowOf})`);
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
    await page.getByText('2 of 1,000 rows cannot be imported:').waitFor({ timeout: 40_000 });
    await page.getByText(/^Row 61: This is not JSON/).waitFor();
    await page.getByText("Row 62, pages: 'x' is not a whole number").waitFor();
    expect((await view.send({ path: objects })).body.objects).toEqual([]); // nothing is written yet
    await tab.check();
    await page.getByRole('button', { name: 'Import the other 998 rows' }).click();
    await page.getByText('998 objects imported.').waitFor({ timeout: 40_000 });
    await page.getByText('2 not imported').waitFor();
    await page.getByText(/^Row 61: This is not JSON/).waitFor();
    await page.getByText("Row 62, pages: 'x' is not a whole number").waitFor();
    await tab.check();

    const { body } = await view.send({ path: `${objects}?order_by=-pages&page_size=1` });
    expect(body.objects[0]).toMatchObject({
      title: 'Row 999',
      pages: 999,
      summary: 'Wörter '.repeat(60),
    });
    await tab.close();
  });

  /** Chooses a file of given bytes. */
  const chooseBytes = (name: string, bytes: Uint8Array) => `{
    const transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(${JSON.stringify([...bytes])})], '${name}'));
    const input = document.querySelector('dialog input[type=file]');
    input.files = transfer.files;
    input.dispatchEvent(new Event('change', { bubbles: true }));
  }`;

  test('CSV as spreadsheets write it is imported as it is, or refused with its line', async () => {
    const tab = await openImport();
    const { page } = tab;
    const latin = 'title;pages;summary;\r\nZ\xfcrich;70001;x;\r\n;;;\r\nno;70002\r\n';
    await page.evaluate(chooseBytes('sheet.csv', Buffer.from(latin, 'latin1')));
    await page.getByText('Choose the encoding: line 2: the bytes are not text in UTF-8').waitFor();
    await page.getByLabel('Encoding').selectOption('windows-1252');
    await page.getByText('Match the columns').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
    await page.getByText('Row 4: there is no cell for column 3 of 3').waitFor();
    await page.getByRole('button', { name: 'Import the other 1 row' }).click();
    await page.getByRole('button', { name: 'Import another file' }).click();
    await page.evaluate(chooseBytes('twice.csv', Buffer.from('title,title\na,b\n')));
    await page.getByText('This is not CSV: line 1: two columns have the name title.').waitFor();
    await tab.close();

    const { body } = await view.send({ path: `${objects}?query={"pages":{"_gte":70001}}` });
    expect(body.objects).toMatchObject([{ title: 'Zürich', pages: 70_001, summary: 'x' }]);
  });

  test.each(['', 'title\n'])('a file without rows is refused in the dialog: %j', async (text) => {
    const tab = await openImport();
    const { page } = tab;
    await page.evaluate(chooseBytes('empty.csv', Buffer.from(text)));
    await page.locator('dialog .error', { hasText: 'The file has no rows.' }).waitFor();
    expect(await page.locator('.notice').count()).toBe(0);
    await tab.check();
    await page.evaluate(chooseBytes('one.csv', Buffer.from('title\na\n')));
    await page.getByText('1 row.').waitFor();
    expect(await page.locator('dialog .error').count()).toBe(0);
    await tab.close();
  });

  test('a long list of errors scrolls, and the buttons stay in view', async () => {
    const tab = await openImport();
    const { page } = tab;
    const lines = Array.from({ length: 90 }, (_, row) => `"${'n'.repeat(129)}",${row}\n`);
    const text = `title,pages\n${lines.join('')}`;
    await page.evaluate(chooseBytes('long.csv', Buffer.from(text)));
    await page.getByText('90 rows.').waitFor();
    await page.evaluate(`document.querySelector('dialog').scrollTo(0, 0)`);
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
    const list = page.getByRole('region', { name: 'Rows that cannot be imported' });
    await list.waitFor();
    expect((await list.boundingBox())?.height).toBeLessThan(400);
    await tab.check();
    await tab.close();
  });

  test('what separates cells is found, or given', async () => {
    const tab = await openImport();
    const { page } = tab;
    const text = 'title;summary\nEmma, a novel;a,b,c\n'; // commas are as many as semicolons, or more
    await page.evaluate(chooseBytes('given.csv', Buffer.from(text)));
    await page.getByText('Match the columns').waitFor();
    const separator = page.getByLabel('Delimiter');
    expect(await separator.locator('option').allTextContents()).toEqual([
      'Detect automatically',
      'Comma',
      'Semicolon',
      'Tab',
    ]);
    await separator.selectOption('Tab');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('title;summary', { exact: true }).waitFor(); // one column
    await separator.selectOption('Semicolon');
    await dialog.getByLabel('title', { exact: true }).waitFor();
    await tab.check();
    await dialog.getByRole('button', { name: 'Import' }).click();
    await page.getByText('1 object imported.').waitFor();
    await tab.close();

    const { body } = await view.send({ path: `${objects}?query={"title":{"_startswith":"Emma"}}` });
    expect(body.objects).toMatchObject([{ title: 'Emma, a novel', summary: 'a,b,c' }]);
  });

  test.each([1280, 390])(
    'the first rows of a file are shown with their fields, %i px wide',
    async (width) => {
      const tab = await view.open('/i/library/data/book', { width });
      const { page } = tab;
      await page.getByRole('button', { name: 'Import' }).click();
      const lines = [
        'Name,pages,summary',
        'Emma,474,a',
        'Persuasion,many,b',
        'Sanditon,,c',
        'D,1,d',
        'E,2,e',
        'F,3,f',
      ];
      await page.evaluate(chooseBytes('first.csv', Buffer.from(lines.join('\n'))));
      const dialog = page.getByRole('dialog');
      await dialog.getByText('6 rows.').waitFor();
      const shown = dialog.getByRole('region', { name: 'First rows of the file' });
      expect(await shown.getByRole('row').count()).toBe(6); // with the names
      const column = dialog.getByLabel('Name', { exact: true });
      expect(await column.inputValue()).toBe('');
      await column.selectOption('title');
      expect(await shown.getByRole('columnheader').allTextContents()).toEqual([
        expect.stringMatching(/^Name.*string$/),
        expect.stringMatching(/^pages.*integer$/),
        expect.stringMatching(/^summary.*text$/),
      ]);
      expect(await shown.locator('td.bad').allTextContents()).toEqual([
        "many'many' is not a whole number",
      ]);
      await tab.check();
      await dialog.getByRole('button', { name: 'Import' }).click();
      await page.getByText("Row 3, pages: 'many' is not a whole number").waitFor();
      await tab.check();
      await dialog.getByRole('button', { name: 'Import the other 5 rows' }).click();
      await page.getByText('5 imported, 1 not imported.').waitFor();
      await tab.check();

      // JSON lines have the names of fields
      const objects = ['{"title": "G", "pages": 1.5, "other": 1}', '{"title": null}'];
      await page.getByRole('button', { name: 'Import another file' }).click();
      await page.evaluate(chooseBytes('first.jsonl', Buffer.from(objects.join('\n'))));
      await dialog.getByText('2 rows.').waitFor();
      expect(await shown.getByRole('columnheader').allTextContents()).toEqual([
        'titlestring',
        'pagesinteger',
        'otherNot imported',
      ]);
      expect(await shown.locator('td.bad').count()).toBe(1);
      await tab.close();
    },
  );

  test('the first line of Excel names what separates cells', async () => {
    const tab = await openImport();
    const { page } = tab;
    await page.evaluate(
      chooseBytes('excel.csv', Buffer.from('sep=|\r\ntitle|summary\r\nNana; a novel|x\r\n')),
    );
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('title', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Import' }).click();
    await page.getByText('1 object imported.').waitFor();
    await tab.close();

    const { body } = await view.send({ path: `${objects}?query={"title":{"_startswith":"Nana"}}` });
    expect(body.objects).toMatchObject([{ title: 'Nana; a novel', summary: 'x' }]);
  });

  test('any table of texts arrives as it is, and times keep their digits', async () => {
    await view.send({
      path: classes,
      body: {
        name: 'pair',
        schema: [
          { name: 'one', type: 'text' },
          { name: 'two', type: 'text' },
          { name: 'at', type: 'datetime' },
        ],
      },
    });
    const cell = fc.stringMatching(/^[ab",;\t|\r\n'=\\é]{1,6}$/);
    const rows = fc.sample(fc.tuple(cell, cell), 80);
    const write = (text: string) => `"${text.replaceAll('"', '""')}"`;
    const lines = rows.map((row) => `${row.map(write).join('\t')}\t2021-01-05 10:34:10.237123\r\n`);
    const tab = await view.open('/i/library/data/pair');
    const { page } = tab;
    await page.getByRole('button', { name: 'Import' }).first().click();
    const text = `\uFEFFone\ttwo\tat\r\n${lines.join('')}`;
    await page.evaluate(chooseBytes('pairs.csv', Buffer.from(text, 'utf16le')));
    await page.getByText('Match the columns').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
    await page.getByText('Times without a zone were read as UTC: at.').first().waitFor();
    await tab.close();

    const { body } = await view.send({ path: `${classes}pair/objects/?page_size=100` });
    const pairs = body.objects.map(({ one, two }: Record<string, unknown>) => [one, two]);
    expect(pairs).toEqual(rows);
    expect(body.objects[0].at.value).toBe('2021-01-05T10:34:10.237123Z');
  });

  test('fields that the class lacks are errors, read-only ones may be there', async () => {
    const row = { id: 7, revision: 3, links: {}, title: 'Sent back' };
    const lines = [row, { title: 'Lost', titel: 'x' }].map((each) => JSON.stringify(each));
    const tab = await openImport();
    const { page } = tab;
    await page.evaluate(chooseBytes('named.jsonl', Buffer.from(lines.join('\n'))));
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
    await page.getByText('Row 2, titel: no field of the class').waitFor();
    await page.getByRole('button', { name: 'Import the other 1 row' }).click();
    await page.getByText('1 imported, 1 not imported.').waitFor();
    await tab.close();

    const query = '?query={"title":{"_in":["Sent back","Lost"]}}';
    const { body } = await view.send({ path: `${objects}${query}` });
    expect(body.objects).toMatchObject([{ title: 'Sent back', revision: 1 }]);
  });

  test('columns find their fields, and rows that the server rejects can be sent again', async () => {
    const schema = [
      { name: 'unit_price', type: 'float' },
      { name: 'isbn', type: 'string', unique: true },
      { name: 'note', type: 'string' },
    ];
    await view.send({ path: classes, body: { name: 'offer', schema } });
    const held = { path: `${classes}offer/objects/`, body: { isbn: 'a' } };
    const { id } = (await view.send(held)).body;
    const tab = await view.open('/i/library/data/offer');
    const { page } = tab;
    await page.getByRole('button', { name: 'Import' }).first().click();
    const lines = [
      'Unit price;I-S-B-N;more;Note',
      '1.5;a;"x\n;";',
      '2;b;y;',
      `3;c;z;${'n'.repeat(129)}`,
    ];
    await page.evaluate(chooseBytes('offers.csv', Buffer.from(lines.join('\r\n'))));
    const dialog = page.getByRole('dialog');
    await dialog.getByText('3 rows.').waitFor();
    for (const [name, field] of [
      ['Unit price', 'unit_price'],
      ['I-S-B-N', 'isbn'],
      ['more', ''],
      ['Note', 'note'],
    ] as const) {
      expect(await dialog.getByLabel(name, { exact: true }).inputValue()).toBe(field);
    }
    await dialog.getByRole('button', { name: 'Import' }).click();
    await page.getByText(/^Row 4, note: .*128/).waitFor(); // a cell of row 2 has two lines
    await dialog.getByRole('button', { name: 'Import the other 2 rows' }).click();
    await page.getByText('1 imported, 2 not imported.').waitFor();
    await page.getByText(/^Row 2, isbn: [^{"]+$/).waitFor();
    await tab.check();

    const main = page.locator('dialog button.main');
    expect(await main.textContent()).toBe('Download these rows');
    await page.evaluate('delete window.showSaveFilePicker'); // a file that the test can read
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download these rows' }).click();
    const saved = await (await downloading).path();
    expect(readFileSync(saved, 'utf8')).toBe(
      `\uFEFFUnit price,I-S-B-N,more,Note\r\n1.5,a,"x\n;",\r\n3,c,z,${'n'.repeat(129)}\r\n`,
    );

    await view.send({ method: 'DELETE', path: `${classes}offer/objects/${id}/` });
    await page.getByRole('button', { name: 'Retry these rows' }).click();
    await page.getByText('1 imported, 1 not imported.').waitFor();
    await tab.close();
    const { body } = await view.send({ path: `${classes}offer/objects/` });
    expect(body.objects).toMatchObject([
      { isbn: 'b', unit_price: 2 },
      { isbn: 'a', unit_price: 1.5 },
    ]);
  });

  test('an import ends at a batch without response, and goes on where it ended', async () => {
    await view.send({
      path: classes,
      body: { name: 'late', schema: [{ name: 'title', type: 'string' }] },
    });
    const tab = await view.open('/i/library/data/late');
    const { page } = tab;
    await page.getByRole('button', { name: 'Import' }).first().click();
    const text = `title\n${Array.from({ length: 120 }, (_, row) => `t${row}`).join('\n')}`;
    await page.evaluate(chooseBytes('late.csv', Buffer.from(text)));
    await page.getByText('120 rows.').waitFor();
    await page.route('**/batch/', (route) =>
      route.fulfill({ status: 429, json: { detail: 'Too many requests.' } }),
    );
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
    await page.getByText('0 imported, 50 not imported.').waitFor();
    await page.getByText('Row 52 and those after it were not sent.').waitFor();
    await page.getByText('Row 2: Too many requests.').waitFor();
    expect(await page.locator('dialog button.main').textContent()).toBe('Retry these rows');
    await page.unroute('**/batch/');
    await page.getByRole('button', { name: 'Retry these rows' }).click();
    await page.getByText('120 objects imported.').waitFor();
    await tab.close();
  });

  test('a file that is being imported stays until that has ended', async () => {
    const { held, goOn } = hold();
    const tab = await openImport();
    const { page } = tab;
    const dialog = page.getByRole('dialog');
    const file = dialog.locator('input[type=file]');
    await page.route('**/batch/', async (route) => {
      await held;
      await route.fulfill({ json: [{ code: 500, content: { detail: 'Broken.' } }] });
    });
    await page.evaluate(chooseBytes('held.csv', Buffer.from('title\na\n')));
    await page.getByText('1 row.').waitFor();
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.getByRole('button', { name: 'One moment…' }).waitFor();
    expect(await file.isDisabled()).toBe(true);
    expect(await dialog.getByLabel('Encoding').isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Import' }).first().click();
    goOn();
    await page.getByText('0 objects imported.').waitFor();
    await dialog.getByRole('heading', { name: 'Import' }).waitFor(); // another one, for another file
    expect(await file.isDisabled()).toBe(false);
    await tab.close();
  });

  test('while rows are sent again no other file is chosen', async () => {
    const tab = await openImport();
    const { page } = tab;
    const dialog = page.getByRole('dialog');
    const { held, goOn } = hold();
    await page.route('**/batch/', (route) => route.fulfill({ status: 503, json: {} }));
    await page.evaluate(chooseBytes('again.csv', Buffer.from('title\na\n')));
    await page.getByText('1 row.').waitFor();
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    const retry = dialog.getByRole('button', { name: 'Retry these rows' });
    await retry.waitFor();
    await page.unroute('**/batch/');
    await page.route('**/batch/', async (route) => {
      await held;
      await route.fulfill({ json: [{ code: 201, content: {} }] });
    });
    await retry.click();
    await dialog.getByRole('button', { name: 'One moment…' }).waitFor();
    const other = dialog.getByRole('button', { name: 'Import another file' });
    expect(await other.isDisabled()).toBe(true);
    goOn();
    await page.getByText('1 object imported.').waitFor();
    await tab.close();
  });

  test('rows that were imported are not sent again, however often the rest is retried', async () => {
    const tab = await openImport();
    const { page } = tab;
    const sent: string[] = [];
    let attempt = 1;
    await page.route('**/batch/', async (route) => {
      const { requests } = route.request().postDataJSON();
      if (attempt === 2) return route.fulfill({ status: 429, json: { detail: 'Too many.' } });
      const entries = requests.map(({ body: { title } }: { body: { title: string } }) => {
        const isRefused = attempt === 1 && title < 't70';
        if (!isRefused) sent.push(title);
        return isRefused ? { code: 500, content: { detail: 'Broken.' } } : { code: 201 };
      });
      return route.fulfill({ json: entries });
    });
    const titles = Array.from({ length: 90 }, (_, row) => `t${row + 10}`);
    await page.evaluate(chooseBytes('often.csv', Buffer.from(`title\n${titles.join('\n')}`)));
    await page.getByText('90 rows.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
    await page.getByText('30 imported, 60 not imported.').waitFor();
    attempt = 2;
    await page.getByRole('button', { name: 'Retry these rows' }).click();
    await page.getByText('0 imported, 50 not imported.').waitFor();
    attempt = 3;
    await page.getByRole('button', { name: 'Retry these rows' }).click();
    await page.getByText('60 objects imported.').waitFor();
    expect(sent.toSorted()).toEqual(titles);
    await tab.close();
  });

  test.each([
    ['unique.csv', 'isbn,price,title\nx1,1.5,a\nx1,2,b\nx2,1.50,c\nheld,,d\n,bad,e\n,bad,f\n', 1],
    [
      'unique.jsonl',
      ['x1", "price": 1.5', 'x1", "price": 2', 'x2", "price": 1.50', 'held"', 'x3", "price": "bad"']
        .map((row) => `{"isbn": "${row}}\n`)
        .join(''),
      0,
    ],
  ] as const)(
    'a unique value that is twice in %s is found before the import',
    async (name, text, head) => {
      const className = name.replace('.', '_');
      const schema = [
        { name: 'isbn', type: 'string', unique: true },
        { name: 'price', type: 'float', unique: true },
        { name: 'title', type: 'string' },
      ];
      await view.send({ path: classes, body: { name: className, schema } });
      const path = `${classes}${className}/objects/`;
      await view.send({ path, body: { isbn: 'held' } });
      const tab = await view.open(`/i/library/data/${className}`);
      const { page } = tab;
      await page.getByRole('button', { name: 'Import' }).first().click();
      await page.evaluate(chooseBytes(name, Buffer.from(text)));
      await page.getByText(/^\d rows\./).waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
      const row = (number: number) => `Row ${number + head}`;
      await page.getByText(`${row(2)}, isbn: 'x1' is in row ${1 + head} too`).waitFor();
      await page
        .getByText(new RegExp(`^${row(3)}, price: '1.50?' is in row ${1 + head} too$`))
        .waitFor();
      expect((await view.send({ path })).body.objects).toHaveLength(1); // nothing is written yet
      await page.getByRole('button', { name: 'Import the other 2 rows' }).click();
      await page.getByText(`${row(4)}, isbn: 'held' is the value of another object`).waitFor();
      await page.getByText('1 imported').waitFor();
      await tab.check();
      await tab.close();
    },
  );

  test('an import of a file that changes meanwhile says where it stopped, and goes on from there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'groundwork-import-'));
    const file = join(folder, 'changing.csv');
    const count = 20_000;
    const rows = Array.from({ length: count }, (_, row) => `t${row},${'word '.repeat(100)}\n`);
    const text = `title,summary\n${rows.join('')}`;
    writeFileSync(file, text);
    const tab = await openImport();
    const { page } = tab;
    const titles: string[] = [];
    const failing = new Set(['t7', 't8']);
    let isChanged = false;
    await page.route('**/batch/', async (route) => {
      const { requests } = route.request().postDataJSON();
      if (!isChanged) truncateSync(file, 1000);
      isChanged = true;
      const entries = requests.map(({ body }: { body: { title: string } }) => {
        if (failing.delete(body.title)) return { code: 500, content: { detail: 'Broken.' } };
        titles.push(body.title);
        return { code: 201, content: {} };
      });
      await route.fulfill({ json: entries });
    });
    await page.locator('dialog input[type=file]').setInputFiles(file);
    await page.getByText('Match the columns').waitFor();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.getByText('The file was changed or removed.').waitFor({ timeout: 40_000 });
    expect(titles.length).toBeLessThan(count - 2);
    const next = titles.length + 4; // after the head and the two that failed
    await dialog.getByText(`Row ${next} and those after it were not read.`).waitFor();
    await dialog.getByText(`${titles.length.toLocaleString('en')} imported, 2 not`).waitFor();
    await tab.check();

    writeFileSync(join(folder, 'other.csv'), 'name\nx\n');
    await dialog.getByLabel('The same file').setInputFiles(join(folder, 'other.csv'));
    await dialog.getByRole('button', { name: 'Retry these rows' }).click();
    await page.getByText('This is another file: its columns differ.').waitFor();
    writeFileSync(file, text.replace('t0,', 'new,x\nt0,')); // all rows have moved
    await dialog.getByLabel('The same file').setInputFiles(file);
    await dialog.getByRole('button', { name: 'Retry these rows' }).click();
    await page.getByText(`This is another file: its row ${next - 1} differs.`).waitFor();
    writeFileSync(file, text.replace('t7,', 't7,more '));
    await dialog.getByLabel('The same file').setInputFiles(file);
    const left = (count - titles.length).toLocaleString('en');
    await dialog.getByRole('button', { name: 'Retry these rows' }).click();
    await page.getByText(`${left} objects imported.`).waitFor();
    expect(new Set(titles).size).toBe(count);
    expect(titles).toHaveLength(count); // none twice
    await page.unroute('**/batch/');
    rmSync(folder, { recursive: true });
    await tab.close();
  });

  test('a quote that is never closed does not fill the memory', async () => {
    const tab = await openImport();
    const { page } = tab;
    await page.evaluate(
      `choose('open.csv', 20_000, (row) => (row === 3 ? '"' : '') + '${'word '.repeat(60)}\\n')`,
    );
    await page.getByText('Match the columns').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
    await page.getByText('Record 5 is too long').first().waitFor();
    const { bytes }: Read = await page.evaluate('window.read');

    expect(bytes).toBeLessThan(heldBytes);
    await tab.close();
  });
});
