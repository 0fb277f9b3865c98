import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { type Api, openWorld, startApi, type World } from '../support/api.ts';
import { findBrowser, howToGetOne, openBrowser } from '../support/browser.ts';

/** The browser for tests of the console; undefined if there is none. */
export const program = findBrowser();
if (program === undefined) process.stdout.write(howToGetOne);

/** Widths in CSS pixels at which screens are tested: a desk and a phone. */
export const widths = [1280, 390] as const;

/** The console of a server with one instance, in a browser. */
export interface Console {
  readonly browser: Browser;
  readonly api: Api;
  /** Its instance, owner and keys. */
  readonly world: World;
  /** Opens a tab in which the owner is signed in. */
  open(path: string, options?: TabOptions): Promise<Tab>;
  close(): Promise<void>;
}

interface TabOptions {
  readonly width?: number;
  readonly isDark?: boolean;
  /** Is not signed in. */
  readonly isStranger?: boolean;
}

/** A tab. */
export interface Tab {
  readonly page: Page;
  /** Script errors, violations of the policy, and errors in the log. */
  readonly faults: readonly string[];
  /** Fails when axe finds a violation, or the content is wider than the window. */
  check(): Promise<void>;
  /** Fails when there were faults. */
  close(): Promise<void>;
}

/**
 * Starts a server and a browser.
 *
 * @param instance name of the instance that is made
 */
export async function openConsole(instance: string): Promise<Console> {
  const [browser, api] = await Promise.all([openBrowser(program ?? ''), startApi()]);
  const world = await openWorld(api, instance);
  return {
    browser,
    api,
    world,
    open: (path, options = {}) => openTab(browser, { api, world, path, ...options }),
    close: async () => {
      await browser.close();
      await api.close();
    },
  };
}

interface Opening extends TabOptions {
  readonly api: Api;
  readonly world: World;
  readonly path: string;
}

async function openTab(
  browser: Browser,
  { api, world, path, width = 1280, isDark, isStranger }: Opening,
): Promise<Tab> {
  const context = await browser.newContext({
    baseURL: api.url,
    viewport: { width, height: 900 },
    colorScheme: isDark ? 'dark' : 'light',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    const isStatus = message.text().startsWith('Failed to load resource: the server responded');
    if (message.type() === 'error' && !isStatus) faults.push(message.text());
  });
  if (!isStranger) {
    const session = JSON.stringify({ accountKey: world.owner, email: 'owner@example.com' });
    const script = `sessionStorage.setItem('groundwork-console', ${JSON.stringify(session)})`;
    await page.addInitScript(script);
  }
  await page.goto(`/console/#${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return {
    page,
    faults,
    check: async () => {
      if (await page.evaluate('typeof axe === "undefined"')) await page.evaluate(axe.source);
      const found = await page.evaluate(`axe.run().then(({ violations }) =>
        violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]))`);
      expect(found).toEqual([]);
      const spare = 'innerWidth - document.documentElement.scrollWidth';
      expect(await page.evaluate(spare)).toBeGreaterThanOrEqual(0);
    },
    close: async () => {
      await context.close();
      expect(faults).toEqual([]);
    },
  };
}
