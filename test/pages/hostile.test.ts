import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Api, type Credentials, startApi } from '../support/api.ts';
import { findBrowser, howToGetOne, openBrowser } from '../support/browser.ts';
import {
  type FilledWorld,
  isForPeople,
  isRedirect,
  isRun,
  isWait,
  openFilledWorld,
  places,
} from '../support/filled-world.ts';
import { openTab, settled, type Tab } from '../support/page-tab.ts';

/*
 * The pages of the interface run their script in our origin, with the key of the tab: so no text of a tenant, of a path
 * or of a query may become markup on any of them.
 */

const program = findBrowser();
if (program === undefined) process.stdout.write(howToGetOne);

/** Texts that would run as code where they are taken for markup, an attribute, or an address. */
const payloads = [
  `"'><img src=x onerror=window.ran=1><script>window.ran=3</script>`, // as long as a user name may be
  'javascript:window.ran=4//{{7*7}}',
];

/** Finds what no page of ours has in its body: things that load, attributes with code, and addresses that run. */
const foreign = `[...document.querySelectorAll('body *')].filter((each) =>
  /^(img|image|iframe|object|embed|svg|base|meta|link|style)$/.test(each.localName) ||
  each.getAttributeNames().some((name) => /^(on|style$|srcdoc$|formaction$)/.test(name)) ||
  /^\\s*(javascript|data|vbscript):/i.test(each.getAttribute('href') ?? '')
).map(({ outerHTML }) => outerHTML)`;

const shown = places.filter(
  (place) =>
    place.version === 'v1.1' &&
    'GET' in place.route.operations &&
    ![isWait, isRedirect, isForPeople, isRun].some((is) => is(place)),
);

describe.skipIf(program === undefined).each(payloads)('everything is named %s', (payload) => {
  let browser: Browser;
  let api: Api;
  let world: FilledWorld;

  beforeAll(async () => {
    [browser, api] = await Promise.all([openBrowser(program ?? ''), startApi()]);
    world = await openFilledWorld(api, 'library', payload);
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await api?.close();
  });

  let tab: Tab;

  beforeEach(async () => {
    tab = await openTab(browser, api.url);
    tab.page.on('dialog', (dialog) => tab.faults.push(dialog.message()));
    await tab.page.goto('/');
  });

  afterEach(() => tab.close());

  /** Opens a path with keys; returns whether the page shows the text. */
  async function look(path: string, caller: Credentials = world.owner): Promise<boolean> {
    const { page, faults } = tab;
    const { key, user } = typeof caller === 'string' ? { key: caller, user: '' } : caller;
    const keys = JSON.stringify({ 'groundwork-key': key, 'groundwork-user-key': user });
    await page.evaluate(`Object.assign(sessionStorage, ${keys})`);
    await page.goto(path);
    await settled(page);
    await page.evaluate(
      `for (const each of document.querySelectorAll('details')) each.open = true`,
    );
    expect(await page.evaluate(foreign), path).toEqual([]);
    expect(await page.evaluate('[window.ran, document.scripts.length]'), path).toEqual([
      undefined,
      1,
    ]);
    expect(faults, path).toEqual([]);
    return (await page.locator('main').textContent())?.includes(payload.slice(0, 12)) === true;
  }

  test('and nothing of it runs, on any page', async () => {
    let texts = 0;
    for (const place of shown) {
      if (await look(world.path(place), world.caller(place))) texts += 1;
    }

    expect(texts).toBeGreaterThan(shown.length / 3); // otherwise nothing was tested
  }, 600_000);

  test.each(['', 'classes/', 'classes/book/objects/', 'endpoints/scripts/greet/run/'])(
    'nor in the path or query of %s',
    async (path) => {
      const text = encodeURIComponent(payload);

      await look(
        `${world.base}${path}?query=${text}&order_by=${text}&${text}=${text}&fields=${text}`,
      );
      await look(`${world.base}${path}${text}/`);
      await look(`${world.base}${path}${text}`);
    },
  );
});
