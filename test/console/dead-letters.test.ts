import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi } from '../support/api.ts';
import { plantDeadLetter } from '../support/dead-letters.ts';
import { type Console, openConsole, program, widths } from './console-page.ts';

const hostile = '<img src=x onerror="alert(1)"> at /var/lib/groundwork/data.mdb';

/** Stores letters of the first instance: at each width one that can be replayed, one that cannot, and a count. */
async function plant(folder: string): Promise<void> {
  const api = await startApi({ folder });
  for (const width of widths) {
    await plantDeadLetter(api, 1, { object: width, error: hostile });
    await plantDeadLetter(api, 1, {
      object: width + 1,
      consumer: 'one of old',
      error: 'no'.repeat(900),
    });
  }
  await api.close();
}

describe.skipIf(program === undefined)('dead letters and limits in the console', () => {
  let view: Console;

  beforeAll(async () => {
    view = await openConsole('library', plant);
  }, 120_000);

  afterAll(() => view?.close());

  test.each(widths)('limits are listed, %i px wide', async (width) => {
    const tab = await view.open('/i/library/usage', { width });
    const limits = tab.page.getByRole('region', { name: 'Limits' });

    await limits.getByRole('row', { name: /^Classes .*100$/ }).waitFor();
    await limits.getByRole('row', { name: /^Requests per second .*no limit$/ }).waitFor();
    await tab.check();
    await tab.close();
  });

  test.each(widths)('letters are replayed and deleted, %i px wide', async (width) => {
    const tab = await view.open('/i/library/triggers', { width });
    const { page } = tab;

    await page.getByText(/^[0-9]+ jobs? failed: /).waitFor();
    await tab.check();
    await page.getByRole('link', { name: 'show the failed jobs' }).click();
    const row = page.getByRole('row', { name: `update of object ${width} of book` });
    await row.getByText('<img src=x onerror="alert(1)"> at …').waitFor();
    await tab.check();
    await row.getByRole('button', { name: 'Retry' }).click();
    await row.waitFor({ state: 'detached' });

    const other = page.getByRole('row', { name: `update of object ${width + 1} of book` });
    await other.getByRole('button', { name: 'Retry' }).click();
    await other.getByText('there is no consumer one of old any more').waitFor();
    await other.getByRole('button', { name: 'Delete…' }).click();
    await tab.check();
    await page.getByRole('button', { name: 'Delete job' }).click();
    await other.waitFor({ state: 'detached' });
    await tab.close();
  });

  test('without letters there is no line on other screens, and none on this one', async () => {
    const tab = await view.open('/i/library/health');
    const { page } = tab;

    await page.getByText('No failed jobs.').waitFor();
    await page.goto('/console/#/i/library/triggers');
    await page.getByText('No triggers yet.').waitFor();

    expect(await page.getByRole('link', { name: 'show the failed jobs' }).count()).toBe(0);
    await tab.close();
  });

  test('those who may not see them are told so', async () => {
    const tab = await view.open('/i/library/health', { key: await view.join('read') });

    await tab.page.getByText('This needs the role full or higher. Your role is read.').waitFor();
    await tab.check();
    await tab.close();
  });
});
