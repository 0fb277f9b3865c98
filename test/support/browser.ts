import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

/** The browser that tests may drive: `CHROME_PATH`, or the first of its kind in PATH; undefined where there is none. */
export function findBrowser(): string | undefined {
  const { CHROME_PATH, PATH = '' } = process.env;
  if (CHROME_PATH !== undefined) return CHROME_PATH;
  const places = PATH.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  return places.find((path) => existsSync(path));
}

/** Says why the tests of the pages did not run, and what would make them run. */
export const howToGetOne =
  'skipped: the pages in a browser; install Chromium (apt-get install chromium) or name one in CHROME_PATH\n';

/**
 * Starts a browser without a window.
 *
 * @param args further ones
 */
export function openBrowser(executablePath: string, ...args: string[]): Promise<Browser> {
  // inside containers tests run as root, for whom Chromium has no sandbox; it only sees our own pages
  return chromium.launch({
    executablePath,
    timeout: 100_000,
    args: ['--no-sandbox', '--disable-dev-shm-usage', ...args],
  });
}
