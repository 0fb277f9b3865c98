import { writeFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { shop } from './shop-history.ts';
import { openTab, show, signIn } from './take-screens.ts';

const images = new URL('../../../docs/images/', import.meta.url);
const maxBytes = 150_000;

/** A picture of the documents: its name, the place that it shows, and what is done there before. */
interface DocImage {
  readonly name: string;
  readonly place: string;
  readonly act?: (page: Page) => Promise<void>;
}

const docImages: readonly DocImage[] = [
  { name: 'console', place: `/i/${shop}/data/book` },
  { name: 'console-overview', place: `/i/${shop}` },
  { name: 'console-script', place: `/i/${shop}/scripts/3`, act: runScript },
];

/** Takes the pictures of README.md and the guide to the console, and returns their names and sizes. */
export async function takeDocImages(browser: Browser, url: string): Promise<readonly string[]> {
  const page = await openTab(browser, url, { width: 1280, colorScheme: 'light' });
  await signIn(page);
  const lines: string[] = [];
  for (const { name, place, act } of docImages) {
    await show(page, place);
    await act?.(page);
    const png = await sharp(await page.screenshot())
      .png({ palette: true, effort: 10 })
      .toBuffer();
    if (png.length > maxBytes) throw new Error(`${name}.png has ${png.length} bytes`);
    writeFileSync(new URL(`${name}.png`, images), png);
    lines.push(`docs/images/${name}.png: ${png.length} bytes`);
  }
  await page.context().close();
  return lines;
}

async function runScript(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('total', { exact: false }).last().waitFor();
  await page.mouse.move(0, 0);
  await page.waitForTimeout(500); // the list of runs has the new one by then
}
