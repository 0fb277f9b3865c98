import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, openConsole, program, widths } from './console-page.ts';

describe.skipIf(program === undefined)('backups of the account in the console', () => {
  let view: Console;

  beforeAll(async () => {
    view = await openConsole('library');
  }, 120_000);

  afterAll(() => view?.close());

  /** Makes an instance with a class and a user, backs it up, and deletes it. */
  async function loseInstance(name: string): Promise<void> {
    const path = `/v1.1/instances/${name}/`;
    await view.send({ path: '/v1.1/instances/', body: { name } });
    const schema = [{ name: 'title', type: 'string' }];
    await view.send({ path: `${path}classes/`, body: { name: 'book', schema } });
    await view.send({ path: `${path}classes/book/objects/`, body: { title: 'Emma' } });
    await view.send({ path: `${path}users/`, body: { username: 'ada', password: 'a word' } });
    const body = { label: `all of ${name}`, description: 'before it was lost' };
    const made = await view.send({ path: `${path}backups/full/`, body });
    const backup = { path: `/v1.1/backups/full/${made.body.id}/` };
    const status = async () => (await view.send(backup)).body.status;
    await expect.poll(status, { timeout: 20_000 }).toBe('success');
    await view.send({ method: 'DELETE', path });
  }

  const objectsOf = async (name: string) =>
    (await view.send({ path: `/v1.1/instances/${name}/classes/book/objects/` })).body.objects;

  test.each(widths)('a deleted instance comes back as a new one, %i px wide', async (width) => {
    await loseInstance(`lost-${width}`);
    const tab = await view.open('/', { width });
    const { page } = tab;

    await page.getByRole('link', { name: 'Backups' }).click();
    await page.getByRole('heading', { level: 1, name: 'Your backups' }).waitFor();
    const row = page.getByRole('row', { name: `all of lost-${width}` });
    await row.getByText('deleted instance').waitFor();
    await row.getByText(/^2 classes, /).click();
    await row.getByText('class: 2 (book, user_profile)', { exact: false }).waitFor();
    await row.getByText('before it was lost').waitFor();
    await tab.check();
    await row.getByRole('button', { name: 'Restore into a new instance…' }).click();
    await page.getByText('they log in again').waitFor();
    await page.getByLabel('Name of the new instance').fill('library');
    await page.getByRole('button', { name: 'Create and restore' }).click();
    await page.getByRole('dialog').getByRole('alert').first().waitFor(); // the name is taken
    await page.getByLabel('Name of the new instance').fill(`found-${width}`);
    await tab.check();
    await page.getByRole('button', { name: 'Create and restore' }).click();
    await page.waitForURL(new RegExp(`/i/found-${width}/backups`));
    await page.getByRole('region', { name: 'Restores' }).getByText('success').waitFor();

    expect(await objectsOf(`found-${width}`)).toMatchObject([{ title: 'Emma' }]);
    await page.goto('/console/#/backups');
    await row.getByRole('button', { name: 'Delete…' }).click();
    await page.getByText('nothing else has its contents').waitFor();
    await page.getByRole('button', { name: 'Delete the backup' }).click();
    await row.waitFor({ state: 'detached' });
    await tab.close();
  });

  test.each(widths)('an instance gets the contents of a deleted one, %i px wide', async (width) => {
    await loseInstance(`gone-${width}`);
    const name = `other-${width}`;
    await view.send({ path: '/v1.1/instances/', body: { name } });
    const tab = await view.open(`/i/${name}/backups`, { width });
    const { page } = tab;

    await page.getByRole('button', { name: 'Restore another backup…' }).click();
    const dialog = page.getByRole('dialog');
    const choice = dialog.getByLabel('Backup', { exact: true });
    await choice.waitFor();
    const options = await choice.locator('option').allTextContents();
    expect(options[0]).toContain(`deleted instance: all of gone-${width}, `);
    await dialog.getByText(`of ${name} are replaced`).waitFor();
    await dialog.getByText('This is a backup of a deleted instance').waitFor();
    await dialog.getByText('get new user keys').waitFor();
    await dialog.getByText('new public links').waitFor();
    await dialog
      .getByText(
        /^Push credentials .* come along only if the instance of the backup belonged to owner@/,
      )
      .waitFor();
    const verb = page.getByRole('button', { name: 'Replace the contents' });
    expect(await verb.isDisabled()).toBe(true);
    await page.getByLabel(`Type ${name} to confirm`).fill(name);
    await tab.check();
    await verb.click();
    await page.getByRole('region', { name: 'Restores' }).getByText('success').waitFor();

    expect(await objectsOf(name)).toMatchObject([{ title: 'Emma' }]);
    await tab.close();
  });

  test('a new instance whose restore does not begin is kept, and the restore tried again', async () => {
    await loseInstance('lost-twice');
    const tab = await view.open('/backups');
    const { page } = tab;
    let isBroken = true;
    await page.route('**/restores/', (route) => {
      if (!isBroken || route.request().method() !== 'POST') return route.continue();
      isBroken = false;
      return route.fulfill({ status: 503, json: { detail: 'Come back later.' } });
    });

    const row = page.getByRole('row', { name: 'all of lost-twice' });
    await row.getByRole('button', { name: 'Restore into a new instance…' }).click();
    await page.getByLabel('Name of the new instance').fill('found-twice');
    await page.getByRole('button', { name: 'Create and restore' }).click();
    await page
      .getByText('found-twice is created, but its restore did not begin: Come back later.')
      .waitFor();
    await page.getByRole('button', { name: 'Restore again' }).click();
    await page.getByRole('region', { name: 'Restores' }).getByText('success').waitFor();

    expect(await objectsOf('found-twice')).toMatchObject([{ title: 'Emma' }]);
    const faults = tab.faults.filter((fault) => !fault.includes('503'));
    expect(faults).toEqual([]);
    await page.context().close();
  });
});
