import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openProject } from '../commands/groundwork.ts';
import { maskAnswer } from '../docs/tour.ts';
import { type Api, startApi } from '../support/api.ts';
import { findBrowser, howToGetOne, openBrowser } from '../support/browser.ts';

/* The page of the quickstart as it is printed, opened as a file. */

const program = findBrowser();
if (program === undefined) process.stdout.write(howToGetOne);

const guide = readFileSync(new URL('../../docs/guides/quickstart-js.md', import.meta.url), 'utf8');
const blockOf = (language: string) =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(guide)?.[1] ?? '';

describe.skipIf(program === undefined)('the page of the quickstart', () => {
  let api: Api;
  let browser: Browser;

  beforeAll(async () => {
    [browser, api] = await Promise.all([openBrowser(program ?? ''), startApi()]);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await api?.close();
  });

  test('keeps a list for each user, and shows why a log-in failed', async () => {
    const address = await setUp();
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    const alert = page.getByRole('alert');

    await logIn(page, address, 'jo');
    await add(page, 'Write <b>a letter</b>');
    await add(page, 'Sing');
    await page.getByLabel('Sing').check();
    await page.getByRole('listitem').first().getByRole('button').click();
    await expect.poll(() => textsOf(page)).toEqual(['Sing']);
    await logIn(page, address, 'meg');
    expect(await textsOf(page)).toEqual([]);
    await logIn(page, address, 'jo');
    await expect.poll(() => textsOf(page)).toEqual(['Sing']);
    expect(await page.getByLabel('Sing').isChecked()).toBe(true);
    expect(await alert.textContent()).toBe('');

    await page.goto(address);
    await fill(page, 'jo', 'wrong');

    await expect.poll(() => alert.textContent()).toBe('{"detail":"Invalid password."}');
  }, 120_000);

  test('has at most 60 lines', () => {
    expect(blockOf('html').trim().split('\n').length).toBeLessThanOrEqual(60);
  });

  /** Follows the steps of the guide. Returns the address of the page. */
  async function setUp(): Promise<string> {
    const { folder, run } = openProject();
    const [, options = ''] = /^groundwork init (.*)$/m.exec(guide) ?? [];
    const words = options.match(/'[^']*'|\S+/g)?.map((word) => word.replaceAll("'", '')) ?? [];
    expect(await run('init', '--url', api.url, ...words)).toMatchObject({ status: 0 });
    writeFileSync(join(folder, 'groundwork.yml'), blockOf('yaml'));
    writeFileSync(join(folder, 'index.html'), blockOf('html'));
    const { stdout } = await run('push');
    expect(maskAnswer(stdout, blockOf('text'))).toBe(blockOf('text'));
    const key = stdout.trimEnd().split(' ').at(-1) ?? '';
    const config = blockOf('js').replace('http://127.0.0.1:3000', api.url).replace('…', key);
    writeFileSync(join(folder, 'config.js'), config);
    return pathToFileURL(join(folder, 'index.html')).href;
  }

  async function logIn(page: Page, address: string, name: string): Promise<void> {
    await page.goto(address);
    await fill(page, name, 'secret');
    await page.locator('#add').waitFor();
  }

  async function fill(page: Page, name: string, password: string): Promise<void> {
    await page.getByPlaceholder('Name').fill(name);
    await page.getByPlaceholder('Password').fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
  }

  async function add(page: Page, text: string): Promise<void> {
    await page.getByPlaceholder('What is').fill(text);
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByText(text).waitFor();
  }

  const textsOf = (page: Page) => page.locator('li span').allTextContents();
});
