import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, openConsole, program, widths } from './console-page.ts';
import { writeCode } from './write-code.ts';

describe.skipIf(program === undefined)('script endpoints in the console', () => {
  let view: Console;

  beforeAll(async () => {
    view = await openConsole('library');
    const source = 'setResponse(new HttpResponse(200, { hello: ARGS.who }))';
    const body = { label: 'greet', source, runtime_name: 'nodejs' };
    await view.send({ path: '/v1.1/instances/library/snippets/scripts/', body });
  }, 120_000);

  afterAll(() => view?.close());

  test.each(widths)('an endpoint is made and called, %i px wide', async (width) => {
    const tab = await view.open('/i/library/endpoints', { width });
    const { page } = tab;

    await page.getByRole('button', { name: 'New script endpoint' }).click();
    await page.getByLabel('Name').fill(`greet-${width}`);
    await page.getByLabel('Anyone with the public link can call it').check();
    await tab.check();
    await page.getByRole('button', { name: 'Create endpoint' }).click();
    await writeCode(page.getByRole('textbox', { name: 'Arguments' }), '{"who": "Ada"}');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const response = page.getByRole('region', { name: 'Response', exact: true });
    await response.getByText('"hello": "Ada"').waitFor();
    expect(await response.textContent()).toBe('{\n  "hello": "Ada"\n}');
    expect(await page.locator(':focus').textContent()).toMatch(/^200 application\/json/);
    const program = page.getByRole('region', { name: 'Program', exact: true });
    const [, address = ''] = /'(http[^']*)'/.exec((await program.textContent()) ?? '') ?? [];
    const called = await fetch(address, { method: 'POST', body: '{"who": "Bob"}' });
    for (const language of ['JavaScript', 'Python', 'Typed client']) {
      await program.getByRole('button', { name: language, exact: true }).click();
      await program.getByText(language === 'Typed client' ? 'db.run' : address).waitFor();
    }
    await tab.check();

    expect(await called.json()).toEqual({ hello: 'Bob' });
    const parts = page.getByRole('navigation', { name: /^Parts of/ });
    await parts.getByRole('link', { name: 'Runs' }).click();
    const runs = page.getByRole('region', { name: 'Runs, the newest first' });
    await runs.getByText('success').nth(1).waitFor();
    await runs.getByRole('button', { name: /^Run/ }).first().click();
    expect(await page.getByRole('region', { name: 'Request body' }).textContent()).toBe(
      '{\n  "who": "Bob"\n}',
    );
    expect(await page.getByRole('region', { name: 'Query parameters' }).count()).toBe(0);
    expect(await page.getByText('"POST":').count()).toBe(0);
    expect(await page.locator(':focus').textContent()).toMatch(/^Run \d+success/);
    await tab.check();
    await parts.getByRole('link', { name: 'Settings' }).click();
    await tab.check();
    await tab.close();
  });

  test.each(widths)('a run that fails is shown as failed, %i px wide', async (width) => {
    const source = 'console.log("before"); throw new Error("no book")';
    const script = { label: 'fails', source, runtime_name: 'nodejs' };
    const path = '/v1.1/instances/library/snippets/scripts/';
    const { body } = await view.send({ path, body: script });
    const name = `fails-${width}`;
    const endpoint = { name, script: body.id };
    await view.send({ path: '/v1.1/instances/library/endpoints/scripts/', body: endpoint });
    const tab = await view.open(`/i/library/endpoints/scripts/${name}`, { width });
    const { page } = tab;

    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const response = page.getByRole('region', { name: 'Response of the endpoint' });
    await response.locator('.badge.bad', { hasText: 'failure' }).waitFor();
    expect(await response.locator('.badge.good').count()).toBe(0);
    const errors = await response.getByRole('region', { name: 'Errors' }).textContent();
    expect(errors).toMatch(/Error: no book\n/);
    expect(await response.getByRole('region', { name: 'Output' }).textContent()).toBe('before');
    expect(await response.getByText('"stderr"').count()).toBe(0);
    await tab.check();
    await response.getByRole('link', { name: 'Show the run' }).click();
    await page.getByRole('heading', { name: /^Run \d+$/ }).waitFor();
    expect(await page.locator('.tabs [aria-current]').textContent()).toBe('Runs');
    await tab.close();
  });

  test('a run has the parameters of its query, and says when it has none', async () => {
    const run = '/v1.1/instances/library/endpoints/scripts/queried/run/';
    const endpoint = { name: 'queried', script: 1 };
    await view.send({ path: '/v1.1/instances/library/endpoints/scripts/', body: endpoint });
    await view.send({ method: 'GET', path: `${run}?city=Bath` });
    await view.send({ method: 'GET', path: run });
    const tab = await view.open('/i/library/endpoints/scripts/queried?tab=runs');
    const { page } = tab;
    const runs = page.getByRole('button', { name: /^Run \d+$/ });

    await runs.last().click();
    const query = page.getByRole('region', { name: 'Query parameters' });
    await query.getByText('"city": "Bath"').waitFor();
    expect(await page.getByRole('region', { name: 'Request body' }).count()).toBe(0);
    await tab.check();
    await runs.first().click();
    await page.getByText('No arguments.').waitFor();
    await tab.close();
  });

  test('a program in Python calls it', async () => {
    const script = {
      label: 'length',
      source: 'console.log(ARGS.text.length)',
      runtime_name: 'nodejs',
    };
    const made = await view.send({
      path: '/v1.1/instances/library/snippets/scripts/',
      body: script,
    });
    const endpoint = { name: 'length', script: made.body.id, public: true };
    await view.send({ path: '/v1.1/instances/library/endpoints/scripts/', body: endpoint });
    const tab = await view.open('/i/library/endpoints/scripts/length?language=python');
    const { page } = tab;

    await writeCode(page.getByRole('textbox', { name: 'Arguments' }), `{"text": "\\"'é"}`);
    const program = page.getByRole('region', { name: 'Program', exact: true });
    await program.getByText('é').waitFor();
    const text = (await program.locator('pre').textContent()) ?? '';
    const { stdout } = await promisify(execFile)('python3', ['-c', text]);

    expect(JSON.parse(stdout).result.stdout).toBe('3');
    await tab.close();
  });
});

describe.skipIf(program === undefined)('data endpoints in the console', () => {
  let view: Console;
  const library = '/v1.1/instances/library/';

  beforeAll(async () => {
    view = await openConsole('library');
    const schema = [
      { name: 'title', type: 'string', filter_index: true },
      { name: 'stock', type: 'integer', filter_index: true, order_index: true },
      { name: 'published', type: 'datetime' },
      { name: 'author', type: 'reference', target: 'self' },
      ...Array.from({ length: 8 }, (_, index) => ({ name: `more_${index}`, type: 'string' })),
    ];
    await view.send({ path: `${library}classes/`, body: { name: 'book', schema } });
    for (const [index, title] of ['Emma', 'Persuasion', 'Sanditon'].entries()) {
      const published = `181${index}-12-25T00:00:00.000000Z`;
      const body = { title, stock: index * 10, published, more_1: 'long '.repeat(20) };
      await view.send({
        path: `${library}classes/book/objects/`,
        body: { ...body, ...(index > 0 && { author: index }) },
      });
    }
  }, 120_000);

  afterAll(() => view?.close());

  test.each(widths)('a list is chosen, saved and shown in cells, %i px wide', async (width) => {
    const tab = await view.open('/i/library/endpoints/data?class=book', { width });
    const { page } = tab;
    const name = `in-stock-${width}`;
    await page.getByLabel('Name').fill(name);
    const settings = page.locator('form');
    await settings.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByLabel('Field').selectOption('stock');
    await page.getByLabel('Condition').selectOption('_gt');
    await page.getByLabel('Value').fill('5');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('stock > 5').waitFor();
    await page.getByLabel('Order').selectOption('-stock');
    await page.getByLabel('more_0').uncheck();
    await tab.check();
    await page.getByRole('button', { name: 'Create endpoint' }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();

    const { body } = await view.send({ path: `${library}endpoints/data/${name}/` });
    expect(body).toMatchObject({
      query: { stock: { _gt: 5 } },
      order_by: '-stock',
      excluded_fields: 'more_0',
    });
    const shown = page.getByRole('region', { name: 'The first 5 objects' });
    await shown.getByRole('row', { name: 'Sanditon' }).waitFor();
    const rows = await shown.getByRole('row').allTextContents();
    expect(rows.filter((text) => /more_0|"type"/.test(text))).toEqual([]);
    expect(await shown.getByRole('cell', { name: 'Emma', exact: true }).count()).toBe(0);
    await shown.getByText('Dec 25, 1812').first().waitFor();
    await shown.getByRole('link', { name: '#2 Persuasion' }).waitFor();
    await tab.check();
    if (width === 1280) {
      for (const row of await shown.getByRole('row').all()) {
        expect((await row.boundingBox())?.height).toBeLessThan(60); // one line
      }
      const cells = await shown.getByRole('columnheader').all();
      for (const cell of cells) {
        expect((await cell.boundingBox())?.width).toBeGreaterThanOrEqual(100);
      }
      expect((await shown.locator('table').boundingBox())?.width).toBeGreaterThan(1280); // it scrolls
    }
    await page.getByRole('button', { name: 'Python', exact: true }).click();
    await page.getByText('import Request, urlopen').waitFor();

    // the filter is saved with the form, and asks before it is lost
    await page.getByRole('button', { name: 'Remove stock > 5' }).click();
    await page.getByText('stock > 5').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Endpoints' }).last().click();
    await page.getByRole('dialog').getByText('You have unsaved changes.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await shown.getByText('Emma').waitFor();
    await tab.check();
    await tab.close();
  });
});
