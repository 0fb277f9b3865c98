import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, openConsole, program, widths } from './console-page.ts';

const library = '/v1.1/instances/library/';

describe.skipIf(program === undefined)('users and groups in the console', () => {
  let view: Console;

  beforeAll(async () => {
    view = await openConsole('library');
    await view.send({ path: `${library}groups/`, body: { label: 'Readers', name: 'readers' } });
    await view.send({ path: `${library}users/`, body: { username: 'first', password: 'x' } });
  }, 120_000);

  afterAll(() => view?.close());

  test('cards have no label without a value, and none for buttons', async () => {
    await view.send({ path: `${library}groups/`, body: { label: 'Writers' } });
    const tab = await view.open('/i/library/groups', { width: 390 });
    const { page } = tab;
    const labels = `[...document.querySelectorAll('table.cards td')]
      .filter((cell) => cell.checkVisibility())
      .map((cell) => [getComputedStyle(cell, '::before').content, cell.textContent])
      .filter(([label, text]) => label !== 'none' && text === '')`;
    await page.getByRole('link', { name: 'Writers' }).waitFor();
    expect(await page.evaluate(labels)).toEqual([]);
    await page.goto(`${view.url}/console/#/i/library/admins`);
    await page.getByText('owner@example.com').last().waitFor();
    await page.getByText('No invitations yet.').waitFor();

    expect(await page.evaluate(labels)).toEqual([]);
    expect(await page.locator('td[data-label="Actions"]').count()).toBe(0);
    await tab.close();
  });

  test.each(widths)('a notice covers no button, %i px wide', async (width) => {
    const tab = await view.open('/i/library/keys', { width });
    const { page } = tab;
    await page.getByRole('button', { name: 'New API key' }).first().click();
    await page.getByRole('button', { name: 'Create API key' }).click();
    const notice = page.locator('.notice');
    await notice.waitFor();
    const buttons = page.locator('.heading .actions > *');
    for (const button of await buttons.all()) expect(await isApart(button, notice)).toBe(true);
    await tab.close();

    const edited = await view.open('/i/library/data/user_profile/1', { width });
    const drawer = edited.page.getByRole('dialog');
    await edited.page.getByText('Owner, permissions').click();
    await drawer.getByLabel('other_permissions').selectOption('read');
    await drawer.getByRole('button', { name: 'Save' }).click();
    await edited.page.locator('.notice').waitFor();
    for (const name of ['Save', 'Close', 'Delete']) {
      const button = drawer.getByRole('button', { name, exact: true });
      expect(await isApart(button, edited.page.locator('.notice')), name).toBe(true);
    }
    await edited.close();
  });

  test.each(widths)('a user is made, gets a password and a group, %i px wide', async (width) => {
    const username = `ada-${width}`;
    const tab = await view.open('/i/library/users', { width });
    const { page } = tab;

    await page.getByRole('button', { name: 'New user' }).first().click();
    await page.getByLabel('Name', { exact: true }).fill(username.toUpperCase());
    await page.getByLabel('Password').fill('first password');
    await tab.check();
    await page.getByRole('button', { name: 'Create user' }).click();
    await page.getByRole('heading', { name: username, level: 1 }).waitFor();
    await page.getByLabel('New password').fill('second password');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('Password changed.').waitFor();
    await page.getByRole('button', { name: 'Add to group' }).click();
    await page.getByRole('link', { name: 'Readers' }).waitFor();
    await tab.check();

    const key = await view.send({ path: `${library}api_keys/`, body: {} });
    const body = { username, password: 'second password' };
    const login = { path: `${library}user/auth/`, key: key.body.api_key, body };
    const { body: user } = await view.send(login);
    expect(user.groups).toMatchObject([{ name: 'readers' }]);
    await page.getByRole('button', { name: 'Show the user key' }).click();
    await page.getByText(user.user_key).waitFor();
    await page.getByRole('button', { name: 'Reset…' }).click();
    await page.getByRole('button', { name: 'Reset key' }).click();
    await page.getByText(user.user_key).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Remove from Readers' }).click();
    await page.getByText('Not in a group.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'Readers' }).waitFor();
    await page.getByRole('link', { name: 'Open profile' }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await tab.close();
  });

  test.each(widths)('users are found by name and deleted, %i px wide', async (width) => {
    for (const name of ['bob', 'eve']) {
      const body = { username: `${name}-${width}`, password: 'x' };
      await view.send({ path: `${library}users/`, body });
    }
    const tab = await view.open('/i/library/users', { width });
    const { page } = tab;

    await page.getByLabel('Name starts with').fill(`BOB-${width}`);
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('link', { name: `eve-${width}` }).waitFor({ state: 'detached' });
    await tab.check();
    await page.getByRole('link', { name: `bob-${width}` }).click();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByLabel(`Type bob-${width} to confirm`).fill(`bob-${width}`);
    await page.getByRole('button', { name: 'Delete user' }).click();
    await page.getByRole('link', { name: `eve-${width}` }).waitFor();

    expect(await page.getByRole('link', { name: `bob-${width}` }).count()).toBe(0);
    await tab.close();
  });

  test.each(widths)('a group is made, filled, changed and deleted, %i px wide', async (width) => {
    const username = `joe-${width}`;
    await view.send({ path: `${library}users/`, body: { username, password: 'x' } });
    const tab = await view.open('/i/library/groups', { width });
    const { page } = tab;

    await tab.check();
    await page.getByRole('button', { name: 'New group' }).click();
    await page.getByLabel('Name for scripts and apps').fill('readers');
    await page.getByRole('button', { name: 'Create group' }).click();
    await page.getByText('This field must be unique.').waitFor(); // once: several would be an error
    await page.getByLabel('Name for scripts and apps').fill('');
    await page.getByLabel('Label').fill(`Staff ${width}`);
    await page.getByRole('button', { name: 'Create group' }).click();
    await page.getByRole('heading', { name: `Staff ${width}`, level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Add user…' }).click();
    await page.getByLabel('Starts with').fill('nobody');
    await page.getByText('Nothing found.').waitFor();
    await page.getByLabel('Starts with').fill('JO'); // names have no case
    const found = page.getByRole('button', { name: username });
    await found.waitFor();
    await tab.check();
    const [dialog, window] = [await page.getByRole('dialog').boundingBox(), width];
    expect(2 * (dialog?.x ?? 0) + (dialog?.width ?? 0)).toBeCloseTo(window, -1);
    expect(dialog?.y).toBeGreaterThan(100);
    expect((dialog?.y ?? 900) + (dialog?.height ?? 0)).toBeLessThan(800);
    await found.dblclick(); // is added once
    await page.getByRole('link', { name: username }).waitFor();
    expect(await page.getByText('already a part').count()).toBe(0);
    await tab.check();
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.method()));
    await page.getByRole('button', { name: `Remove ${username}` }).dblclick(); // is removed once
    await page.getByText('No members yet.').waitFor();
    expect(sent.filter((method) => method === 'DELETE')).toEqual(['DELETE']);
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByLabel(`Type Staff ${width} to confirm`).fill(`Staff ${width}`);
    await page.getByRole('button', { name: 'Delete group' }).click();
    await page.getByRole('heading', { name: 'Groups', level: 1 }).waitFor();
    await page.getByRole('link', { name: `Staff ${width}` }).waitFor({ state: 'detached' });
    await tab.close();
  });
});

/** Whether two elements share no pixel. */
async function isApart(one: Locator, other: Locator): Promise<boolean> {
  const [a, b] = await Promise.all([one.boundingBox(), other.boundingBox()]);
  if (a === null || b === null) throw new Error('one of them is not shown');
  const [isLeft, isRight] = [a.x + a.width <= b.x, b.x + b.width <= a.x];
  return isLeft || isRight || a.y + a.height <= b.y || b.y + b.height <= a.y;
}
