/*
 * `npm run screenshots -- <folder>`: takes a picture of every screen of the console, at two widths and in both colour
 * schemes, from a server with the data of a book shop. `npm run screenshots -- --docs` takes those of the documents.
 */
import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { findBrowser, howToGetOne, openBrowser } from '../../support/browser.ts';
import { takeDocImages } from './doc-images.ts';
import { startShop } from './shop-server.ts';
import { type Look, takeScreens } from './take-screens.ts';

const usage = 'usage: npm run screenshots -- [--docs] [folder]\n';
const looks: readonly Look[] = [1280, 390].flatMap((width) => [
  { width, colorScheme: 'light' },
  { width, colorScheme: 'dark' },
]);

interface Wanted {
  readonly docs: boolean;
  readonly folder: string | undefined;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function takeAll(browser: Browser, url: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const look of looks) {
    const count = await takeScreens(browser, url, { look, folder });
    say(`${count} screens, ${look.width} px, ${look.colorScheme}`);
  }
}

async function takePictures(program: string, { docs, folder }: Wanted): Promise<void> {
  const shop = await startShop();
  const browser = await openBrowser(program);
  try {
    if (docs) for (const line of await takeDocImages(browser, shop.url)) say(line);
    if (folder !== undefined) await takeAll(browser, shop.url, folder);
  } finally {
    await browser.close();
    await shop.close();
  }
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { docs: { type: 'boolean', default: false } },
});
const wanted = { docs: values.docs, folder: positionals[0] };
const program = findBrowser();
if (program === undefined) throw new Error(howToGetOne);
if (wanted.docs || wanted.folder !== undefined) await takePictures(program, wanted);
else {
  process.stderr.write(usage);
  process.exitCode = 2;
}
