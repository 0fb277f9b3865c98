import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { watchFaults } from '../support/page-tab.ts';
import { type Console, openConsole, program } from './console-page.ts';

const prefix = '/tools/groundwork';

/** A proxy that serves a server below a path, and nothing else. */
async function openProxy(target: string): Promise<Server> {
  const proxy = createServer((asked, response) => {
    const { url = '/', method, headers } = asked;
    if (!url.startsWith(`${prefix}/`)) {
      response.writeHead(404).end();
      return;
    }
    const passed = request(`${target}${url.slice(prefix.length)}`, { method, headers }, (got) => {
      response.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(response);
    });
    asked.pipe(passed);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return proxy;
}

describe.skipIf(program === undefined)('the console below a path prefix', () => {
  let view: Console;
  let proxy: Server;

  beforeAll(async () => {
    view = await openConsole('library');
    proxy = await openProxy(view.url);
  }, 120_000);

  afterAll(async () => {
    proxy?.close();
    await view?.close();
  });

  test('works: sign-in, objects of a class, scripts', async () => {
    const schema = [{ name: 'title', type: 'string', filter_index: true }];
    const base = '/v1.1/instances/library/';
    await view.send({ path: `${base}classes/`, body: { name: 'book', schema } });
    await view.send({ path: `${base}classes/book/objects/`, body: { title: 'Book 1' } });
    const { port } = proxy.address() as AddressInfo; // it listens on TCP
    const page = await view.browser.newPage();
    const faults = watchFaults(page);
    const outside: string[] = [];
    page.on('request', (sent) => {
      const { pathname, protocol } = new URL(sent.url());
      if (protocol === 'http:' && !pathname.startsWith(`${prefix}/`)) outside.push(pathname);
    });

    await page.goto(`http://127.0.0.1:${port}${prefix}/console/`);
    await page.getByLabel('E-mail').fill('owner@example.com');
    await page.getByLabel('Password').fill('a password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'library' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'library' }).waitFor();
    const at = (path: string) => `http://127.0.0.1:${port}${prefix}/console/#/i/library/${path}`;
    await page.goto(at('data/book'));
    await page
      .getByText(/^Book \d+$/)
      .first()
      .waitFor();
    await page.goto(at('scripts'));
    await page.getByRole('heading', { level: 1, name: 'Scripts' }).waitFor();

    expect(outside).toEqual([]);
    expect(faults).toEqual([]);
    await page.goto(`http://127.0.0.1:${port}${prefix}${base}classes/book/objects/1/`);
    await page.getByRole('link', { name: 'Open in the console' }).click();
    await page.waitForURL(at('data/book/1'));
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.close();
  });
});
