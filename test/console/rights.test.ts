import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, openConsole, program, widths } from './console-page.ts';

const library = '/v1.1/instances/library/';
const objects = `${library}classes/book/objects/`;

describe.skipIf(program === undefined)('rights of objects in the console', () => {
  let view: Console;

  beforeAll(async () => {
    view = await openConsole('library');
    const schema = [{ name: 'title', type: 'string' }];
    await view.send({ path: `${library}classes/`, body: { name: 'book', schema } });
    for (const title of ['Emma', 'Persuasion'])
      await view.send({ path: objects, body: { title, other_permissions: 'read' } });
    for (const label of ['Readers', 'Staff'])
      await view.send({ path: `${library}groups/`, body: { label } });
    const user = { username: 'ada', password: 'a password' };
    await view.send({ path: `${library}users/`, body: user });
    const app = { description: 'web shop', allow_anonymous_read: true };
    await view.send({ path: `${library}api_keys/`, body: app });
  }, 120_000);

  afterAll(() => view?.close());

  async function rightsOf(id: number): Promise<object> {
    const { group, group_permissions, other_permissions, owner } = (
      await view.send({ path: `${objects}${id}/` })
    ).body;
    return { group: group?.value ?? group, group_permissions, other_permissions, owner };
  }

  test.each(widths)('selected objects are given to a group, %i px wide', async (width) => {
    const tab = await view.open('/i/library/rights/book', { width });
    const { page } = tab;
    await page.getByLabel('Group').selectOption('Readers');
    await page.getByText('Members see the objects that are given to the group').waitFor();
    await tab.check();
    await page.getByRole('link', { name: 'Objects', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await page.getByLabel('Select object 1').check();
    await page.getByLabel('Select object 2').check();
    await page.getByRole('button', { name: 'Edit a field' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Field').selectOption('group');
    await dialog.getByLabel('group', { exact: true }).selectOption('Staff');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(() => page.evaluate('document.activeElement.labels?.[0]?.textContent'))
      .toBe('group_permissions');
    await dialog.getByLabel('group_permissions').selectOption(width === 1280 ? 'read' : 'write');
    await tab.check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('2 objects changed.').waitFor();

    const given = { group: 2, group_permissions: width === 1280 ? 'read' : 'write' };
    for (const id of [1, 2]) expect(await rightsOf(id)).toMatchObject(given);
    await tab.close();
  });

  test('owner and permissions of selected objects are changed', async () => {
    const tab = await view.open('/i/library/data/book');
    const { page } = tab;
    await page.getByLabel('Select object 1').check();
    await page.getByRole('button', { name: 'Edit a field' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Field').selectOption('owner');
    await dialog.getByRole('button', { name: 'Choose owner' }).click();
    await page.getByRole('button', { name: /ada$/ }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('1 object changed.').waitFor();
    await page.getByRole('button', { name: 'Edit a field' }).click();
    await dialog.getByLabel('Field').selectOption('other_permissions');
    await dialog.getByLabel('other_permissions').selectOption('full');
    await dialog.getByRole('button', { name: 'Save' }).click();

    await expect.poll(() => rightsOf(1)).toMatchObject({ other_permissions: 'full' });
    expect(JSON.stringify(await rightsOf(1))).toContain('"owner":');
    await page.getByRole('button', { name: 'Edit a field' }).click();
    const names = await dialog.getByLabel('Field').locator('option').allTextContents();
    expect(names).toEqual([
      'title',
      'owner',
      'group',
      'owner_permissions',
      'group_permissions',
      'other_permissions',
    ]);
    await tab.close();
  });

  test.each(widths)('the group of an object is chosen by its label, %i px wide', async (width) => {
    const { body } = await view.send({ path: objects, body: { title: 'Villette', group: 1 } });
    const tab = await view.open(`/i/library/data/book/${body.id}`, { width });
    const { page } = tab;
    await page.getByText('Owner, permissions').click();
    const group = page.getByLabel('group', { exact: true });
    await expect.poll(() => group.locator('option:checked').textContent()).toBe('Readers');
    await tab.check();
    await group.selectOption('Staff');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();

    expect(await rightsOf(body.id)).toMatchObject({ group: 2 });
    await group.selectOption('None');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => rightsOf(body.id)).toMatchObject({ group: null });
    await tab.close();
  });

  test.each(widths)('a view as somebody else is two clicks away, %i px wide', async (width) => {
    const tab = await view.open('/i/library/data/book', { width });
    const { page } = tab;
    const clicks = ['View as', 'web shop'];
    for (const name of clicks) await page.getByRole('button', { name, exact: true }).click();
    await page.getByText('Viewing library as the API key web shop.').waitFor();
    await page.getByText('Emma').waitFor();
    await page.getByRole('button', { name: 'Back to your own view' }).click();
    await page.getByRole('button', { name: 'View as', exact: true }).click();
    await page.getByRole('button', { name: 'ada', exact: true }).waitFor();
    await tab.check();
    await page.getByLabel('User name starts with').fill('x');
    await page.getByText('No user found.').waitFor();
    await page.getByLabel('User name starts with').fill('AD');
    await page.getByRole('button', { name: 'ada', exact: true }).click();
    await page.getByText('Viewing library as the user ada.').waitFor();

    expect(page.url()).toContain('/data/book');
    await tab.close();
  });

  test.each(widths)(
    'a reader selects nothing, and has no other view, %i px wide',
    async (width) => {
      const key = await view.join('read');
      const tab = await view.open('/i/library/data/book', { width, key });
      const { page } = tab;
      await page.getByText('Emma').waitFor();
      await page.getByRole('grid').press(' ');

      expect(await page.getByRole('checkbox').count()).toBe(0);
      expect(await page.getByText('1 selected').count()).toBe(0);
      expect(await page.getByRole('button', { name: 'View as' }).count()).toBe(0);
      await tab.check();
      await tab.close();
    },
  );
});
