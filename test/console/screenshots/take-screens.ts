import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { screenEntries } from '../screen-entries.ts';
import { owner, shop } from './shop-history.ts';

/** How wide, and in which colours. */
export interface Look {
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
}

const patienceMs = 10_000;
/** A screen without a request for this time has loaded. */
const quietMs = 250;
/** What is not loaded yet. */
const loading = 'main [aria-busy="true"], main .skeleton';

/** Names of records of the shop in paths of screens, by what the path contains; the first that fits counts. */
const names: readonly (readonly [part: string, name: string, value: string])[] = [
  ['', 'instance', shop],
  ['', 'class', 'book'],
  ['data/:class/', 'id', '14'],
  ['scripts/:id', 'id', '2'],
  ['', 'id', '1'],
  ['channels/', 'name', 'news'],
  ['templates/', 'name', 'price-list'],
  ['endpoints/data/', 'name', 'cheap-novels'],
  ['endpoints/scripts/', 'name', 'greet'],
  ['', 'service', 'gcm'],
  ['', 'device', 'device-of-user-1'],
];

/** Returns a path with the names of the shop's records. */
function fillPath(path: string): string {
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const found = names.find(([part, each]) => each === name && path.includes(part));
    if (found === undefined) throw new Error(`${path}: no record of the shop is its ${name}`);
    return found[2];
  });
}

/** Opens a tab with one look. */
export async function openTab(browser: Browser, url: string, look: Look): Promise<Page> {
  const options: BrowserContextOptions = {
    baseURL: url,
    viewport: { width: look.width, height: look.width < 600 ? 844 : 900 },
    colorScheme: look.colorScheme,
    reducedMotion: 'reduce',
  };
  return (await browser.newContext(options)).newPage();
}

/** Signs the owner in. */
export async function signIn(page: Page): Promise<void> {
  await page.goto('/console/#/sign-in');
  await page.getByLabel('E-mail').fill(owner.email);
  await page.getByLabel('Password').fill(owner.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText(shop).first().waitFor();
  await page.mouse.move(0, 0); // nothing is under it
}

/** Shows a screen, and waits until it has loaded. */
export async function show(page: Page, place: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await untilQuiet(page);
  if (place === '/parts') return; // it shows one
  await page.locator(loading).first().waitFor({ state: 'detached', timeout: patienceMs });
}

/** Waits until no request was sent for some time. Those under way may never end: a live tail. */
async function untilQuiet(page: Page): Promise<void> {
  const isSent = () =>
    page.waitForEvent('request', { timeout: quietMs }).then(
      () => true,
      () => false,
    );
  const end = Date.now() + patienceMs;
  while ((await isSent()) && Date.now() < end);
}

/** Takes a picture of every screen, named by its path and the look, and returns how many. */
export async function takeScreens(
  browser: Browser,
  url: string,
  { look, folder }: { readonly look: Look; readonly folder: string },
): Promise<number> {
  const stranger = await openTab(browser, url, look);
  await stranger.goto('/console/');
  const member = await openTab(browser, url, look);
  await signIn(member);
  for (const { path, isOpen } of screenEntries) {
    const page = isOpen ? stranger : member;
    await show(page, fillPath(path));
    const file = `${nameOf(path)}-${look.width}-${look.colorScheme}.png`;
    await page.screenshot({ path: join(folder, file), fullPage: true });
  }
  await stranger.context().close();
  await member.context().close();
  return screenEntries.length;
}

/** Returns the name of a screen in file names. */
function nameOf(path: string): string {
  const words = path.split(/[/:]+/).filter((word) => word !== '' && word !== 'i');
  return words.join('-') || 'instances';
}
