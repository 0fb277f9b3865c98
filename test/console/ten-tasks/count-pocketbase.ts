/*
 * Counts what the tasks take in PocketBase, and prints it for counts.ts. In an empty folder:
 *
 * GOBIN=$PWD go install github.com/pocketbase/pocketbase/examples/base@v0.39.5
 * ./base superuser upsert admin@example.com 'a password'
 * ./base serve --http 127.0.0.1:8090
 *
 * and in the clone: node --import tsx test/console/ten-tasks/count-pocketbase.ts http://127.0.0.1:8090
 */
import type { Page } from 'playwright-core';
import { findBrowser, openBrowser } from '../../support/browser.ts';
import type { TaskName } from './counts.ts';
import { type Hand, openHand } from './hand.ts';

type Task = (hand: Hand, page: Page) => Promise<void>;

const [url = ''] = process.argv.slice(2);
const identity = 'admin@example.com';
const password = 'a password';
const movedMs = 500; // its panels slide in and out
const loggedMs = 4_000; // it writes its log every three seconds

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true });

const tasks: Readonly<Partial<Record<TaskName, Task>>> = {
  'make a class of six fields': async (hand, page) => {
    await hand.click(button(page, 'New collection'));
    await hand.write(page.getByRole('textbox', { name: 'Name *' }), 'novel');
    for (const [type, name] of [
      ['Plain text', 'title'],
      ['Number', 'pages'],
      ['Bool', 'read'],
      ['Datetime', 'bought'],
      ['File', 'cover'],
      ['Geo Point', 'shop'],
    ] as const) {
      await hand.click(button(page, 'New field'));
      await hand.click(button(page, type));
      await page.waitForTimeout(movedMs);
      await hand.replace(page.locator('input:focus'), name);
    }
    await hand.click(button(page, 'Create'));
    await page.getByRole('button', { name: 'novel' }).waitFor();
  },
  'find an object by a value': async (hand, page) => {
    await openBooks(hand, page);
    await hand.write(page.locator('.editor-content'), 'Persuasion');
    await hand.press('Enter');
    await page.getByText('Total: 1', { exact: true }).waitFor();
  },
  'change one value of an object': async (hand, page) => {
    await openBooks(hand, page);
    await hand.click(page.getByRole('row').nth(3));
    await page.waitForTimeout(movedMs);
    await hand.replace(page.getByRole('spinbutton', { name: 'stock' }), '15');
    await hand.click(button(page, 'Save changes'));
    await page.getByText('Successfully updated').waitFor();
  },
  'delete one object': async (hand, page) => {
    await openBooks(hand, page);
    await hand.click(page.getByRole('row').nth(5).locator('label').first());
    await hand.click(page.getByRole('button', { name: 'Delete' }));
    await hand.click(button(page, 'Yes'));
    await page.getByText('Total: 59').waitFor();
  },
  'give a user a right': async (hand, page) => {
    await openBooks(hand, page);
    await hand.click(button(page, 'Collection settings'));
    await hand.click(button(page, 'API rules'));
    await hand.click(button(page, 'Unlock and set custom rule').first());
    await page.waitForTimeout(movedMs);
    await hand.write(page.locator('.modal .editor-content').first(), '@request.auth.id != ""');
    await hand.click(button(page, 'Save changes'));
    await page.getByText('Successfully updated').waitFor();
  },
  'see why a script failed': async (hand, page) => {
    await post('/users/records', { email: 'not an address', password: 'x' });
    await page.waitForTimeout(loggedMs);
    await hand.click(page.getByRole('link', { name: 'Logs' }));
    await hand.see(page.getByText('error: Failed to create record').first());
  },
  'create a user': async (hand, page) => {
    await hand.click(button(page, 'New record'));
    await hand.write(page.getByRole('textbox', { name: 'email' }), 'edgar@example.com');
    await hand.write(page.getByRole('textbox', { name: 'Password *' }), 'first password');
    await hand.write(page.getByRole('textbox', { name: 'Confirm *' }), 'first password');
    await hand.click(button(page, 'Create'));
    await page.getByText('Successfully created').waitFor();
  },
  'make an API key and get a first request as curl': async (hand, page) => {
    await hand.click(page.getByText('System', { exact: true }));
    await hand.click(page.getByRole('button', { name: '_superusers' }));
    await hand.click(page.getByRole('cell', { name: identity }));
    await page.waitForTimeout(movedMs);
    await hand.click(page.locator('.modal header button').first());
    await hand.click(page.getByText('Impersonate').last());
    await hand.click(page.getByRole('button', { name: 'Generate token' }));
    await button(page, 'Generate new one').waitFor();
    for (let panels = 2; panels > 0; panels -= 1) {
      await hand.click(button(page, 'Close').last());
      await page.waitForTimeout(movedMs);
    }
    await openBooks(hand, page);
    await hand.click(button(page, 'API preview'));
    await hand.click(button(page, 'curl'));
    await hand.see(page.getByText('curl \\').last());
  },
  'make a backup': async (hand, page) => {
    await hand.click(page.getByRole('link', { name: 'Settings' }));
    await hand.click(page.getByRole('link', { name: 'Backups' }));
    await hand.click(page.getByRole('button', { name: /new backup/i }));
    await hand.click(page.getByRole('button', { name: /start backup/i }));
    await page.getByText('.zip').first().waitFor();
  },
};

async function openBooks(hand: Hand, page: Page): Promise<void> {
  await hand.click(page.getByRole('button', { name: 'book' }));
  await page.getByText(/^Total: /).waitFor();
  await page.waitForTimeout(movedMs);
}

/** Sends a request, as the administrator when a token is given. */
async function post(path: string, body: object, token?: string): Promise<{ token?: string }> {
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: token }),
  };
  const response = await fetch(`${url}/api/collections${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return (await response.json()) as { token?: string };
}

/** Stores 60 books and two users. */
async function fill(): Promise<void> {
  const { token } = await post('/_superusers/auth-with-password', { identity, password });
  const fields = [
    { name: 'title', type: 'text' },
    { name: 'pages', type: 'number' },
    { name: 'stock', type: 'number' },
    { name: 'read', type: 'bool' },
  ];
  await post('', { name: 'book', type: 'base', fields }, token);
  for (let number = 0; number < 60; number += 1) {
    const title = number === 1 ? 'Persuasion' : `Volume ${number}`;
    await post('/book/records', { title, pages: 100 + number, stock: number }, token);
  }
  for (const name of ['ada', 'grace']) {
    const email = `${name}@example.com`;
    const secret = { password: 'first password', passwordConfirm: 'first password' };
    await post('/users/records', { email, ...secret }, token);
  }
}

async function countAll(program: string): Promise<void> {
  const browser = await openBrowser(program);
  for (const [name, task] of Object.entries(tasks)) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    await page.goto(`${url}/_/`);
    await page.locator('input[type=email]').fill(identity);
    await page.locator('input[type=password]').fill(password);
    await page.keyboard.press('Enter');
    await button(page, 'New collection').waitFor();
    await page.waitForTimeout(movedMs);
    const hand = openHand(page);
    await task(hand, page);
    const { clicks, keys } = hand.effort();
    process.stdout.write(`'${name}': { clicks: ${clicks}, keys: ${keys} },\n`);
    await context.close();
  }
  await browser.close();
}

await fill();
await countAll(findBrowser() ?? '');
