import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Api, expected, openWorld, startApi, type World } from '../support/api.ts';
import { findBrowser, howToGetOne, openBrowser } from '../support/browser.ts';
import {
  jsonOf,
  openTab,
  openWithKey as openWith,
  settled,
  type Tab,
  violations,
} from '../support/page-tab.ts';
import { makeEndpoint } from '../support/script-endpoint.ts';

const program = findBrowser();
if (program === undefined) process.stdout.write(howToGetOne);

const hostile = '<script>document.title = 1</script>';

describe.skipIf(program === undefined)('the pages in a browser', () => {
  let browser: Browser;
  let api: Api;
  let world: World;
  let objects: string;
  let tab: Tab;

  beforeAll(async () => {
    [browser, api] = await Promise.all([openBrowser(program ?? ''), startApi()]);
    world = await openWorld(api, 'library');
    const book = await world.dataClass('book', [
      { name: 'title', type: 'string', order_index: true },
      { name: 'about', type: 'text' },
      { name: 'lent', type: 'boolean' },
      { name: 'pages', type: 'integer' },
      { name: 'printed', type: 'datetime' },
      { name: 'tags', type: 'array' },
      { name: 'next_one', type: 'reference', target: 'self' },
    ]);
    objects = `${book}objects/`;
    for (const title of [hostile, 'Emma', 'Persuasion', 'Sanditon', 'Lady Susan']) {
      const body = { title, about: 'javascript:alert(1)', tags: ['novel'] };
      expected(await api.send({ as: world.owner, path: objects, body }), 201);
    }
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await api?.close();
  });

  beforeEach(async () => {
    tab = await openTab(browser, api.url);
  });

  afterEach(async () => {
    await tab.close();
    expect(tab.faults).toEqual([]);
  });

  /** Enters keys through the form. */
  async function useKeys(page: Page, key: string, user = ''): Promise<void> {
    await page.getByText('Keys: ').click();
    await page.getByLabel('API or account key').fill(key);
    await page.getByLabel('User key').fill(user);
    await page.getByRole('button', { name: 'Use these keys' }).click();
    await page.getByText('Keys in use.').waitFor();
  }

  /** Opens an address in a tab that has the owner's key. */
  const openWithKey = (path: string) => openWith(tab, world.owner, path);

  /** Follows a link of the page that can be seen. */
  const follow = (page: Page, path: string) =>
    page.locator(`main a[href$="${path}"]:visible`).first().click();

  const isFocused = (node: unknown) => node === Object(globalThis).document.activeElement;
  const heading = (page: Page) => page.getByRole('heading', { level: 1 });
  const pathOf = (page: Page) => page.url().slice(api.url.length);

  test('a key can be entered, and links lead from the root to an object and back', async () => {
    const { page, requests } = tab;
    await page.goto('/');
    await follow(page, 'v1.1/');
    await follow(page, '/v1.1/instances/');
    await page.getByRole('heading', { name: 'Not allowed' }).waitFor();
    await page.getByRole('link', { name: 'enter it under Keys' }).click();
    await page.keyboard.type(world.owner);
    await page.keyboard.press('Enter');
    await page.getByText('Keys in use.').waitFor();
    await page.getByRole('heading', { name: 'Instances' }).waitFor();
    const book = objects.replace('objects/', '');
    for (const path of [world.base, `${world.base}classes/`, book, objects, `${objects}2/`]) {
      await follow(page, path);
      await page.waitForURL(`**${path}`);
    }

    await page.getByRole('heading', { name: 'Data object 2' }).waitFor();
    expect(await jsonOf(page)).toContain('"title": "Emma"');
    expect(await page.title()).toBe('Data object 2 · Groundwork');
    expect(await heading(page).evaluate(isFocused)).toBe(true);
    expect(await page.locator('#announcement').textContent()).toBe('200 OK');
    await page.goBack();
    await page.getByRole('heading', { name: 'Data objects' }).waitFor();
    expect(pathOf(page)).toBe(objects);
    await page.getByRole('navigation', { name: 'Path' }).getByText('library').click();
    await page.getByRole('heading', { name: 'Instance library' }).waitFor();
    for (const request of requests) {
      expect(request.url()).not.toContain(world.owner);
      expect(request.url().startsWith(api.url)).toBe(true);
    }
    expect(await page.context().cookies()).toEqual([]);
  });

  test('keys are kept in the tab, also after a reload, until they are removed', async () => {
    const { page } = tab;
    const key = await world.apiKey({ ignore_acl: true });
    await page.goto(objects);
    await useKeys(page, key, 'a user key');
    await page.reload();
    await page.getByRole('heading', { name: 'Data objects' }).waitFor();

    const stored = await page.evaluate('[{ ...sessionStorage }, { ...localStorage }]');
    await page.getByText('Keys: in use').click();
    await page.getByRole('button', { name: 'Forget them' }).click();
    await page.getByRole('heading', { name: 'Not allowed' }).waitFor();

    expect(stored).toEqual([{ 'groundwork-key': key, 'groundwork-user-key': 'a user key' }, {}]);
    expect(await page.evaluate('({ ...sessionStorage })')).toEqual({});
    expect(tab.requests.at(-1)?.headers()).not.toHaveProperty('x-api-key');
  });

  test('a user logs in by form and continues with the key of the response', async () => {
    const { page } = tab;
    await page.goto('/v1.1/account/auth/');
    await page.getByLabel('Email address').fill('owner-of-library@example.com');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Send POST' }).click();
    await page.getByText('Invalid password.').waitFor();
    await page.getByLabel('Password').fill('a password');
    await page.getByRole('button', { name: 'Send POST' }).click();
    await page.getByRole('button', { name: 'Use this account_key' }).click();

    await page.getByRole('heading', { name: 'Instances' }).waitFor();
    expect(pathOf(page)).toBe('/v1.1/instances/');
  });

  test('a class is created by form; errors are next to the field', async () => {
    const page = await openWithKey(`${world.base}classes/`);
    await page.getByLabel('Name').fill('not a name');
    await page.getByLabel('Schema').fill('[{"name": "x"');
    await page.getByRole('button', { name: 'Create POST' }).click();
    await page.getByText('This is not JSON').waitFor();
    await page.getByLabel('Schema').fill('[{"name": "x", "type": "string"}]');
    await page.getByRole('button', { name: 'Create POST' }).click();
    const name = page.getByLabel('Name');
    await page.locator('#post-name-error:not(:empty)').waitFor();

    expect(await page.getByLabel('Schema').inputValue()).toContain('  {\n    "name": "x"');
    expect(await name.getAttribute('aria-invalid')).toBe('true');
    expect(await name.getAttribute('aria-describedby')).toContain('post-name-error');
    expect(await name.evaluate(isFocused)).toBe(true);
    await name.fill('shelf');
    await page.getByLabel('Other permissions').selectOption('read');
    await page.getByRole('button', { name: 'Create POST' }).click();
    await page.getByText('Created.').waitFor();
    expect(pathOf(page)).toBe(`${world.base}classes/shelf/`);
    const { body } = await world.call(world.owner, 'GET', 'classes/shelf/');
    expect(body).toMatchObject({
      schema: [{ name: 'x', type: 'string' }],
      other_permissions: 'read',
      group_permissions: 'create_objects',
    });
  });

  test('an object is created, changed, replaced and deleted by form', async () => {
    const page = await openWithKey(objects);
    const stored = async () => (await api.send({ as: world.owner, path: pathOf(page) })).body;
    await page.getByLabel('Title').fill('Mansfield Park');
    await page.getByLabel('Pages').fill('560');
    await page.getByLabel('Lent').check();
    await page.getByLabel('Printed').fill('1814-05-04T00:00:00.000000Z');
    await page.getByLabel('Tags').fill('["novel", 1814]');
    await page.getByLabel('Next one').fill('2');
    await page.getByLabel('Other permissions').selectOption('read');
    await page.getByRole('button', { name: 'Create POST' }).click();
    await page.getByText('Created.').waitFor();
    const made = await stored();
    await page.getByLabel('Pages').fill('');
    await page.getByLabel('Lent').uncheck();
    await page.getByLabel('Printed').fill('');
    await page.getByRole('button', { name: 'Save changes PATCH' }).click();
    await page.getByText('Saved.').waitFor();
    const changed = await stored();
    await page.getByLabel('Title').fill('Mansfield');
    await page.getByRole('button', { name: 'Replace PUT' }).click();
    await page.locator('dd').getByText('Mansfield', { exact: true }).waitFor();
    const replaced = await stored();
    await page.getByText('Delete', { exact: true }).click();
    await page.getByRole('button', { name: 'Delete for good DELETE' }).click();
    await page.getByText('Deleted.').waitFor();

    const date = { type: 'datetime', value: '1814-05-04T00:00:00.000000Z' };
    const reference = { type: 'reference', target: 'self', value: 2 };
    expect(made).toMatchObject({
      title: 'Mansfield Park',
      about: null,
      pages: 560,
      lent: true,
      printed: date,
      tags: ['novel', 1814],
      next_one: reference,
      other_permissions: 'read',
    });
    expect(changed).toEqual({
      ...made,
      pages: null,
      lent: false,
      printed: null,
      revision: 2,
      updated_at: expect.any(String),
    });
    expect(replaced).toEqual({
      ...changed,
      title: 'Mansfield',
      revision: 3,
      updated_at: expect.any(String),
    });
    expect(pathOf(page)).toBe(objects);
  });

  test('a file is sent as a part of a form, with all other fields', async () => {
    const withFile = await world.dataClass('scan', [
      { name: 'title', type: 'string' },
      { name: 'tags', type: 'array' },
      { name: 'page', type: 'file' },
    ]);
    const page = await openWithKey(`${withFile}objects/`);
    await page.getByLabel('Title').fill('Żółw');
    await page.getByLabel('Tags').fill('["a"]');
    const file = { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('scanned') };
    await page.getByLabel('Page', { exact: true }).setInputFiles(file);
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await page.getByRole('button', { name: 'Create POST' }).click();

    const request = await sent;
    await page.getByText('Created.').waitFor();
    const { body } = await api.send({ as: world.owner, path: pathOf(page) });
    expect(body).toMatchObject({ title: 'Żółw', tags: ['a'], page: { type: 'file' } });
    expect(await (await fetch(body.page.value)).text()).toBe('scanned');
    expect(request.headers()['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(request.headers()['x-api-key']).toBe(world.owner);
  });

  test('a user pages through a list, forward and back', async () => {
    const page = await openWithKey(`${objects}?page_size=2&fields=id`);
    const ids = async () => (await jsonOf(page)).match(/"id": \d+/g);
    const seen = [await ids()];
    for (const name of ['Next page', 'Next page', 'Previous page']) {
      const before = pathOf(page);
      await page.getByRole('link', { name }).first().click();
      await page.waitForURL((url) => !url.href.endsWith(before));
      await settled(page);
      seen.push(await ids());
    }

    expect(seen.map((each) => each?.map((id) => Number(id.slice(6))))).toEqual([
      [1, 2],
      [3, 4],
      [5],
      [3, 4],
    ]);
  });

  test('stored text is displayed as text, whatever it contains', async () => {
    const page = await openWithKey(`${objects}1/`);

    expect(await jsonOf(page)).toContain(hostile);
    expect(await page.getByLabel('Title').inputValue()).toBe(hostile);
    expect(await page.title()).toBe('Data object 1 · Groundwork');
    expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
    expect(await page.locator('script').count()).toBe(1);
  });

  test('output of a script is displayed as text, and never as a part of the page', async () => {
    const foreign = '<main id="main"><h1 id="title">Enter your password</h1></main>';
    const page = await openWithKey('/v1.1/foreign/below/');
    await page.route('**/v1.1/foreign/', (route) =>
      route.fulfill({
        contentType: 'text/html',
        headers: { 'Content-Security-Policy': 'sandbox allow-scripts' },
        body: foreign,
      }),
    );
    await page.getByRole('link', { name: 'foreign' }).click();
    await page.getByText('Enter your password').waitFor();

    expect(await page.locator('pre').textContent()).toBe(foreign);
    expect(await heading(page).textContent()).toBe('200, text/html');
    expect(await page.getByRole('navigation', { name: 'Path' }).textContent()).toBe(
      'rootv1.1foreign',
    );
  });

  describe('scripts', () => {
    /** Counts runs of a script by its traces. */
    const runs = async (name: string) => {
      await api.platform.idle();
      const { body } = await world.call(world.owner, 'GET', `endpoints/scripts/${name}/traces/`);
      return body.objects.length;
    };

    test('a public link that is opened in a tab with keys runs once', async () => {
      const made = await makeEndpoint(world, 'opened', 'console.log("ran");', { public: true });

      const page = await openWithKey(made.links['public-link'] ?? '');

      expect(await jsonOf(page)).toContain('ran');
      expect(await runs('opened')).toBe(1);
    });

    test('links to a run lead to its page, and a button runs it', async () => {
      const made = await makeEndpoint(world, 'followed', 'console.log("ran " + ARGS.POST.a);', {
        public: true,
      });
      const page = await openWithKey(made.links.self ?? '');
      for (const link of ['run', 'public-link']) {
        await follow(page, made.links[link] ?? '');
        await page.getByRole('button', { name: 'Run POST' }).waitFor();
        expect(await violations(page)).toEqual([]);
        await page.goBack();
        await page.getByRole('heading', { name: 'Script endpoint followed' }).waitFor();
      }
      const before = await runs('followed');
      await follow(page, made.links.run ?? '');
      await page.getByLabel('Arguments').fill('{"a": 7}');
      await page.getByRole('button', { name: 'Run POST' }).click();
      await page.getByText('ran 7').waitFor();

      expect([before, await runs('followed')]).toEqual([0, 1]);
    });

    test("a script's response is downloaded as bytes without a type", async () => {
      const html = '<script>top.document.title = "taken"</script>';
      const source = `setResponse(new HttpResponse(200, ${JSON.stringify(html)}, 'image/svg+xml'));`;
      const made = await makeEndpoint(world, 'drawn', source);
      await tab.page.addInitScript(`const make = URL.createObjectURL;
        URL.createObjectURL = (blob) => { window.savedType = blob.type; return make.call(URL, blob); }`);
      const page = await openWithKey(made.links.run ?? '');
      await page.getByRole('button', { name: 'Run POST' }).click();
      const link = page.getByRole('link', { name: /^Save \d+ bytes$/ });
      await link.waitFor();

      expect(await page.evaluate('savedType')).toBe('application/octet-stream');
    });

    test('a response of a script offers no key, and causes no navigation', async () => {
      const response = { account_key: 'theirs', links: { self: '/v1.1/account/' } };
      const source = `setResponse(new HttpResponse(200, ${JSON.stringify(JSON.stringify(response))}, 'application/json'));`;
      const made = await makeEndpoint(world, 'offering', source);
      const page = await openWithKey(made.links.run ?? '');
      await page.getByRole('button', { name: 'Run POST' }).click();
      await page.getByText('theirs').waitFor();

      expect(await page.getByRole('button', { name: 'Use this account_key' }).count()).toBe(0);
      expect(pathOf(page)).toBe(made.links.run);
    });
  });

  test('without script, public content and links work', async () => {
    const { page } = await openTab(browser, api.url, { javaScriptEnabled: false });
    await page.goto('/');
    await follow(page, 'v1.1/');
    await page.waitForURL('**/v1.1/');

    expect(await heading(page).textContent()).toBe('Root links');
    expect(await page.locator('#keys').isVisible()).toBe(false);
    await page.goto(`${objects}2/?api_key=${world.owner}`);
    expect(await jsonOf(page)).toContain('"title": "Emma"');
    expect(await page.locator('form:visible').count()).toBe(0);
    expect(await page.content()).not.toContain(world.owner);
    await page.context().close();
  });

  test('the keyboard reaches the keys, the response and the forms', async () => {
    const { page } = tab;
    await page.goto('/v1.1/');
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('Skip to the response');
    await page.getByText('Keys: none').focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('API or account key').focus();
    await page.keyboard.type(world.owner);
    await page.keyboard.press('Enter');
    await page.getByText('Keys in use.').waitFor();
    await page.getByText('Keys: in use').focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('User key').focus();
    await page.keyboard.press('Escape');

    expect(await page.getByLabel('User key').isVisible()).toBe(false);
    expect(await page.locator('summary:focus').count()).toBe(1);
  });

  const looks = [
    { colorScheme: 'light', width: 1280 },
    { colorScheme: 'dark', width: 390 },
  ] as const;

  /** Looks at the page in both colour schemes, wide and narrow. */
  async function expectAccessible(page: Page): Promise<void> {
    for (const { colorScheme, width } of looks) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });

      expect(await violations(page), colorScheme).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    }
  }

  test.each([
    ['the root', () => '/'],
    ['a list', () => `${objects}?page_size=2`],
    ['an object', () => `${objects}1/`],
    ['classes', () => `${world.base}classes/`],
    ['a missing resource', () => `${world.base}nowhere/`],
    ['a rejected page parameter', () => `${objects}?page_size=x`],
    ['a log-in', () => '/v1.1/account/auth/'],
  ])('%s is accessible and fits the window, wide and light, narrow and dark', async (_, path) => {
    const page = await openWithKey(path());
    for (const summary of await page.locator('summary').all()) await summary.click();

    await expectAccessible(page);
  });

  test('rejected keys and fields are accessible, wide and light, narrow and dark', async () => {
    const { page } = tab;
    await page.goto('/v1.1/account/register/');
    await page.getByRole('button', { name: 'Send POST' }).click();
    await page.locator('#post-email-error:not(:empty)').waitFor();

    await expectAccessible(page);
  });
});
