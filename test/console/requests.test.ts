import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Console, openConsole, program, widths } from './console-page.ts';

const library = '/v1.1/instances/library/';
const log = '/i/library/requests';

describe.skipIf(program === undefined)('the request log in the console', () => {
  let view: Console;

  beforeAll(async () => {
    view = await openConsole('library');
    const schema = [{ name: 'title', type: 'string' }];
    await view.send({ path: `${library}classes/`, body: { name: 'book', schema } });
    await view.send({ path: `${library}classes/book/objects/`, body: { title: 'Emma' } });
    const script = { label: 'greet', source: 'throw new Error("no")', runtime_name: 'nodejs_v6' };
    const { id } = (await view.send({ path: `${library}snippets/scripts/`, body: script })).body;
    const endpoint = { name: 'greet', script: id };
    await view.send({ path: `${library}endpoints/scripts/`, body: endpoint });
  }, 120_000);

  afterAll(() => view?.close());

  test('shows all requests where there is no error', async () => {
    const tab = await view.open(log);
    const { page } = tab;

    await page.getByRole('button', { name: 'POST /classes/book/objects/' }).waitFor();
    expect(await page.getByRole('link', { name: 'All' }).getAttribute('aria-current')).toBe('page');
    expect(await page.getByRole('button', { name: '/request_log/' }).count()).toBe(0);
    await tab.close();
  });

  test.each(widths)('shows errors first, and filters in the address, %i px wide', async (width) => {
    await view.send({ path: `${library}classes/book/objects/77/`, expect: [404] });
    const tab = await view.open(log, { width });
    const { page } = tab;
    const missed = page.getByRole('button', { name: 'GET /classes/book/objects/77/' }).first();
    const created = page.getByRole('button', { name: 'POST /classes/book/objects/' });

    await missed.waitFor();
    expect(await created.count()).toBe(0);
    await tab.check();
    const [id, refresh, live] = await Promise.all(
      [
        page.getByLabel('Request id'),
        page.getByRole('button', { name: 'Refresh' }),
        page.getByRole('button', { name: 'Live' }),
      ].map(async (control) => (await control.boundingBox())?.y),
    );
    expect(live).toBe(refresh);
    if (width > 600) expect(live).toBe(id);
    await page.getByRole('link', { name: 'All' }).click();
    await created.waitFor();
    await page.getByLabel('Status').selectOption('2xx');
    await missed.waitFor({ state: 'detached' });
    await page.getByLabel('Method').selectOption('POST');
    await page.getByLabel('Route').selectOption('/classes/{class}/objects/');
    await expect.poll(() => page.getByRole('row').count()).toBe(width < 600 ? 1 : 2);
    expect(page.url()).toMatch(/show=all&status=2xx&method=POST&route=/);
    await tab.check();
    await page.reload();
    await created.waitFor();
    expect(await page.getByLabel('Method').inputValue()).toBe('POST');
    await tab.close();
  });

  test.each(widths)('a request leads to its run and its class, %i px wide', async (width) => {
    await view.send({
      method: 'POST',
      path: `${library}endpoints/scripts/greet/run/`,
      expect: [200, 500],
    });
    const tab = await view.open(`${log}?show=all`, { width, isDark: true });
    const { page } = tab;

    await page.getByRole('button', { name: 'POST /endpoints/scripts/greet/run/' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('link', { name: 'greet', exact: true }).waitFor();
    const run = dialog.getByRole('link', { name: /^run \d+$/ });
    await run.waitFor();
    await tab.check();
    await run.click();
    await page.waitForURL(/endpoints\/scripts\/greet\?run=\d+/);
    await page.goto(`/console/#${log}?show=all&method=POST`);
    await page.getByRole('button', { name: 'POST /classes/book/objects/' }).click();
    await dialog.getByRole('link', { name: 'book', exact: true }).click();
    await page.waitForURL(/data\/book/);
    await tab.close();
  });

  test('a call of a public link leads to its run, although the log has no link', async () => {
    const body = { name: 'open', script: 1, public: true };
    const made = (await view.send({ path: `${library}endpoints/scripts/`, body })).body;
    const called = `${library}endpoints/scripts/p/${made.public_link}/`;
    await view.send({ method: 'POST', path: called, expect: [200, 500] });
    const tab = await view.open(`${log}?show=all&method=POST`);
    await tab.page
      .getByRole('button', { name: /endpoints\/scripts\/p\// })
      .first()
      .click();
    await tab.page
      .getByRole('dialog')
      .getByRole('link', { name: /^run \d+$/ })
      .click();
    await tab.page.waitForURL(/endpoints\/scripts\/open\?run=\d+/);
    await tab.close();
  });

  test('a link with a wrong time shows the screen', async () => {
    const tab = await view.open('/i/library/requests?hours=abc');
    await tab.page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
    await tab.page.getByRole('table').first().waitFor();
    await tab.close();
  });

  test('finds a request by its id, and says when the log has none', async () => {
    const response = await fetch(`${view.url}${library}classes/`, {
      headers: { 'X-API-KEY': view.owner },
    });
    const id = response.headers.get('x-request-id') ?? '';
    const tab = await view.open(`${log}?request_id=${id}`);
    const { page } = tab;

    await page.getByRole('button', { name: 'GET /classes/' }).waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    await page.goto(`/console/#${log}?request=${'0'.repeat(24)}`);
    await page.getByText('does not have this request').waitFor();
    await tab.check();
    await tab.close();
  });

  test('Live adds new requests', async () => {
    const tab = await view.open(`${log}?show=all`);
    const { page } = tab;
    await page.getByRole('button', { name: 'Live' }).click();
    await view.send({ path: `${library}classes/book/objects/1/` });

    await page.getByRole('button', { name: 'GET /classes/book/objects/1/' }).waitFor();
    expect(await page.getByRole('button', { name: 'Live' }).getAttribute('aria-pressed')).toBe(
      'true',
    );
    await tab.close();
  });

  test('goes on over short pages by itself, and stops after some requests', async () => {
    const tab = await view.open('/i/library');
    const { page } = tab;
    let count = 0;
    await page.route('**/request_log/?*', (route) => {
      count += 1;
      const next = `${library}request_log/?page_size=50&last_pk=${count}`;
      return route.fulfill({ json: { objects: [], next, prev: null } });
    });
    await page.goto(`/console/#${log}?show=all`);

    await page.getByRole('button', { name: 'Older' }).waitFor();
    await page.getByText('No request of the last 24 hours').waitFor();
    const read = count;
    await page.waitForTimeout(1_000);
    expect(count).toBe(read);
    expect(count).toBeLessThanOrEqual(20);
    await tab.close();
  });

  test('those who may not see it are told so', async () => {
    const tab = await view.open(log, { key: await view.join('read') });

    const reason = 'This needs the role full or higher. Your role is read.';
    await tab.page.getByText(reason).first().waitFor();
    await tab.check();
    await tab.close();
  });
});

describe.skipIf(program === undefined)('a server without request log', () => {
  test('says so in the console', async () => {
    const view = await openConsole('library', undefined, { GROUNDWORK_REQUEST_LOG: 'off' });
    try {
      const tab = await view.open(log);
      await tab.page.getByText('The request log of this server is switched off.').waitFor();
      await tab.page.getByText('GROUNDWORK_REQUEST_LOG').waitFor();
      await tab.page.context().close();
    } finally {
      await view.close();
    }
  }, 120_000);
});
