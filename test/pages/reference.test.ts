import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser, howToGetOne, openBrowser } from '../support/browser.ts';
import { endProcesses, type ServerProcess, startProcess } from '../support/server-process.ts';

/* The page with all operations, whose texts and examples could contain markup after a mistake. */

const program = findBrowser();
if (program === undefined) process.stdout.write(howToGetOne);

const folder = mkdtempSync(join(tmpdir(), 'groundwork-reference-'));
const session = 'groundwork-console';
const reading = `sessionStorage.getItem('${session}')`;

describe.skipIf(program === undefined)('the page with all operations', () => {
  let browser: Browser;
  let server: ServerProcess;
  let page: Page;

  beforeAll(async () => {
    [browser, server] = await Promise.all([
      openBrowser(program ?? ''),
      startProcess(join(folder, 'data')),
    ]);
    page = await browser.newPage();
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    endProcesses();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = () => page.goto(`${server.url}/docs/api/`);

  test('is linked from the root page, has its style, and its links work', async () => {
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    await page.goto(`${server.url}/`);
    await page.getByRole('link', { name: 'All operations' }).click();
    await page.waitForURL('**/docs/api/');
    const columns = await page.evaluate('getComputedStyle(document.body).gridTemplateColumns');

    await page.getByText('classes', { exact: true }).first().click();
    await page.getByRole('link', { name: 'createClass' }).click();
    await page.waitForURL('**/docs/api/#createClass');
    const isSeen = await page.locator('#createClass').isVisible();
    await page.getByRole('link', { name: 'OpenAPI document' }).click();
    await page.waitForURL('**/v1.1/schema/?format=openapi');

    expect(columns).toMatch(/^256px /);
    expect(isSeen).toBe(true);
    expect(complaints).toEqual([]);
  });

  test('has the details of what the page of the schema lists', async () => {
    await page.goto(`${server.url}/v1.1/schema/`);
    await page.locator('#section-classes summary').click();
    await page.getByRole('link', { name: 'Create a class' }).click();
    await page.waitForURL('**/docs/api/#createClass');

    expect(await page.locator('#createClass').isVisible()).toBe(true);
  });

  test('has an origin of its own, so that it cannot read the session of the console', async () => {
    await page.goto(`${server.url}/console/`);
    await page.evaluate(`sessionStorage.setItem('${session}', 'a key')`);
    const kept = await page.evaluate(reading);

    await open();
    const origin = await page.evaluate('self.origin');
    const denied = page.evaluate(reading);

    expect([kept, origin]).toEqual(['a key', 'null']);
    await expect(denied).rejects.toThrow(/sandboxed/);
  });

  test('runs no script and loads nothing, whatever it contains', async () => {
    const loaded: string[] = [];
    page.on('response', (got) => loaded.push(new URL(got.url()).pathname));
    const hostile = `<script>document.title = 'ran'</script><script src="/console/x.js"></script>
<img src="/x.png" onerror="document.title = 'ran'"><iframe src="/console/"></iframe>
<link rel="stylesheet" href="/x.css"><form action="/v1.1/"><button>send</button></form>`;
    await page.route('**/docs/api/', async (route) => {
      const response = await route.fetch();
      const text = await response.text();
      await route.fulfill({ response, body: text.replace('<main>', `<main>${hostile}`) });
    });

    await open();
    await page.getByRole('button', { name: 'send' }).click();
    const title = await page.title();

    expect(title).toBe('Groundwork: all operations');
    expect(loaded).toEqual(['/docs/api/']);
  });
});
