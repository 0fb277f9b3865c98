import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, openConsole, program, widths } from './console-page.ts';

describe.skipIf(program === undefined)('API keys in the console', () => {
  let view: Console;
  const library = '/v1.1/instances/library/';

  beforeAll(async () => {
    view = await openConsole('library');
    const schema = [{ name: 'title', type: 'string' }];
    const book = { name: 'book', schema, other_permissions: 'read' };
    await view.send({ path: `${library}classes/`, body: book });
    const open = { title: 'Emma', other_permissions: 'read' };
    for (const body of [open, { title: 'Secret' }])
      await view.send({ path: `${library}classes/book/objects/`, body });
  }, 120_000);

  afterAll(() => view?.close());

  test.each(widths)(
    'an app gets a key, and its user sees less than the owner, %i px wide',
    async (width) => {
      const tab = await view.open('/i/library/keys', { width });
      const { page } = tab;
      const user = `ada${width}`;

      await page.getByRole('button', { name: 'New API key' }).first().click();
      await page.getByLabel('Name of the app').fill(`web ${width}`);
      await page.getByLabel('Register users').check();
      await tab.check();
      await page.getByRole('button', { name: 'Create API key' }).click();
      await page.getByRole('row', { name: `web ${width}` }).waitFor();
      await tab.check();
      const profile = {
        path: `${library}users/`,
        body: { username: user, password: 'a password' },
      };
      const { body } = await view.send(profile);
      await page.goto(`/console/#/i/library/users/${body.id}`);
      await page.getByRole('button', { name: 'View as…' }).click();
      await tab.check();
      await page.getByRole('button', { name: 'View as this user' }).click();
      await page.getByText(`Viewing library as the user ${user}.`).waitFor();
      await page.goto('/console/#/i/library/data/book');
      await page.getByText('Emma').first().waitFor();
      expect(await page.getByText('Secret').count()).toBe(0);
      await page.getByRole('button', { name: 'Back to your own view' }).click();
      await page.getByText('Secret').first().waitFor();
      await tab.close();
    },
  );

  test.each(widths)(
    'a view without objects says which right is missing, %i px wide',
    async (width) => {
      const hidden = { name: `hidden_${width}`, other_permissions: 'none' };
      await view.send({ path: `${library}classes/`, body: hidden });
      await view.send({ path: `${library}classes/${hidden.name}/objects/`, body: {} });
      const description = `shop ${width}`;
      const app = { description, allow_anonymous_read: width === 390 };
      await view.send({ path: `${library}api_keys/`, body: app });
      const tab = await view.open('/i/library/keys', { width });
      const { page } = tab;
      const row = page.getByRole('row', { name: description });
      await row.getByRole('button', { name: 'View as' }).click();
      await page.getByText(`Viewing library as the API key ${description}.`).waitFor();

      for (const screen of ['', '/health']) {
        await page.goto(`/console/#/i/library${screen}`);
        await page.locator('.state', { hasText: 'You have no access to this.' }).waitFor();
        expect(await page.getByText('All good').count()).toBe(0);
        expect(await page.getByText('No failed runs.').count()).toBe(0);
        expect(await page.getByText('Your role').count()).toBe(0);
        await tab.check();
      }
      await page.goto(`/console/#/i/library/data/${hidden.name}`);
      await page.getByText(`${description} may not see any object of this class.`).waitFor();
      await page
        .getByText(
          width === 390
            ? 'The class gives everyone no access.'
            : 'The key lacks allow_anonymous_read, and the class gives everyone no access.',
        )
        .waitFor();
      await tab.check();
      await page.goto('/console/#/i/library/data/book');
      if (width === 390) await page.getByText('Emma').first().waitFor();
      else await page.getByText('The key lacks allow_anonymous_read.').waitFor();
      await page.getByRole('button', { name: 'Back to your own view' }).click();
      await page.getByText('Secret').first().waitFor();
      await tab.close();
    },
  );

  test('permissions of a key are changed', async () => {
    const app = { description: 'kiosk', allow_user_create: true };
    const { body: made } = await view.send({ path: `${library}api_keys/`, body: app });
    const tab = await view.open('/i/library/keys');
    const { page } = tab;
    const row = page.getByRole('row', { name: 'kiosk' });
    await row.getByRole('button', { name: 'Edit…' }).click();
    await page.getByLabel('Name of the app').fill('kiosk 2');
    await page.getByLabel('Register users').uncheck();
    await page.getByLabel('Read without a user').check();
    await tab.check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: 'kiosk 2' }).getByText('Read without a user').waitFor();
    const { body } = await view.send({ path: `${library}api_keys/${made.id}/` });
    expect(body).toMatchObject({
      api_key: made.api_key,
      description: 'kiosk 2',
      allow_user_create: false,
      allow_anonymous_read: true,
    });
    await tab.close();
  });

  test('without a key, a view as a user leads to the form for one', async () => {
    const base = '/v1.1/instances/keyless/';
    await view.send({ path: '/v1.1/instances/', body: { name: 'keyless' } });
    await view.send({ path: `${base}users/`, body: { username: 'ada', password: 'a password' } });
    const tab = await view.open('/i/keyless/users/1');
    const { page } = tab;
    await page.getByRole('button', { name: 'View as…' }).click();
    await page.getByRole('link', { name: 'New API key' }).click();
    await page.getByLabel('Name of the app').fill('web');
    await tab.check();
    await page.getByRole('button', { name: 'Create API key' }).click();
    await page.getByRole('row', { name: 'web' }).waitFor();
    await tab.close();
  });

  test.each(widths)('a view has a side bar of what it can open, %i px wide', async (width) => {
    const app = { description: `side ${width}`, ignore_acl: true };
    await view.send({ path: `${library}api_keys/`, body: app });
    const tab = await view.open('/i/library/keys', { width });
    const { page } = tab;
    const side = page.getByRole('navigation', { name: 'Instance library' });
    const openSide = async () => {
      if (width === 390) await side.getByRole('button', { name: 'Menu' }).click();
    };
    const row = page.getByRole('row', { name: app.description });
    await row.getByRole('button', { name: 'View as' }).click();
    await page.getByRole('heading', { level: 1, name: 'Classes' }).waitFor();

    await openSide();
    await side.getByRole('link', { name: 'book' }).waitFor();
    const links = await side.getByRole('link').allTextContents();
    expect(links.filter((text) => !text.startsWith('hidden'))).toEqual([
      'Classes',
      'book',
      'user_profile',
    ]);
    expect(await page.getByRole('link', { name: 'New class' }).count()).toBe(0); // no key may
    const home = page.locator('a.instance');
    expect(await home.getAttribute('href')).toBe('#/i/library/data');
    await tab.check();
    await side.getByRole('button', { name: 'End this view' }).click();
    await side.getByRole('link', { name: 'Scripts' }).waitFor();
    expect(await page.getByText('Viewing library as').count()).toBe(0);
    await tab.close();
  });

  test.each(widths)('an old key stands for an API key, %i px wide', async (width) => {
    const path = `${library}api_keys/`;
    const flags = { ignore_acl: true };
    const { body: key } = await view.send({
      path,
      body: { description: `old ${width}`, ...flags },
    });
    const old = String(width).padStart(40, 'ab');
    const tab = await view.open('/i/library/keys', { width });
    const { page } = tab;
    const objects = { path: `${library}classes/book/objects/`, key: old };

    const row = page.getByRole('row', { name: `old ${width}` });
    await row.getByRole('button', { name: 'Aliases…' }).click();
    await page.getByText('No aliases.').waitFor();
    await page.getByLabel('Old key').fill('not a key');
    await page.getByRole('button', { name: 'Add alias' }).click();
    await page.locator('.field .error').waitFor();
    await tab.check();
    await page.getByLabel('Old key').fill(old);
    await page.getByRole('button', { name: 'Add alias' }).click();
    await page
      .getByRole('list', { name: 'Aliases' })
      .getByText(`…${old.slice(-4)}`)
      .waitFor();
    await tab.check();
    expect(await page.locator('body').innerHTML()).not.toContain(old);
    expect((await view.send(objects)).body.objects).toHaveLength(2);

    await page.getByRole('button', { name: 'Delete all aliases…' }).click();
    await page.getByRole('button', { name: 'Delete all aliases', exact: true }).click();
    await page.getByText('No aliases.').waitFor();
    const ended = await view.send({ ...objects, expect: [403] });
    expect(ended.status).toBe(403);
    expect((await view.send({ path: `${path}${key.id}/aliases/` })).body.aliases).toEqual([]);
    await tab.close();
  });
});
