import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, openConsole, program, widths } from './console-page.ts';

describe.skipIf(program === undefined)('classes in the console', () => {
  let view: Console;

  beforeAll(async () => {
    view = await openConsole('shelves');
  }, 120_000);

  afterAll(() => view?.close());

  test.each(widths)('a person makes, changes and deletes a class, %i px wide', async (width) => {
    const name = `book_${width}`;
    const tab = await view.open('/i/shelves/data', { width });
    const { page } = tab;
    await tab.check();
    await page.getByRole('link', { name: 'New class' }).click();
    await page.getByRole('heading', { name: 'New class', level: 1 }).waitFor();
    await page.getByLabel('Name').fill(name);
    const types = ['string', 'integer', 'datetime', 'file', 'reference', 'geopoint'];
    for (const type of types) {
      await page.getByRole('button', { name: 'Add a field' }).click();
      const field = page.getByRole('group', { name: 'New field' });
      await field.getByLabel('Type').selectOption(type);
      await field.getByLabel('Name').fill(`a_${type}`);
    }
    await page.getByRole('group', { name: 'a_string' }).getByLabel('Filter').check();
    await tab.check();
    await page.getByRole('button', { name: 'Create the class' }).click();

    await page.getByRole('heading', { name: `Structure of ${name}` }).waitFor();
    await page.getByRole('group', { name: 'a_integer' }).getByLabel('Order').check();
    await page.getByRole('button', { name: 'Remove the field a_geopoint' }).click();
    await page.getByRole('button', { name: 'Close the notice' }).first().click();
    await page.getByRole('button', { name: 'Save the class' }).click();
    await page.getByRole('button', { name: 'Remove and save' }).click();
    await page.getByText('Saved.').waitFor();
    await tab.check();
    const { body } = await view.send({ path: `/v1.1/instances/shelves/classes/${name}/` });
    expect(body).toMatchObject({
      schema: [
        { name: 'a_string', type: 'string', filter_index: true },
        { name: 'a_integer', type: 'integer', order_index: true },
        { name: 'a_datetime', type: 'datetime' },
        { name: 'a_file', type: 'file' },
        { name: 'a_reference', type: 'reference', target: 'self' },
      ],
    });

    await page.goto(`${view.url}/console/#/i/shelves/reference/${name}`);
    const filter = page.locator('section', { hasText: 'List with a filter' });
    await filter.getByText(`await db.${name}.list(`).waitFor();
    expect(await filter.textContent()).toContain(
      '{"a_string":{"_eq":"a text"}},"orderBy":"-a_integer"',
    );
    await tab.check();
    const deletion = await page.locator('section', { hasText: 'Delete' }).last().textContent();
    expect(deletion).toContain("method: 'DELETE'");
    expect(deletion).not.toContain('.json()'); // the response has no body

    await page.goto(`${view.url}/console/#/i/shelves/structure/${name}`);
    await page.getByRole('button', { name: 'Delete the class…' }).click();
    await page.getByLabel(`Type ${name} to confirm`).fill(name);
    await page.getByRole('button', { name: 'Delete the class', exact: true }).click();
    await page.getByRole('heading', { name: 'Classes', level: 1 }).waitFor();
    expect(await page.getByRole('link', { name: `Objects of ${name}` }).count()).toBe(0);
    await tab.close();
  });

  test('what is typed into a filter while another screen opens does not lead back', async () => {
    const tab = await view.open('/i/shelves/data');
    const { page } = tab;
    await page.getByLabel('Filter by name').waitFor();
    // the event that opens the screen comes after what is typed
    await page.evaluate(`
      location.hash = '#/i/shelves/structure';
      const input = document.querySelector('input[type=search]');
      input.value = 'book';
      input.dispatchEvent(new Event('input', { bubbles: true }));
    `);
    await page.getByRole('heading', { name: 'New class', level: 1 }).waitFor();
    await tab.close();
  });

  test.each(widths)('the fields of a class are edited as JSON, %i px wide', async (width) => {
    const name = `essay_${width}`;
    const schema = [
      { name: 'title', type: 'string' },
      { name: 'notes', type: 'text' },
    ];
    const path = '/v1.1/instances/shelves/classes/';
    await view.send({ path, body: { name, schema } });
    await view.send({ path: `${path}${name}/objects/`, body: { title: 'One' } });
    const tab = await view.open(`/i/shelves/structure/${name}`, { width });
    const { page } = tab;
    const text = page.getByRole('textbox', { name: 'Fields as JSON' });
    const save = page.getByRole('button', { name: 'Save the class' });

    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    expect(JSON.parse(await text.inputValue())).toEqual(schema);
    await page.getByRole('button', { name: 'Copy the fields as JSON' }).click();
    await page.getByText('Copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await text.inputValue());
    await tab.check();

    // browsers have no clipboard over plain http: the text is selected and copied
    await page.evaluate(`navigator.clipboard.writeText('other').then(() => {
      window.kept = navigator.clipboard;
      Object.defineProperty(navigator, 'clipboard', { value: undefined });
    })`);
    await page.getByRole('button', { name: 'Copy the fields as JSON' }).click();
    await expect.poll(() => page.evaluate('kept.readText()')).toBe(await text.inputValue());
    await tab.check();

    // what cannot be read, or is rejected by the server, is told here
    await text.fill('[{ "name": "title" }]');
    await page.getByRole('button', { name: 'Form', exact: true }).click();
    await page.getByText('Field 1 needs a name and a type').waitFor();
    await text.fill('[{ "name": "title", ]');
    await save.click();
    await page.getByText('This is not JSON').first().waitFor();
    await text.fill(JSON.stringify([...schema, { name: 'more', type: 'text', unique: true }]));
    await save.click();
    await expect.poll(() => text.getAttribute('aria-invalid')).toBe('true');
    await page.locator('.field .error', { hasText: '#2' }).waitFor();
    await tab.check();

    // a change costs the same as in the form, and is confirmed there
    const [title] = schema;
    const changed = [
      { ...title, filter_index: true },
      { name: 'pages', type: 'integer' },
    ];
    await text.fill(JSON.stringify(changed));
    await page.getByText('The values of notes are deleted in 1 object').waitFor();
    await save.click();
    await page.getByLabel(`Type ${name} to confirm`).fill(name);
    await tab.check();
    await page.getByRole('button', { name: 'Remove and save' }).click();
    await page.getByText('Saved.').waitFor();
    await expect
      .poll(async () => (await view.send({ path: `${path}${name}/` })).body)
      .toMatchObject({ schema: changed });
    await page.getByRole('button', { name: 'Form', exact: true }).click();
    await page.getByRole('group', { name: 'pages' }).getByLabel('Order').check();
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    expect(JSON.parse(await text.inputValue())[1]).toEqual({ ...changed[1], order_index: true });
    await tab.close();
  });

  test('a class that is migrating cannot be edited, and nothing is lost when it is ready', async () => {
    const path = '/v1.1/instances/shelves/classes/';
    const body = { name: 'moving', schema: [{ name: 'title', type: 'string' }] };
    const { body: made } = await view.send({ path, body });
    const tab = await view.open('/i/shelves/data');
    const { page } = tab;
    let status = 'migrating';
    await page.route(`**${path}moving/`, (route) => route.fulfill({ json: { ...made, status } }));
    await page.route(`**${path}moving/migration/`, (route) =>
      route.fulfill({ json: { status, objects_count: 5000, objects_done: 1200 } }),
    );

    await page.goto(`${view.url}/console/#/i/shelves/structure/moving`);
    await page.getByText('Indexes are being built or removed').waitFor();
    const button = page.getByRole('button', { name: 'Save the class' });
    expect(await button.isDisabled()).toBe(true);
    expect(await page.getByLabel('Description').isDisabled()).toBe(true);
    await page.getByText('1,200 of 5,000 objects').waitFor();
    expect(await page.getByRole('progressbar').getAttribute('value')).toBe('1200');
    await tab.check();
    status = 'ready';
    await expect.poll(() => button.isEnabled(), { timeout: 10_000 }).toBe(true);

    await tab.close();
  });
});
