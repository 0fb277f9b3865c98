import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser, howToGetOne, openBrowser } from '../support/browser.ts';
import { endProcesses, type ServerProcess, startProcess } from '../support/server-process.ts';

/* Requests of a page in a developer's browser to a server with default settings. */

const program = findBrowser();
if (program === undefined) process.stdout.write(howToGetOne);

const folder = mkdtempSync(join(tmpdir(), 'groundwork-pages-'));
const refused = [403, { detail: expect.stringContaining('--registration open') }];
const made = [201, expect.objectContaining({ account_key: expect.any(String) })];

describe.skipIf(program === undefined)('a page in a browser', () => {
  let browser: Browser;
  let site: Server;
  let server: ServerProcess;
  let sitePort: number;
  let port: string;
  let people = 0;

  beforeAll(async () => {
    site = createServer((_, response) => {
      response.setHeader('Content-Type', 'text/html');
      response.end('<!doctype html><title>a site</title>');
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
    sitePort = (site.address() as AddressInfo).port; // the server listens on TCP
    const names = '--host-resolver-rules=MAP *.example 127.0.0.1';
    [browser, server] = await Promise.all([
      openBrowser(program ?? '', names),
      startProcess(join(folder, 'data')),
    ]);
    port = new URL(server.url).port;
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    site.close();
    endProcesses();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Opens a page that registers at a host without a preflight; returns status and body. */
  async function registerFrom(page: string, host: string, isInFrame = false): Promise<unknown> {
    people += 1;
    const context = await browser.newContext();
    try {
      const tab = await context.newPage();
      tab.setDefaultTimeout(50_000);
      await tab.goto(page);
      const body = JSON.stringify({ email: `page-${people}@example.com`, password: 'p' });
      const url = `http://${host}:${port}/v1.1/account/register/`;
      const program = `fetch(${JSON.stringify(url)}, {
        method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: ${JSON.stringify(body)},
      }).then(async (answer) => [answer.status, await answer.json()], (error) => [String(error)])`;
      if (!isInFrame) return await tab.evaluate(program);
      const content = `<script>${program}.then((answer) => parent.postMessage(answer, '*'))</script>`;
      return await tab.evaluate(`new Promise((resolve) => {
        addEventListener('message', ({ data }) => resolve(data));
        const frame = document.createElement('iframe');
        frame.sandbox = 'allow-scripts';
        frame.srcdoc = ${JSON.stringify(content).replaceAll('<', '\\u003c')};
        document.body.append(frame);
      })`);
    } finally {
      await context.close();
    }
  }

  test.each<[string, (site: number, own: string) => string, string]>([
    ['of another site', (site) => `http://evil.example:${site}/`, '127.0.0.1'],
    ['of another site, by name', (site) => `http://evil.example:${site}/`, 'localhost'],
    ['whose name points here', (_, own) => `http://evil.example:${own}/`, 'evil.example'],
  ])('%s cannot register', async (_name, page, host) => {
    expect(await registerFrom(page(sitePort, port), host)).toEqual(refused);
  });

  test('without its own origin cannot register', async () => {
    const page = `http://127.0.0.1:${sitePort}/`;

    expect(await registerFrom(page, '127.0.0.1', true)).toEqual(refused);
  });

  test.each(['127.0.0.1', 'localhost'])('of a development server on %s can', async (name) => {
    expect(await registerFrom(`http://${name}:${sitePort}/`, '127.0.0.1')).toEqual(made);
  });

  test('of the server itself can', async () => {
    expect(await registerFrom(`http://localhost:${port}/`, 'localhost')).toEqual(made);
  });
});
