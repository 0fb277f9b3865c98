/*
 * `npm run screenshots -- <folder>`: takes a picture of every screen of the console, at two widths and in both colour
 * schemes, from a server with the data of a book shop.
 */
import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { findBrowser, howToGetOne, openBrowser } from '../../support/browser.ts';
import { startShop } from './shop-server.ts';
import { type Look, takeScreens } from './take-screens.ts';

const usage = 'usage: npm run screenshots -- <folder>\n';
const looks: readonly Look[] = [1280, 390].flatMap((width) => [
  { width, colorScheme: 'light' },
  { width, colorScheme: 'dark' },
]);

async function main(program: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const shop = await startShop();
  const browser = await openBrowser(program);
  try {
    for (const look of looks) {
      const count = await takeScreens(browser, shop.url, { look, folder });
      process.stdout.write(`${count} screens, ${look.width} px, ${look.colorScheme}\n`);
    }
  } finally {
    await browser.close();
    await shop.close();
  }
}

const { positionals } = parseArgs({ allowPositionals: true });
const [folder] = positionals;
const program = findBrowser();
if (program === undefined) throw new Error(howToGetOne);
if (folder === undefined) {
  process.stderr.write(usage);
  process.exitCode = 2;
} else await main(program, folder);
