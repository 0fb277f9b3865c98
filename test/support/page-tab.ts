import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page, Request } from 'playwright-core';

/** A page in its own tab, and its errors. */
export interface Tab {
  readonly page: Page;
  readonly requests: Request[];
  /** Script errors, and requests blocked by the policy. */
  readonly faults: string[];
  close(): Promise<void>;
}

/** Opens a tab with storage of its own. */
export async function openTab(
  browser: Browser,
  baseURL: string,
  options: BrowserContextOptions = {},
): Promise<Tab> {
  const context = await browser.newContext({ baseURL, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(50_000);
  const requests: Request[] = [];
  const faults = watchFaults(page);
  page.on('request', (request) => requests.push(request));
  return { page, requests, faults, close: () => context.close() };
}

/** Collects script errors, violations of the policy, and errors in the log of a page. */
export function watchFaults(page: Page): string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    const isStatus = message.text().startsWith('Failed to load resource: the server responded');
    if (message.type() === 'error' && !isStatus) faults.push(message.text());
  });
  return faults;
}

/** Opens an address in a tab that has this key. */
export async function openWithKey({ page }: Tab, key: string, path: string): Promise<Page> {
  await page.addInitScript(`sessionStorage.setItem('groundwork-key', '${key}')`);
  await page.goto(path);
  await settled(page);
  return page;
}

/** Waits until the script has finished its requests: the mark is set before a page counts as loaded. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main:not([aria-busy])').waitFor();
}

/** Returns the axe rules that the page breaks, with their elements. */
export async function violations(page: Page): Promise<unknown> {
  if (await page.evaluate('typeof axe === "undefined"')) await page.evaluate(axe.source);
  return page.evaluate(`axe.run().then(({ violations }) =>
    violations.map(({ id, nodes }) => [id, ...nodes.map(({ html, failureSummary }) => [html, failureSummary])]))`);
}

/** Returns the text of the JSON on a page, which may be folded. */
export async function jsonOf(page: Page): Promise<string> {
  return (await page.locator('#json').textContent()) ?? '';
}
