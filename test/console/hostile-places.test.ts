import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { locationNames, matchPattern } from '../../console/core/place-names.ts';
import { pathParameter } from '../../shared/values/text/path-parameters.ts';
import { type AllScreens, openAllScreens, screens } from './all-screens.ts';
import { program } from './console-page.ts';

/** Segments of a link that name nothing, and would change the path of a request. */
const hostile = [
  ...['..', '.', '%2e%2e', '%2E%2e', '.%2E', '%2e', '%252e%252e'],
  ...['..%2f', '%2e%2e%2fx', '1%2f..%2f2', '%5c..%5c', '%2f', ''],
  ...['%00', '%0a', '%09..', '%20', '%ff', '%', 'a%3fb', 'a%23b', '%c3%a9', 'a'.repeat(5_000)],
];

/** What cannot be taken back, or names what is shown. */
const destructive = /^(Delete|Remove|Reset|Rename|Decline|Restore)/;

/** The role of the account, and what the side bar of the world's instance lists, on whatever screen. */
const sideBar = ['GET /v1.1/instances/library/', 'GET /v1.1/instances/library/classes/'];

/** The screens that show records: all but the page of parts. */
const recordScreens = screens.filter((screen) => screen !== '/parts');

/** Every parameter of every screen with every hostile segment. */
const cases = screens.flatMap((screen) =>
  [...screen.matchAll(/:(\w+)/g)].map(([, name = '']) => [screen, name] as const),
);

describe.skipIf(program === undefined)('the screens of the console', () => {
  let all: AllScreens;
  let context: BrowserContext;

  beforeAll(async () => {
    all = await openAllScreens('plain');
    context = await all.openContext(1280, 'light');
  }, 240_000);

  afterAll(() => all?.close());

  /** Opens a tab, and collects the paths that the console requests. */
  async function openPage(place: string): Promise<{ page: Page; requested: string[] }> {
    const page = await context.newPage();
    const requested: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (!pathname.startsWith('/console/')) requested.push(`${request.method()} ${pathname}`);
    });
    await page.goto(`${all.api.url}/console/#${place}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    return { page, requested };
  }

  test.each(cases)('%s has no screen for a hostile :%s', async (screen, name) => {
    const { page, requested } = await openPage('/no/such/screen');
    for (const segment of hostile) {
      const place = all.fill(screen, { [name]: segment });
      await page.evaluate(`location.hash = ${JSON.stringify(`#${place}`)}`);
      await page.waitForTimeout(30); // its code would be loaded by then
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });

      const title = await page.getByRole('heading', { level: 1 }).textContent();
      const buttons = await page.getByRole('button', { name: destructive }).count();
      const dangers = await page.locator('button.danger').count();
      const others = requested.filter((each) => !sideBar.includes(each));
      const found = { title, buttons, dangers, requested: others };
      const nothing = { title: 'Page not found', buttons: 0, dangers: 0, requested: [] };
      expect(found, place.slice(0, 200)).toEqual(nothing);
    }
    await page.close();
  });

  const silent = ['never responds', 'responds with 404', 'responds with 500'] as const;

  test.each(silent)('offer nothing to delete while the server %s', async (how) => {
    const shown: string[] = [];
    for (const screen of recordScreens) {
      const page = await context.newPage();
      await page.route('**/v1.1/**', (route) => {
        if (how === 'never responds') return undefined;
        const status = how === 'responds with 404' ? 404 : 500;
        return route.fulfill({ status, json: { detail: 'Not found.' } });
      });
      await page.goto(`${all.api.url}/console/#${all.fill(screen)}?tab=settings`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      if (how !== 'never responds') {
        await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      }
      const dangers = await page.locator('button.danger').allTextContents();
      const named = await page.getByRole('button', { name: destructive }).allTextContents();
      shown.push(...[...dangers, ...named].map((text) => `${screen}: ${text}`));
      await page.close();
    }

    expect(shown).toEqual([]);
  });

  test('offer it when the server has shown the record', async () => {
    const shown: string[] = [];
    for (const screen of screens.filter((each) => /(settings|:id|:name|:device)$/.test(each))) {
      const { page } = await openPage(`${all.fill(screen)}?tab=settings`);
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      if ((await page.locator('button.danger').count()) > 0) shown.push(screen);
      await page.close();
    }

    expect(shown).toEqual(screens.filter((each) => /(settings|:id|:name|:device)$/.test(each)));
  });

  test('show no run that the query of a link does not name by its id', async () => {
    const { page, requested } = await openPage(
      `${all.fill('/i/:instance/triggers/:id')}?run=%252e%252e`,
    );
    await page.getByRole('heading', { name: 'Runs' }).waitFor();

    expect(await page.getByRole('heading', { name: /^Run / }).count()).toBe(0);
    expect(requested.filter((each) => /\.|%/.test(each.replace('/v1.1/', '/')))).toEqual([]);
    await page.close();
  });
});

describe('the parameters of places', () => {
  test.each([
    ['instance', 'instance'],
    ['class', 'class'],
    ['name', 'endpoint'],
    ['name', 'template'],
    ['name', 'channel'],
    ['id', 'id'],
    ['device', 'device'],
  ] as const)(':%s has the pattern of {%s} in the interface', (name, parameter) => {
    const { pattern, isLowered } = pathParameter(parameter);
    expect(locationNames[name].source).toBe(pattern.source);
    expect(locationNames[name].ignoreCase).toBe(isLowered === true);
  });

  test('each of the map is known', () => {
    const used = screens.flatMap((screen) =>
      [...screen.matchAll(/:(\w+)/g)].map(([, name]) => name),
    );
    expect(new Set(used)).toEqual(new Set(Object.keys(locationNames)));
    expect(() => matchPattern('/i/:unknown', '/i/x')).toThrow(':unknown is not a parameter');
  });

  test('are decoded once', () => {
    expect(matchPattern('/i/:instance', '/i/li%62rary')).toEqual({ instance: 'library' });
    expect(matchPattern('/i/:instance', '/i/li%2562rary')).toBeUndefined();
  });
});
