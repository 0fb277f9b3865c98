import type { Browser } from 'playwright-core';
import { describe, expect } from 'vitest';
import { openWorld, type World } from '../support/api.ts';
import { findBrowser, howToGetOne, openBrowser } from '../support/browser.ts';
import { worldTest } from '../support/fixtures.ts';
import { tokenFor } from '../support/user-accounts.ts';
import { setUserSettings } from '../support/user-sessions.ts';

const it = worldTest().extend(
  'browser',
  { scope: 'file' },
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures are used
  async ({}, { onCleanup }) => {
    const browser = await openBrowser(executable ?? '');
    onCleanup(() => browser.close());
    return browser;
  },
);

it.beforeAll(async ({ world }) => {
  await world.create('api_keys/', { allow_user_create: true });
  await setUserSettings(world, { email: 'required', confirmed: 'required' });
});

const confirm = 'user/email/confirm/';
const reset = 'user/password/reset/confirm/';

describe.each([confirm, reset])('the page of links to %s', (path) => {
  it('is the same for each request: nothing of the request is in it', async ({ api, world }) => {
    const url = `${api.url}${world.base}${path}`;
    const pages = await Promise.all(
      [url, `${url}?token=<script>`].map(async (each) => {
        const headers = { Accept: 'text/html', 'X-Forwarded-Host': 'evil.example.com' };
        const response = await fetch(each, { headers });
        return { status: response.status, text: await response.text(), headers: response.headers };
      }),
    );
    const [first, second] = pages;

    expect(first?.status).toBe(200);
    expect(second?.text).toBe(first?.text);
    expect(first?.text).not.toMatch(/evil|https?:|\son\w+=/);
    expect(first?.text).toContain('<meta name="referrer" content="no-referrer">');
    const policy = first?.headers.get('Content-Security-Policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-\S+'; style-src 'sha256-\S+';/);
    expect(policy).toContain("form-action 'none'; base-uri 'none'; frame-ancestors 'none'");
    expect(policy).toContain('sandbox'); // no access to what pages of the server store
    expect(policy).not.toContain('allow-same-origin');
    expect(first?.headers.get('Cache-Control')).toBe('no-store');
  });

  it('does not exist where users have no addresses', async ({ api }) => {
    const other = await openWorld(api, `off-${path.length}`);
    const { status } = await api.send({ method: 'GET', path: other.base + path });

    expect(status).toBe(404);
  });
});

const executable = findBrowser();
if (executable === undefined) process.stderr.write(howToGetOne);

describe.skipIf(executable === undefined)('in a browser', () => {
  const open = async (browser: Browser, { api, base }: World, path: string, token: string) => {
    const page = await browser.newPage();
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url()));
    await page.goto(`${api.url}${base}${path}#token=${token}&purpose=x`);
    return { page, sent };
  };

  it('a link confirms an address with a password, once, and shows no key', async ({
    api,
    world,
    browser,
  }) => {
    const token = await tokenFor(world, { purpose: 'register', email: 'ada@example.com' });
    const { page, sent } = await open(browser, world, confirm, token);
    const address = page.url();
    await page.getByLabel('New password (not required)').fill('a long password');
    await page.getByLabel('The same again').fill('another password');
    await page.getByRole('button').click();
    const different = await page.getByRole('status').textContent();
    await page.getByLabel('The same again').fill('a long password');
    await page.getByRole('button').click();
    await page.getByText('Your address is confirmed.').waitFor();
    const content = await page.content();
    const again = await open(browser, world, confirm, token);
    await again.page.getByRole('button').click();
    await again.page.getByRole('status').filter({ hasText: /\S/ }).waitFor();

    expect(address).toBe(`${api.url}${world.base}${confirm}#`);
    expect(different).toBe('The passwords are not the same.');
    expect(content).not.toContain(token);
    expect(content).not.toMatch(/[0-9a-f]{40}/);
    expect(sent.some((url) => url.includes('token'))).toBe(false);
    expect(await again.page.getByRole('status').textContent()).not.toContain('confirmed');
  });

  it('a link that is not complete says so', async ({ world, browser }) => {
    const { page } = await open(browser, world, reset, '');

    expect(await page.getByRole('status').textContent()).toContain('not complete');
    expect(await page.getByRole('button').isDisabled()).toBe(true);
  });
});
