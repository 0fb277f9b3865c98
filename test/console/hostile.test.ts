import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, Route as Requested } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleConsole } from '../../console/bundle.mjs';
import { createConsole } from '../../shared/console/console.ts';
import { consoleSteps } from '../../shared/console/console-steps.ts';
import { createServe } from '../../shared/core/http/edge.ts';
import type { Dispatch } from '../../shared/core/http/message.ts';
import { type Api, startApi } from '../support/api.ts';
import { openBrowser } from '../support/browser.ts';
import { type FilledWorld, openFilledWorld } from '../support/filled-world.ts';
import { watchFaults } from '../support/page-tab.ts';
import { checkPage, program, widths } from './console-page.ts';

/** Texts that would run as code where they are taken for markup, an attribute, or an address. */
const payloads = [
  `"'><img src=x onerror=window.ran=1><script>window.ran=3</script>`, // as long as a user name may be
  'javascript:window.ran=4//{{7*7}}',
];

/** The paths of all screens, from the map. */
const screens = [
  ...readFileSync(new URL('../../console/app/screens.ts', import.meta.url), 'utf8').matchAll(
    /path: '([^']+)'/g,
  ),
].map(([, path = '']) => path);

describe.skipIf(program === undefined).each(payloads)('everything is named %s', (payload) => {
  let browser: Browser;
  let api: Api;
  let world: FilledWorld;
  let serveConsole: Dispatch;

  beforeAll(async () => {
    [browser, api] = await Promise.all([openBrowser(program ?? ''), startApi()]);
    world = await openFilledWorld(api, 'library', payload);
    const { files } = bundleConsole({ brotliQuality: 1 });
    const steps = consoleSteps(api.platform, () => [api.url]);
    serveConsole = createServe({ ...api.platform, dispatch: createConsole(() => files) }, steps);
  }, 240_000);

  afterAll(async () => {
    await browser?.close();
    await api?.close();
  });

  /** Serves the console beside the interface of the test's server. */
  async function answer(requested: Requested): Promise<void> {
    const { pathname, searchParams: query } = new URL(requested.request().url());
    const [method, headers] = [requested.request().method(), requested.request().headers()];
    const id = api.platform.ids.random();
    const { status, content, ...rest } = await serveConsole({
      id,
      method,
      path: pathname,
      query,
      headers: { ...headers, 'accept-encoding': 'identity' },
      body: { kind: 'bytes', bytes: new Uint8Array() },
      sourceAddress: '127.0.0.1',
    });
    const body = Buffer.from(content?.bytes ?? []);
    await requested.fulfill({ status, headers: { ...rest.headers }, body });
  }

  async function openContext(
    width: number,
    colorScheme: 'light' | 'dark',
  ): Promise<BrowserContext> {
    const context = await browser.newContext({
      viewport: { width, height: 900 },
      colorScheme,
      reducedMotion: 'reduce',
    });
    await context.route('**/console/**', answer);
    const session = JSON.stringify({ accountKey: world.owner, email: payload });
    await context.addInitScript(
      `if (self === top) sessionStorage.setItem('groundwork-console', ${JSON.stringify(session)})`,
    );
    return context;
  }

  test.each(widths)(
    'and nothing of it runs, on any screen, %i px wide',
    async (width) => {
      const context = await openContext(width, width === widths[0] ? 'light' : 'dark');
      let shown = 0;
      for (const screen of screens) {
        const page = await context.newPage();
        const faults = watchFaults(page);
        page.on('dialog', (dialog) => faults.push(dialog.message()));
        await page.goto(`${api.url}/console/#${fill(screen, world)}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.getByText('Loading…').first().waitFor({ state: 'detached' });
        await checkPage(page, screen);
        if ((await page.locator('body').textContent())?.includes(payload.slice(0, 12))) shown += 1;
        expect(await page.evaluate('window.ran'), screen).toBeUndefined();
        expect(faults, screen).toEqual([]);
        await page.close();
      }
      await context.close();
      expect(shown).toBeGreaterThan(screens.length / 3); // otherwise nothing was tested
    },
    600_000,
  );
});

/** Returns a path with the names of the world's records. */
function fill(screen: string, world: FilledWorld): string {
  const names: Readonly<Record<string, string>> = {
    instance: 'library',
    class: 'book',
    id: '1',
    service: 'gcm',
  };
  return screen.replace(/:(\w+)/g, (_, name: string) => {
    const known = names[name] ?? nameIn(screen, world);
    return encodeURIComponent(known);
  });
}

/** Records that a screen shows by name: their lists, by what the path of the screen contains. */
const lists: readonly (readonly [part: string, template: string])[] = [
  ['endpoints/data/', '/v1.1/instances/{instance}/endpoints/data/{endpoint}/'],
  ['endpoints/scripts/', '/v1.1/instances/{instance}/endpoints/scripts/{endpoint}/'],
  ['templates/', '/v1.1/instances/{instance}/snippets/templates/{template}/'],
  ['channels/', '/v1.1/instances/{instance}/channels/{channel}/'],
  ['push/', '/v1.1/instances/{instance}/push_notifications/gcm/devices/{device}/'],
];

function nameIn(screen: string, world: FilledWorld): string {
  const template = lists.find(([part]) => screen.includes(part))?.[1];
  if (template === undefined) throw new Error(`the names of ${screen} are not known here`);
  const path = world.path({ template } as Parameters<FilledWorld['path']>[0]); // reads the template only
  return decodeURIComponent(path.split('/').at(-2) ?? '');
}
