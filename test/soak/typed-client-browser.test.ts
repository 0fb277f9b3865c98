import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { openProject } from '../commands/groundwork.ts';
import { openWorld, startApi } from '../support/api.ts';
import { findBrowser, howToGetOne, openBrowser } from '../support/browser.ts';

/* The typed client of an instance, in a page of another origin. */

const program = `
import { createClient, GroundworkError } from './library.ts';

export async function visit(settings) {
  const db = createClient(settings);
  const file = new File(['a picture'], 'a.png', { type: 'image/png' });
  for (const year of [1868, 1869, 1871]) await db.book.create({ year, cover: year === 1871 ? file : null });
  const years = [];
  for await (const { year } of db.book.all({ where: { year: { _gt: 1868 } }, orderBy: '-year', pageSize: 1 })) {
    years.push(year);
  }
  const [book] = (await db.book.list({ orderBy: '-year' })).objects;
  const cover = await (await fetch(book.cover.value)).text();
  await db.publish('default', { text: 'hello' }, 'lobby');
  let message;
  for await (const { payload } of db.subscribe('default', { room: 'lobby', lastId: 0 })) {
    message = payload;
    break;
  }
  const error = await db.book.get(999).catch((caught) => caught);
  return [years, cover, message, error instanceof GroundworkError, error.status, error.code];
}
`;

const browserPath = findBrowser();
if (browserPath === undefined) process.stderr.write(howToGetOne);

async function bundleClient(url: string, key: string): Promise<string> {
  const { folder, run } = openProject();
  const server = ['--url', url, '--key', key, '--instance', 'library'];
  expect(await run('types', ...server, '--out', 'library.ts')).toMatchObject({ status: 0 });
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: folder, sourcefile: join(folder, 'page.ts') },
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    globalName: 'library',
  });
  return outputFiles[0]?.text ?? '';
}

test.skipIf(browserPath === undefined)('the typed client works in a browser', async () => {
  const api = await startApi();
  onTestFinished(() => api.close());
  const world = await openWorld(api, 'library');
  await world.dataClass('book', [
    { name: 'year', type: 'integer', filter_index: true, order_index: true },
    { name: 'cover', type: 'file' },
  ]);
  const content = await bundleClient(api.url, world.owner);
  const site = createServer((_request, response) => response.end('<title>app</title>'));
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void site.close());
  const browser = await openBrowser(browserPath ?? '');
  onTestFinished(() => browser.close());

  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
  await page.addScriptTag({ content });
  const settings = { url: api.url, instance: 'library', apiKey: world.owner };
  const seen = await page.evaluate(`library.visit(${JSON.stringify(settings)})`);

  expect(seen).toEqual([[1871, 1869], 'a picture', { text: 'hello' }, true, 404, 'not_found']);
});
