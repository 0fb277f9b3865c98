import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Console, openConsole, program } from '../console/console-page.ts';

/*
 * What tenants make never runs in the origin of the console. Here the console has a session, and speaks on its channel;
 * a document of each kind tries to get at both.
 */

/** Sets `found`, to what a script of a document reaches. The console answers each message on the channel. */
const probe = `(async () => {
  const found = { origin: self.origin };
  const attempt = async (name, reach) => {
    try { found[name] = await reach(); } catch ({ name: error }) { found[name] = error; }
  };
  await attempt('channel', () => new Promise((resolve) => {
    const channel = new BroadcastChannel('groundwork-console');
    channel.onmessage = ({ data }) => resolve(data);
    channel.postMessage('a question');
    setTimeout(() => resolve('silence'), 1000);
  }));
  await attempt('session', () => Object.keys(sessionStorage).join());
  await attempt('local', () => localStorage.getItem('a'));
  await attempt('cookie', () => document.cookie);
  await attempt('worker', async () => (await navigator.serviceWorker.register('/console/')).scope);
  await attempt('database', () => indexedDB.open('a').readyState);
  await attempt('console', async () => (await fetch('/console/', { credentials: 'include' })).status);
  await attempt('opener', () => String(opener?.document.title));
  await attempt('frame', () => new Promise((resolve) => {
    const frame = document.createElementNS('http://www.w3.org/1999/xhtml', 'iframe');
    frame.src = '/console/';
    frame.onload = () => resolve(frame.contentDocument?.title ?? 'closed');
    setTimeout(() => resolve('closed'), 1000);
    document.documentElement.append(frame);
  }));
  self.found = found;
})()`;

const nothing = {
  origin: 'null',
  channel: 'silence',
  session: 'SecurityError',
  local: 'SecurityError',
  cookie: 'SecurityError',
  worker: 'SecurityError',
  database: 'SecurityError',
  console: 'TypeError', // the browser does not show the response
  opener: 'undefined',
  frame: 'closed',
};

const markup = `<!doctype html><title>foreign</title><script>${probe}</script>`;
const xhtml = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>foreign</title></head><body><script><![CDATA[${probe}]]></script></body></html>`;
const drawing = `<svg xmlns="http://www.w3.org/2000/svg"><title>foreign</title><script><![CDATA[${probe}]]></script></svg>`;
const styled = `<?xml version="1.0"?><foreign>${xhtml}</foreign>`;

/** Uploaded files by name, with their types. */
const uploads: Readonly<Record<string, readonly [type: string, content: string]>> = {
  'page.html': ['text/html', markup],
  'page.xhtml': ['application/xhtml+xml', xhtml],
  'drawing.svg': ['image/svg+xml', drawing],
  'data.xml': ['application/xml', styled],
};

/** Scripts of endpoints by name, with the types of their responses. */
const scripts: Readonly<Record<string, readonly [type: string, content: string]>> = {
  page: ['text/html', markup],
  xhtml: ['application/xhtml+xml', xhtml],
  drawing: ['image/svg+xml', drawing],
  xml: ['text/xml', styled],
};

describe.skipIf(program === undefined)('in the origin of the console', () => {
  let view: Console;
  let context: BrowserContext;
  let desk: Page;
  /** Addresses of foreign documents. */
  const addresses = new Map<string, string>();
  const heard = () => desk.evaluate('self.heard');

  beforeAll(async () => {
    view = await openConsole('library');
    const base = '/v1.1/instances/library/';
    const make = async (path: string, body: object) =>
      (await view.send({ path: `${base}${path}`, body })).body;
    const key = `api_key=${view.owner}`;
    await make('classes/', { name: 'paper', schema: [{ name: 'scan', type: 'file' }] });
    for (const [name, [type, content]] of Object.entries(uploads)) {
      const body = new FormData();
      body.append('scan', new Blob([content], { type }), name);
      const url = `${view.url}${base}classes/paper/objects/?${key}`;
      const made = JSON.parse(await (await fetch(url, { method: 'POST', body })).text());
      addresses.set(name, new URL(made.scan.value).pathname);
    }
    for (const [name, [type, content]] of Object.entries(scripts)) {
      const headers = { 'Content-Security-Policy': 'sandbox allow-same-origin allow-scripts' };
      const source = `setResponse(new HttpResponse(200, ${JSON.stringify(content)}, '${type}', ${JSON.stringify(headers)}));`;
      const { id: script } = await make('snippets/scripts/', { runtime_name: 'nodejs_v8', source });
      const endpoint = { name, script, public: true };
      const { public_link: link } = await make('endpoints/scripts/', endpoint);
      addresses.set(`run of ${name}`, `${base}endpoints/scripts/${name}/run/?${key}`);
      addresses.set(`link to ${name}`, `${base}endpoints/scripts/p/${link}/`);
    }
    const template = { name: 'shown', content_type: 'text/html', content: markup };
    await make('snippets/templates/', template);
    await make('endpoints/data/', { name: 'papers', class: 'paper' });
    const rendered = `?template=shown&${key}`;
    addresses.set('template', `${base}classes/paper/objects/${rendered}`);
    addresses.set('template of one object', `${base}classes/paper/objects/1/${rendered}`);
    addresses.set('template of a data endpoint', `${base}endpoints/data/papers/get/${rendered}`);
    addresses.set('template of a run', `${base}endpoints/scripts/page/run/${rendered}`);
  }, 120_000);

  afterAll(() => view?.close());

  beforeEach(async () => {
    const tab = await view.open('/');
    desk = tab.page;
    context = desk.context();
    await desk.evaluate(`self.heard = [];
      self.channel = new BroadcastChannel('groundwork-console');
      channel.onmessage = ({ data }) => { heard.push(data); channel.postMessage('a secret'); };
      addEventListener('message', ({ data }) => heard.push(data))`);
  });

  afterEach(() => context.close());

  /** Waits for what the script in a document has found. */
  async function foundIn(page: Page): Promise<unknown> {
    await page.waitForFunction('self.found', undefined, { timeout: 20_000 });
    return page.evaluate('self.found');
  }

  /** Tries to open the console from a document, and returns what is seen of it. */
  const openFrom = (page: Page) =>
    page.evaluate(`new Promise((resolve) => {
      const opened = open('/console/');
      setTimeout(() => {
        try { resolve(opened === null ? 'blocked' : opened.document.title); }
        catch ({ name }) { resolve(name); }
      }, 1000);
    })`);

  test('another document of ours would get all of it', async () => {
    const page = await context.newPage();
    await page.goto(`${view.url}/v1.1/`);

    await page.evaluate(probe);

    expect(await foundIn(page)).toMatchObject({
      origin: view.url,
      channel: 'a secret',
      session: '', // the tab's own
      local: null,
      cookie: '',
    });
    expect(await heard()).toEqual(['a question']);
  });

  const kinds = [
    ...Object.keys(uploads),
    ...Object.keys(scripts).flatMap((name) => [`run of ${name}`, `link to ${name}`]),
    'template',
    'template of one object',
    'template of a data endpoint',
    'template of a run',
  ];

  test.each(kinds)('%s gets nothing', async (kind) => {
    const page = await context.newPage();
    // a file is a download: here as if a browser, or a proxy, did not know that
    await page.route('**/files/**', async (route) => {
      const response = await route.fetch();
      const { 'content-disposition': _, ...headers } = response.headers();
      await route.fulfill({ response, headers });
    });
    await page.goto(view.url + addresses.get(kind));

    const found = await foundIn(page);
    const opened = await openFrom(page);

    expect(found).toEqual(nothing);
    expect(opened).toMatch(/^(SecurityError|blocked)$/);
    expect(await heard()).toEqual([]);
  });

  test.each(Object.keys(uploads))('%s is saved, not shown', async (name) => {
    const page = await context.newPage();
    const download = page.waitForEvent('download');

    await page.goto(view.url + addresses.get(name)).catch(() => undefined); // it is no document

    expect((await download).suggestedFilename()).toBe(name);
    expect(page.url()).toBe('about:blank');
  });

  test('a document that the console opens does not get at it', async () => {
    const opening = context.waitForEvent('page');
    await desk.evaluate(`void open(${JSON.stringify(addresses.get('link to page'))})`);

    const found = await foundIn(await opening);

    expect(found).toEqual(nothing);
    expect(await heard()).toEqual([]);
  });

  test('the page with all operations would run no script', async () => {
    const page = await context.newPage();
    await page.route('**/docs/api/', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: markup + (await response.text()) });
    });

    await page.goto(`${view.url}/docs/api/`);
    await page.waitForTimeout(1500);

    expect(await page.evaluate('[self.origin, self.found]')).toEqual(['null', undefined]);
    expect(await heard()).toEqual([]);
  });
});
