import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, openConsole, program, widths } from './console-page.ts';

describe.skipIf(program === undefined)('operation in the console', () => {
  let view: Console;
  const library = '/v1.1/instances/library/';

  beforeAll(async () => {
    view = await openConsole('library');
    const body = { label: 'works', source: 'console.log("fine")', runtime_name: 'nodejs_v6' };
    await view.send({ path: `${library}snippets/scripts/`, body });
  }, 120_000);

  afterAll(() => view?.close());

  test.each(widths)('a backup is made, restored and deleted, %i px wide', async (width) => {
    const tab = await view.open('/i/library/backups', { width });
    const { page } = tab;

    await page.getByRole('button', { name: 'Back up now' }).click();
    await page.getByLabel('Label').fill(`before the fair ${width}`);
    await tab.check();
    await page.getByRole('button', { name: 'Create' }).click();
    const row = page.getByRole('row', { name: `before the fair ${width}` });
    await row.getByText('success').waitFor();
    await view.send({ path: `${library}classes/`, body: { name: `late${width}` } });
    await row.getByRole('button', { name: 'Restore…' }).click();
    const verb = page.getByRole('button', { name: 'Replace the contents' });
    expect(await verb.isDisabled()).toBe(true);
    await page.getByLabel('Type library to confirm').fill('library');
    await tab.check();
    await verb.click();
    const restores = page.getByRole('region', { name: 'Restores' });
    await restores.getByText('success').nth(widths.indexOf(width)).waitFor();
    const late = { path: `${library}classes/late${width}/`, expect: [404] };
    expect((await view.send(late)).status).toBe(404);
    await tab.check();
    await row.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('button', { name: 'Delete the backup' }).click();
    await row.waitFor({ state: 'detached' });
    await tab.close();
  });

  test.each(widths)('usage is shown as charts and as a table, %i px wide', async (width) => {
    const tab = await view.open('/i/library/usage', { width });
    const { page } = tab;

    await page.locator('canvas').first().waitFor();
    await page.getByText('The numbers as a table').click();
    await page.getByLabel('Period', { exact: true }).selectOption('Last 24 hours');
    await tab.check();

    expect(page.url()).toContain('period=day');
    await tab.close();
  });

  test('no screen has a dash in place of a value', async () => {
    const tab = await view.open('/i/library/usage');
    const { page } = tab;
    const dashes = `[...document.querySelectorAll('main *')]
      .filter((each) => each.checkVisibility() && /^[-\u2013\u2014]+$/.test(each.textContent.trim()))
      .map((each) => each.parentElement.textContent)`;
    await page.locator('.u-legend').nth(2).waitFor();
    await page.getByRole('row', { name: 'Requests per second not counted' }).waitFor();
    expect(await page.evaluate(dashes)).toEqual([]);
    for (const screen of ['', '/requests', '/health', '/backups', '/settings']) {
      await page.goto(`/console/#/i/library${screen}`);
      await page.locator('main [aria-busy=false]').first().waitFor();
      await page.waitForLoadState('networkidle');
      expect(await page.evaluate(dashes), screen).toEqual([]);
    }
    const member = await view.open('/i/library', { key: await view.join('read') });
    await member.page.getByRole('link', { name: 'Objects stored' }).waitFor();
    expect(await member.page.evaluate(dashes)).toEqual([]);
    await tab.close();
    await member.close();
  });

  test('usage is not shown as zero to those who may not see it', async () => {
    const tab = await view.open('/i/library/usage', { key: await view.join('read') });
    const { page } = tab;

    await page.getByText('Only the owner can do this. Your role is read.').waitFor();
    await page.getByRole('row', { name: 'Schedules' }).waitFor(); // the limits are for all
    expect(await page.locator('canvas').count()).toBe(0);
    expect(await page.getByLabel('Period').count()).toBe(0);
    await tab.check();
    await tab.close();
  });

  test.each(widths)('failed runs are listed, %i px wide', async (width) => {
    const body = { label: `fails ${width}`, source: 'throw new Error("no")' };
    const script = { ...body, runtime_name: 'nodejs_v6' };
    const made = await view.send({ path: `${library}snippets/scripts/`, body: script });
    await view.send({ path: `${library}snippets/scripts/${made.body.id}/run/`, body: {} });
    const tab = await view.open('/i/library/health', { width, isDark: true });
    const { page } = tab;
    const link = page.getByRole('link', { name: `Script fails ${width}`, exact: true });

    await page.getByText(/^Isolated by/).waitFor();
    await page.getByText('This server sends no mails').waitFor();
    await expect
      .poll(async () => {
        await page.getByRole('button', { name: 'Refresh' }).click();
        await page.waitForTimeout(300);
        return link.count();
      })
      .toBe(1);
    await page
      .getByRole('status')
      .getByText(/^Needs attention: /)
      .waitFor();
    await page
      .getByRole('status')
      .getByRole('link', { name: `Script fails ${width} failed` })
      .waitFor();
    await tab.check();
    const row = page.getByRole('row', { name: `Script fails ${width}` });
    await row.getByRole('link', { name: 'Show the request' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`POST /snippets/scripts/${made.body.id}/run/`).first().waitFor();
    await tab.check();
    await dialog.getByRole('link', { name: /^run \d+$/ }).click();
    await page.waitForURL(new RegExp(`/scripts/${made.body.id}\\?run=`));
    await tab.close();
  });

  test('settings are saved, the instance is renamed and deleted', async () => {
    await view.send({ path: '/v1.1/instances/', body: { name: 'archive' } });
    const tab = await view.open('/i/archive/settings');
    const { page } = tab;
    const config = () => view.send({ path: '/v1.1/instances/archive/snippets/config/' });

    await page.getByLabel('Configuration (JSON)').fill('{"colour":');
    await page.getByRole('button', { name: 'Save the configuration' }).click();
    await page.getByText('This is not JSON').waitFor();
    await page.getByLabel('Configuration (JSON)').fill('{"colour": "blue"}');
    await page.getByRole('button', { name: 'Save the configuration' }).click();
    await page.getByText('Saved.').waitFor();
    expect((await config()).body).toEqual({ config: { colour: 'blue' } });
    await tab.check();
    const setting = page.getByRole('row', { name: 'GROUNDWORK_REQUEST_LOG' });
    await setting.getByText('on', { exact: true }).waitFor();
    expect(await page.getByText('GROUNDWORK_SMTP_URL').count()).toBe(0);
    expect(await page.getByText('Description', { exact: true }).count()).toBe(1);
    await page.getByRole('button', { name: 'Rename…' }).click();
    await page.getByLabel('New name').fill('archives');
    await page.getByRole('button', { name: 'Rename', exact: true }).click();
    await page.waitForURL(/i\/archives$/);
    await page.goto('/console/#/i/archives/settings');
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByLabel('Type archives to confirm').fill('archives');
    const deletion = page.waitForRequest((request) => request.method() === 'DELETE');
    await page.getByRole('button', { name: 'Delete the instance' }).click();
    expect((await deletion).headers()['x-confirm-name']).toBe('archives');
    await page.getByRole('heading', { name: 'Your instances' }).waitFor();

    expect(await page.getByRole('link', { name: 'archives' }).count()).toBe(0);
    await tab.close();
  });
});
