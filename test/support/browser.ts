import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

/** The browser for tests: `CHROME_PATH`, or the first known one in PATH; undefined if there is none. */
export function findBrowser(): string | undefined {
  const { CHROME_PATH, PATH = '' } = process.env;
  if (CHROME_PATH !== undefined) return CHROME_PATH;
  const places = PATH.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  return places.find((path) => existsSync(path));
}

/** Prints why the tests of the pages did not run, and how to run them. */
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
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', ...args],
  });
}
