import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Api, expected, openWorld, startApi, type World } from '../support/api.ts';
import { findBrowser, howToGetOne, openBrowser } from '../support/browser.ts';
import {
  openTab,
  openWithKey as openWith,
  settled,
  type Tab,
  violations,
} from '../support/page-tab.ts';
import { makeEndpoint } from '../support/script-endpoint.ts';

/* How pages show what a response contains: tables, details, filters, links and runs. */

const program = findBrowser();
if (program === undefined) process.stdout.write(howToGetOne);

const hostile = '"><img src=x onerror=alert(1)><script>alert(1)</script>';

describe.skipIf(program === undefined)('the views of responses', () => {
  let browser: Browser;
  let api: Api;
  let world: World;
  let book: string;
  let objects: string;
  let tab: Tab;

  beforeAll(async () => {
    [browser, api] = await Promise.all([openBrowser(program ?? ''), startApi()]);
    world = await openWorld(api, 'library');
    book = await world.dataClass('book', [
      { name: 'title', type: 'string', order_index: true, filter_index: true },
      { name: 'about', type: 'text' },
      { name: 'lent', type: 'boolean', filter_index: true },
      { name: 'pages', type: 'integer', order_index: true, filter_index: true },
      { name: 'printed', type: 'datetime' },
      { name: 'tags', type: 'array', filter_index: true },
      { name: 'extra', type: 'object' },
      { name: 'scan', type: 'file' },
      { name: 'next_one', type: 'reference', target: 'self', filter_index: true },
      { name: 'readers', type: 'relation', target: 'user' },
      { name: 'isbn', type: 'string' },
      { name: 'shelf', type: 'string' },
      { name: 'price', type: 'float' },
    ]);
    objects = `${book}objects/`;
    const { id: reader } = expected(
      await world.call(world.owner, 'POST', 'users/', { username: 'jo', password: 'secret' }),
      201,
    );
    for (let at = 1; at <= 100; at += 1) {
      const body = {
        title: at === 1 ? hostile : `Book ${at}`,
        about: 'A sentence about the book. '.repeat(at % 20),
        pages: at * 10,
        lent: at % 2 === 0,
        printed: '1814-05-04T00:00:00.000000Z',
        tags: ['novel'],
        extra: { type: 'file', value: 'javascript:alert(1)' },
        readers: [reader],
      };
      expected(await api.send({ as: world.owner, path: objects, body }), 201);
    }
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await api?.close();
  });

  beforeEach(async () => {
    tab = await openTab(browser, api.url, { viewport: { width: 1280, height: 800 } });
  });

  afterEach(async () => {
    await tab.close();
    expect(tab.faults).toEqual([]);
  });

  const openWithKey = (path: string) => openWith(tab, world.owner, path);
  const heading = (page: Page) => page.getByRole('heading', { level: 1 });
  const searchOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);

  /** Looks at the page in both colour schemes, wide and narrow. */
  async function expectAccessible(page: Page): Promise<void> {
    for (const [colorScheme, width] of [
      ['light', 1280],
      ['dark', 390],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });

      expect(await violations(page), colorScheme).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    }
  }

  test.each([
    ['Classes', () => `${world.base}classes/`],
    ['Class book', () => book],
    ['Data objects', () => `${objects}?page_size=1`],
    ['API keys', () => `${world.base}api_keys/`],
    ['Usage by hour', () => '/v1.1/usage/hourly/'],
    ['Script endpoints', () => `${world.base}endpoints/scripts/`],
    ['Account', () => '/v1.1/account/'],
  ])('a page has the title %s', async (title, path) => {
    const page = await openWithKey(path());

    expect(await heading(page).textContent()).toBe(title);
    expect(await page.title()).toBe(`${title} · Groundwork`);
  });
});
