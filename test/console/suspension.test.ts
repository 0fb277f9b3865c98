import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeFolderSuspension } from '../../shared/platforms/local/operations/suspend.ts';
import { type Console, openConsole, program, widths } from './console-page.ts';

const library = '/v1.1/instances/library/';

describe.skipIf(program === undefined)('a suspended instance in the console', () => {
  let view: Console;
  let folder = '';

  beforeAll(async () => {
    view = await openConsole('library', async (given) => {
      folder = given;
    });
    const schema = [{ name: 'title', type: 'string' }];
    await view.send({ path: `${library}classes/`, body: { name: 'book', schema } });
    await view.send({ path: `${library}classes/book/objects/`, body: { title: 'Emma' } });
    await changeFolderSuspension(folder, { action: 'suspend', instance: 'library' });
  }, 120_000);

  afterAll(() => view?.close());

  const banner = /^This instance is suspended\. Its operator has stopped it/;

  test.each(widths)('says so, and shows the data to the owner, %i px wide', async (width) => {
    const tab = await view.open('/i/library/data/book', { width });
    const { page } = tab;

    await page.getByRole('status').filter({ hasText: banner }).waitFor();
    await page.getByText('Emma').first().waitFor();
    await tab.check();
    await page.goto(`${view.url}/console/#/i/library/backups`);
    await page.getByRole('heading', { name: 'Backups' }).first().waitFor();
    await page.getByRole('status').filter({ hasText: banner }).waitFor();
    await tab.check();
    await tab.close();
  });

  test('is an instance like others in the list, and the banner ends with the suspension', async () => {
    const tab = await view.open('/');
    const { page } = tab;
    await page.getByRole('link', { name: 'library' }).click();
    await page.getByRole('status').filter({ hasText: banner }).waitFor();

    await changeFolderSuspension(folder, { action: 'resume', instance: 'library' });
    await page.getByRole('link', { name: 'Classes', exact: true }).click();
    await page.getByText('book').first().waitFor();

    await page.getByText('This instance is suspended.').waitFor({ state: 'detached' });
    expect(await page.getByText('This instance is suspended.').count()).toBe(0);
    await tab.close();
  });
});
