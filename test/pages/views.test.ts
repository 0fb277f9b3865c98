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
    for (let at = 1; at <= 100; at += 1) {
      const body = {
        title: at === 1 ? hostile : `Book ${at}`,
        about: 'A sentence about the book. '.repeat(at % 20),
        pages: at * 10,
        lent: at % 2 === 0,
        printed: '1814-05-04T00:00:00.000000Z',
        tags: ['novel'],
        extra: { type: 'file', value: 'javascript:alert(1)' },
      };
      expected(await api.send({ as: world.owner, path: objects, body }), 201);
    }
    const person = { username: 'jo', password: 'secret' };
    const { id } = expected(await world.call(world.owner, 'POST', 'users/', person), 201);
    const change = { method: 'PATCH', path: `${objects}2/`, body: { readers: [id] } };
    expected(await api.send({ as: world.owner, ...change }), 200);
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
  const ids = (page: Page) => page.locator('.rows').first().locator('tbody th').allTextContents();
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

  test('the root says what this is, and links to the console, the log-in and the interface', async () => {
    const { page } = tab;
    await page.goto('/');

    expect(await heading(page).textContent()).toBe('Groundwork');
    expect(await page.title()).toBe('Groundwork');
    const links = await page
      .locator('main a')
      .evaluateAll((all: { getAttribute(name: string): string }[]) =>
        all.map((each) => each.getAttribute('href')),
      );
    expect(links).toEqual(
      expect.arrayContaining([
        'console/',
        'v1.1/account/auth/',
        'v1.1/account/register/',
        'v1.1/',
        'v1.1/schema/',
      ]),
    );
    await expectAccessible(page);
  });

  test('the schema is a table of contents, whose details are behind links', async () => {
    const { page } = tab;
    await page.goto('/v1.1/schema/');

    const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
    for (const summary of await page.locator('.contents summary').all()) await summary.click();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Create a class' }).click();
    await page.waitForURL('**/docs/api/#createClass');

    expect(height).toBeLessThan(2000);
  });

  test('each page has a link to the screen of the console', async () => {
    const page = await openWithKey(`${objects}2/`);
    await page.getByRole('navigation', { name: 'Path' }).getByText('objects').click();
    await heading(page).getByText('Data objects').waitFor();

    const link = page.getByRole('link', { name: 'Open in the console' });

    const href = (await link.getAttribute('href')) ?? '';
    expect(new URL(href, page.url()).href).toBe(`${api.url}/console/#/i/library/data/book`);
  });

  describe('lists', () => {
    test('100 objects are a table with their own fields first', async () => {
      const page = await openWithKey(objects);
      const table = page.locator('main table').first();

      const columns = await table.locator('thead th').allTextContents();
      const wide = Number(await page.evaluate('document.documentElement.scrollHeight'));
      expect(columns).toEqual([
        'id',
        'title',
        'about',
        'lent',
        'pages',
        'printed',
        'tags',
        'extra',
        'scan',
        'next_one',
        'readers',
        'isbn',
      ]);
      expect(await table.locator('tbody tr').count()).toBe(100);
      const cells = await table.locator('tbody td').allTextContents();
      expect(Math.max(...cells.map((cell) => cell.length))).toBeLessThanOrEqual(201);
      expect(cells).toContain('1814-05-04T00:00:00.000000Z');
      expect(wide).toBeLessThan(13_000);
      expect(await page.locator('#json').isVisible()).toBe(false);
      expect(await page.locator('#json').textContent()).toContain('"title": "Book 2"');
      await page.setViewportSize({ width: 390, height: 800 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
      expect(Number(await page.evaluate('document.documentElement.scrollHeight'))).toBeLessThan(
        20_000,
      );
      await page.getByRole('rowheader', { name: '2', exact: true }).getByRole('link').click();
      await page.waitForURL(`**${objects}2/`);
    });

    test.each([
      ['objects', () => `${objects}?page_size=3`],
      ['classes', () => `${world.base}classes/`],
      ['users', () => `${world.base}users/`],
      ['instances', () => '/v1.1/instances/'],
      ['an empty list', () => `${world.base}schedules/`],
    ])('%s are accessible with everything unfolded', async (_, path) => {
      const page = await openWithKey(path());
      for (const summary of await page.locator('main summary').all()) await summary.click();

      await expectAccessible(page);
    });

    test('the fields of the system are folded', async () => {
      const page = await openWithKey(`${objects}?page_size=2`);

      expect(await page.getByText('owner_permissions').first().isVisible()).toBe(false);
      await page.getByText('System fields').click();
      await page.getByRole('columnheader', { name: 'owner_permissions' }).waitFor();
    });
  });

  describe('an item', () => {
    test('shows its own fields, and folds those of the system', async () => {
      const page = await openWithKey(`${objects}2/`);
      const names = page.locator('.response dl').first().locator('dt');

      expect((await names.allTextContents()).slice(0, 3)).toEqual(['id', 'title', 'about']);
      expect(await page.locator('dd').getByText('Book 2', { exact: true }).isVisible()).toBe(true);
      expect(await page.getByText('owner_permissions').first().isVisible()).toBe(false);
      await page.getByText('System fields').click();
      await page.locator('dt', { hasText: 'owner_permissions' }).waitFor();
      await expectAccessible(page);
    });

    test('links to what it refers to, and to its files', async () => {
      const form = new FormData();
      form.append('title', 'Scanned');
      form.append('next_one', '2');
      form.append('scan', new Blob(['scanned'], { type: 'text/plain' }), 'a.txt');
      const sent = { method: 'POST', body: form, headers: { 'X-API-KEY': world.owner } };
      const made = await (await fetch(api.url + objects, sent)).json();
      const { id, scan } = made as { id: number; scan: { value: string } }; // as the interface promises
      const page = await openWithKey(`${objects}${id}/`);

      const file = page.locator('dl').getByRole('link', { name: 'Open the file' });
      expect(await file.getAttribute('href')).toBe(scan.value);
      const [opened] = await Promise.all([page.context().waitForEvent('page'), file.click()]);
      expect(await opened.locator('body').textContent()).toBe('scanned');
      await page.locator('dl').getByRole('link', { name: 'self 2' }).click();
      await page.waitForURL(`**${objects}2/`);
      await page.locator('dl').getByRole('link', { name: 'user 1' }).click();
      await page.waitForURL(`**${world.base}users/1/`);
    });

    test('never runs or links what is hostile', async () => {
      const page = await openWithKey(`${objects}1/`);
      await page.goto(`${objects}?page_size=2`);
      await settled(page);

      expect(await page.locator('tbody td').first().textContent()).toBe(hostile);
      expect(await page.locator('main img, main script, a[href^=javascript]').count()).toBe(0);
      expect(await page.getByRole('link', { name: 'Open the file' }).count()).toBe(0);
    });
  });

  describe('the filter form', () => {
    test('offers the fields with an index, and their look-ups', async () => {
      const page = await openWithKey(`${objects}?page_size=2`);
      await page.getByText('Filter and order').click();

      const groups = await page
        .getByLabel('Condition 1', { exact: true })
        .locator('optgroup')
        .evaluateAll((all: { label: string }[]) => all.map(({ label }) => label));
      const orders = await page.getByLabel('Order').locator('option').allTextContents();
      expect(groups.slice(0, 5)).toEqual(['title', 'lent', 'pages', 'tags', 'next_one']);
      expect(groups).not.toContain('about');
      expect(
        await page.locator('optgroup[label=tags]').first().locator('option').allTextContents(),
      ).toEqual(['tags contains']);
      expect(orders).toEqual(expect.arrayContaining(['title', 'title, descending', 'pages']));
      expect(orders).not.toContain('lent');
      await expectAccessible(page);
    });

    test('produces the query, the order and the page size in the address', async () => {
      const page = await openWithKey(`${objects}?excluded_fields=about&direction=1&last_pk=5`);
      await page.getByText('Filter and order').click();
      await page.getByLabel('Condition 1', { exact: true }).selectOption('pages ≥');
      await page.getByLabel('Value 1').fill('200');
      await page.getByLabel('Condition 2', { exact: true }).selectOption('title starts with');
      await page.getByLabel('Value 2').fill('Book 9');
      await page.getByLabel('Condition 3', { exact: true }).selectOption('tags contains');
      await page.getByLabel('Value 3').fill('novel');
      await page.getByLabel('Order').selectOption('pages, descending');
      await page.getByLabel('Page size').fill('3');
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.waitForURL('**order_by=**');
      await settled(page);

      const query = {
        pages: { _gte: 200 },
        title: { _startswith: 'Book 9' },
        tags: { _contains: ['novel'] },
      };
      expect(searchOf(page)).toEqual({
        excluded_fields: 'about',
        query: JSON.stringify(query),
        order_by: '-pages',
        page_size: '3',
      });
      expect(await ids(page)).toEqual(['99', '98', '97']);
      expect(await page.getByLabel('Value 2').inputValue()).toBe('Book 9');
      expect(await page.getByLabel('Order').inputValue()).toBe('-pages');
      await page.getByLabel('Condition 1', { exact: true }).selectOption('');
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.waitForURL((url) => !url.search.includes('_gte'));
      await settled(page);
      expect(await ids(page)).toHaveLength(3);
    });

    test('is above the objects of a data endpoint, too', async () => {
      const body = { name: 'long', class: 'book', query: { pages: { _gt: 500 } } };
      expected(await world.call(world.owner, 'POST', 'endpoints/data/', body), 201);
      const page = await openWithKey(`${world.base}endpoints/data/long/get/`);
      await page.getByText('Filter and order').click();
      await page.getByLabel('Order').selectOption('pages, descending');
      await page.getByLabel('Page size').fill('2');
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.waitForURL('**order_by=**');
      await settled(page);

      expect(await ids(page)).toEqual(['100', '99']);
    });

    test('a rejected query can be mended', async () => {
      const page = await openWithKey(objects);
      await page.getByText('Filter and order').click();
      await page.getByLabel('Condition 1', { exact: true }).selectOption('pages =');
      await page.getByLabel('Value 1').fill('many');
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByRole('heading', { name: 'Bad request' }).waitFor();

      await page.locator('dd', { hasText: 'Validation of value' }).waitFor();
      await page.getByLabel('Value 1').fill('20');
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByRole('rowheader', { name: '2', exact: true }).waitFor();
    });
  });

  describe('runs', () => {
    test('a script runs on its own page, which shows the result', async () => {
      const { script } = await makeEndpoint(world, 'direct', 'console.log("ran " + ARGS.a);');
      const page = await openWithKey(`${world.base}snippets/scripts/${script}/`);
      await page.getByLabel('Payload').fill('{"a": 7}');
      await page.getByRole('button', { name: 'Run POST' }).click();

      await page.locator('#run .outcome', { hasText: 'ran 7' }).waitFor();
      expect(new URL(page.url()).pathname).toBe(`${world.base}snippets/scripts/${script}/`);
      await expectAccessible(page);
    });

    test('a script endpoint runs on its own page, which shows the result', async () => {
      const made = await makeEndpoint(world, 'indirect', 'console.log("ran " + ARGS.POST.a);');
      const page = await openWithKey(made.links.self ?? '');
      await page.getByLabel('Arguments').fill('{"a": 8}');
      await page.getByRole('button', { name: 'Run POST' }).click();

      await page.locator('#run .outcome', { hasText: 'ran 8' }).waitFor();
    });

    test('a trace is loaded again while it is pending, and no longer', async () => {
      const { script } = await makeEndpoint(world, 'slow', 'setTimeout(() => {}, 4000);');
      const path = `snippets/scripts/${script}/run/`;
      const { links } = expected(await world.call(world.owner, 'POST', path, {}), 200);
      await tab.page.clock.install();
      const page = await openWithKey(links.self);
      const state = page.locator('dd').nth(1);
      const before = await state.textContent();
      const next = async () => {
        await page.clock.runFor(1000);
        return state.textContent();
      };
      await expect.poll(next, { timeout: 60_000 }).toBe('success');
      await settled(page);
      const seen = tab.requests.length;
      await page.clock.runFor(5000);

      expect(before).toMatch(/^(pending|processing)$/);
      expect(tab.requests.length).toBe(seen);
    });
  });

  test('a path without its last slash offers the one with it', async () => {
    const page = await openWithKey(`${book}objects?page_size=1`);

    expect(await heading(page).textContent()).toBe('Not found');
    await expectAccessible(page);
    await page.getByRole('link', { name: `${objects}?page_size=1` }).click();
    await page.getByRole('heading', { name: 'Data objects' }).waitFor();
    await page.goto(`${world.base}nowhere`);
    await settled(page);
    expect(await page.locator('.advice').count()).toBe(0);
  });

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

  test('a page to log in is a form, and no error', async () => {
    const { page } = tab;
    const response = await page.goto('/v1.1/account/auth/');

    expect(response?.status()).toBe(405);
    expect(await heading(page).textContent()).toBe('Log in to an account');
    expect(await page.getByText('405').isVisible()).toBe(false);
    expect(await page.getByText('Method not allowed').count()).toBe(0);
    await page.getByLabel('Email address').waitFor();
    await expectAccessible(page);
  });

  describe('a page that needs a key', () => {
    test('shows no error while the request with the key is under way', async () => {
      const page = await openWithKey(book);
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route(`**${book}`, async (route) => {
        if (route.request().headers()['x-api-key'] !== undefined) await held;
        await route.continue();
      });
      const response = await page.reload();

      expect(response?.status()).toBe(403);
      expect(await page.title()).toBe('Loading… · Groundwork');
      expect(await page.getByText('Loading…').isVisible()).toBe(true);
      expect(await page.getByText('Not allowed').first().isVisible()).toBe(false);
      release();
      await page.getByRole('heading', { name: 'Class book' }).waitFor();
      expect(await page.getByText('Loading…').isVisible()).toBe(false);
    });

    test('gives advice without one', async () => {
      const { page } = tab;
      await page.goto(book);

      expect(await heading(page).textContent()).toBe('Not allowed');
      await page.getByRole('link', { name: 'enter it under Keys' }).waitFor();
    });
  });
});
