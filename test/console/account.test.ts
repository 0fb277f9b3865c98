import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, openConsole, program, widths } from './console-page.ts';

describe.skipIf(program === undefined)('accounts and instances in the console', () => {
  let view: Console;

  beforeAll(async () => {
    view = await openConsole('library');
  }, 120_000);

  afterAll(() => view?.close());

  test.each(widths)('a person signs up and makes an instance, %i px wide', async (width) => {
    const tab = await view.open('/sign-up', { width, isStranger: true });
    const { page } = tab;

    await tab.check();
    await page.getByLabel('E-mail').fill(`ada-${width}@example.com`);
    await page.getByLabel('Password').fill('a password');
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByRole('button', { name: 'New instance' }).first().click();
    await page.getByLabel('Name').fill(`blog-${width}`);
    await tab.check();
    await page.getByRole('button', { name: 'Create the instance' }).click();

    await page.getByRole('heading', { name: `blog-${width}` }).waitFor();
    await tab.check();
    await tab.close();
  });

  test('a wrong password is told at the form', async () => {
    const tab = await view.open('/sign-in', { isStranger: true });
    const { page } = tab;

    await page.getByLabel('E-mail').fill('nobody@example.com');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();

    expect(await page.getByRole('alert').textContent()).toContain('Invalid email.');
    await tab.close();
  });

  test('a screen asks to sign in first, and is opened then', async () => {
    const tab = await view.open('/i/library/settings', { isStranger: true });

    await tab.page.getByRole('heading', { name: 'Sign in' }).waitFor();

    expect(tab.page.url()).toContain('#/sign-in?next=%2Fi%2Flibrary%2Fsettings');
    await tab.close();
  });
});
