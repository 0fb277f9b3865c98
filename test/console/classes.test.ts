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
    const heads = page.locator('.fields-head .flags > *');
    expect(await heads.allTextContents()).toEqual(['Filter', 'Order', 'Unique']);
    const nameField = page.getByLabel('Name', { exact: true });
    await nameField.fill('9 lives');
    await page.getByRole('button', { name: 'Create class' }).click();
    const rule = page.getByText(
      'letters, digits and _, beginning with a letter. It cannot be changed',
    );
    await page.locator('.error', { has: rule }).or(page.locator('.error').and(rule)).waitFor();
    expect(await rule.count()).toBe(1);
    expect(await page.getByText('Enter a valid value').count()).toBe(0);
    await tab.check();
    await nameField.fill(name);
    const types = ['string', 'integer', 'datetime', 'file', 'reference', 'geopoint'];
    for (const [index, type] of types.entries()) {
      const field = page.getByRole('group', { name: 'New field' });
      await field.getByLabel('Type').selectOption(type);
      await field.getByLabel('Field name').fill(`a_${type}`);
      const added = page.getByRole('group', { name: `a_${type}` }).getByLabel('Field name');
      if (index < types.length - 1) await added.press('Enter'); // adds a field and focuses its name
    }
    await page.keyboard.press('Enter'); // an empty last one is left out
    const reference = page.getByRole('group', { name: 'a_reference' });
    await reference.getByLabel('Refers to').selectOption('this class');
    await page.getByRole('group', { name: 'a_string' }).getByLabel('Filter').check();
    expect(await heads.allTextContents()).toEqual(['Filter', 'Order', 'Unique', 'Private']);
    await tab.check();
    await page.getByRole('button', { name: 'Create class' }).click();
    await page.getByText(`Class ${name} created.`).waitFor();

    await page.getByRole('heading', { name, level: 1, exact: true }).waitFor();
    await page.locator(`.side a[href="#/i/shelves/data/${name}"]`).waitFor({ state: 'attached' });
    await page.getByRole('link', { name: 'Structure' }).click();
    await page.getByRole('group', { name: 'a_integer' }).getByLabel('Order').check();
    await page.getByRole('button', { name: 'Actions for a_file' }).click();
    await tab.check();
    await page.getByRole('button', { name: 'Move up' }).click();
    await page.getByRole('button', { name: 'Actions for a_geopoint' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Remove and save' }).click();
    await page.getByText('Saved.').waitFor();
    await tab.check();
    const { body } = await view.send({ path: `/v1.1/instances/shelves/classes/${name}/` });
    expect(body).toMatchObject({
      schema: [
        { name: 'a_string', type: 'string', filter_index: true },
        { name: 'a_integer', type: 'integer', order_index: true },
        { name: 'a_file', type: 'file' },
        { name: 'a_datetime', type: 'datetime' },
        { name: 'a_reference', type: 'reference', target: 'self' },
      ],
    });

    await page.getByRole('link', { name: 'API', exact: true }).click();
    await page.getByRole('button', { name: 'Typed client' }).click();
    const list = page.getByRole('region', { name: 'List' });
    await list.getByText(`await db.${name}.list(`).waitFor();
    expect(await list.textContent()).toContain(
      '{"a_string":{"_eq":"a text"}},"orderBy":"-a_integer"',
    );
    for (const language of ['curl', 'JavaScript', 'Python']) {
      await page.getByRole('button', { name: language }).click();
      await list.getByText('X-API-KEY').waitFor();
      const height: number = await page.evaluate('document.documentElement.scrollHeight');
      expect(height).toBeLessThanOrEqual(width === 1280 ? 910 : 1000);
    }
    await tab.check();
    await page.getByRole('button', { name: 'Copy List: Python' }).click();
    await page.getByText('Copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain(
      'from urllib.request import',
    );
    await page.getByRole('button', { name: 'JavaScript' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const deletion = await page.getByRole('region', { name: 'Delete' }).textContent();
    expect(deletion).toContain("method: 'DELETE'");
    expect(deletion).not.toContain('.json()'); // the response has no body

    await page.goto(`${view.url}/console/#/i/shelves/structure/${name}`);
    await page.getByRole('button', { name: 'Delete class…' }).click();
    await page.getByLabel(`Type ${name} to confirm`).fill(name);
    await page.getByRole('button', { name: 'Delete class', exact: true }).click();
    await page.getByRole('heading', { name: 'Classes', level: 1 }).waitFor();
    const links = page.locator(`a[href="#/i/shelves/data/${name}"]`);
    await expect.poll(() => links.count()).toBe(0); // in the side bar too
    await tab.close();
  });

  test.each(widths)('a class of ten fields takes little room, %i px wide', async (width) => {
    const schema = Array.from({ length: 10 }, (_, index) => ({
      name: `field_${index}`,
      type: index === 3 ? 'reference' : 'string',
      ...(index === 3 && { target: 'self' }),
    }));
    const name = `wide_${width}`;
    await view.send({ path: '/v1.1/instances/shelves/classes/', body: { name, schema } });
    const tab = await view.open(`/i/shelves/structure/${name}`, { width });
    const { page } = tab;
    const lines = page.locator('.field-line');
    await lines.nth(9).waitFor();
    const height = (await page.locator('.fields').boundingBox())?.height ?? 0;
    const line = (await lines.nth(3).boundingBox())?.height ?? 0;
    await page.getByRole('button', { name: 'string', exact: true }).click();
    await page
      .getByRole('group', { name: 'New field' })
      .getByLabel('Type')
      .selectOption('relation');
    const added = (await lines.nth(10).boundingBox())?.height ?? 0;
    await tab.check();

    if (width === 1280) expect(height).toBeLessThan(600);
    for (const each of [line, added]) expect(each).toBeLessThan(width === 1280 ? 40 : 88);
    await tab.close();
  });

  test.each(widths)('a class that is refused says so in view, %i px wide', async (width) => {
    const tab = await view.open('/i/shelves/structure', { width });
    const { page } = tab;
    const isInView = (box: { y: number; height: number } | null) =>
      box !== null && box.y >= 0 && box.y + box.height <= 900;
    await page.getByLabel('Name', { exact: true }).fill('refused');
    for (let index = 0; index < 16; index += 1) {
      await page
        .getByRole('group', { name: 'New field' })
        .getByLabel('Field name')
        .fill(`f${index}`);
      await page.keyboard.press('Enter');
    }
    await page.getByRole('group', { name: 'f2', exact: true }).getByLabel('Field name').fill('2 x');
    await page.getByRole('button', { name: 'Create class' }).click();
    const invalid = page.getByRole('group', { name: '2 x' }).getByLabel('Field name');
    await expect.poll(() => page.evaluate('document.activeElement.value')).toBe('2 x');
    const message = page.getByText('Not saved: check the marked fields.');
    const reason = page.getByRole('group', { name: '2 x' }).getByText('Wrong characters used');

    expect(isInView(await invalid.boundingBox())).toBe(true);
    expect(isInView(await message.boundingBox())).toBe(true);
    expect(await reason.textContent()).not.toContain('Error processing');
    const [below, button] = await Promise.all([reason.boundingBox(), message.boundingBox()]);
    expect((below?.y ?? 900) + (below?.height ?? 0)).toBeLessThan(button?.y ?? 0); // not hidden
    await tab.check();

    // a name that is taken is said at the name
    await invalid.fill('f2');
    await page.getByLabel('Name', { exact: true }).fill('self');
    await page.getByRole('button', { name: 'Create class' }).click();
    await page.getByText('Unable to use that value').waitFor();
    const name = page.getByLabel('Name', { exact: true });
    await expect.poll(() => page.evaluate('document.activeElement.value')).toBe('self');
    expect(isInView(await name.boundingBox())).toBe(true);
    await tab.close();
  });

  test.each(widths)('those who may not change it read its fields, %i px wide', async (width) => {
    const name = `read_${width}`;
    const body = { name, schema: [{ name: 'a_longer_title', type: 'string' }] };
    await view.send({ path: '/v1.1/instances/shelves/classes/', body });
    const key = await view.join('read');
    const tab = await view.open(`/i/shelves/structure/${name}`, { width, key });
    const { page } = tab;
    const field = await page.getByText('a_longer_title').boundingBox();
    expect(field?.width).toBeGreaterThan(130);
    const typed = page.getByRole('group', { name: 'New field' }).getByLabel('Field name');
    expect(await typed.count()).toBe(0);
    expect(await page.getByLabel('Description').isDisabled()).toBe(true);
    await tab.check();
    await page.getByRole('button', { name: 'JSON' }).click();
    const json = page.getByRole('textbox', { name: 'Fields as JSON' });
    expect(await json.inputValue()).toContain('"a_longer_title"');
    expect(await json.isEditable()).toBe(false);
    await tab.check();
    await page.getByRole('button', { name: 'Copy the fields as JSON' }).click();
    await page.getByText('Copied.').waitFor();
    await page.getByRole('button', { name: 'Form', exact: true }).click();
    await page.getByText('a_longer_title').waitFor();
    await tab.close();
  });

  test('what is typed is not lost without a question', async () => {
    const tab = await view.open('/i/shelves/structure');
    const { page } = tab;
    await page.getByLabel('Name', { exact: true }).fill('unsaved');
    await page.getByRole('link', { name: 'Scripts' }).click();
    await page.getByRole('dialog').getByText('You have unsaved changes.').waitFor();
    await tab.check();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('unsaved');
    const asked = page.waitForEvent('dialog');
    const reloaded = page.reload(); // ends after the answer
    const question = await asked;
    expect(question.type()).toBe('beforeunload');
    await question.accept();
    await reloaded;
    await tab.close();
  });

  test.each(widths)('rights are set on their own tab, %i px wide', async (width) => {
    const path = '/v1.1/instances/shelves/';
    const group = { name: `editors-${width}`, label: `Editors ${width}` };
    const { body: made } = await view.send({ path: `${path}groups/`, body: group });
    const name = `guarded_${width}`;
    await view.send({ path: `${path}classes/`, body: { name } });
    const tab = await view.open(`/i/shelves/structure/${name}`, { width });
    const { page } = tab;
    await page.getByRole('link', { name: 'Rights' }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await page.getByLabel('Everyone').selectOption('none');
    await page.getByLabel('Group').selectOption(group.label);
    await page.getByLabel('Members of the group').selectOption('read');
    await tab.check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const { body } = await view.send({ path: `${path}classes/${name}/` });

    expect(body).toMatchObject({
      group: made.id,
      group_permissions: 'read',
      other_permissions: 'none',
    });
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
    const save = page.getByRole('button', { name: 'Save' });

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
    const button = page.getByRole('button', { name: 'Save' });
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
