import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleConsole } from '../../console/bundle.mjs';
import { routes } from '../../functions/api.ts';
import { referenceFiles } from '../../functions/schema/reference/files.ts';
import type { PackedFile, PackedFiles } from '../../shared/console/packed-file.ts';
import { type ServerProcess, startProcess } from '../support/server-process.ts';

describe('the first view of the console', () => {
  const files: PackedFiles = bundleConsole({ brotliQuality: 1 }).files;
  const page = textOf(files['index.html']);
  const loaded = Object.entries(files).filter(([name]) => page.includes(`"${name}"`));
  const bytes = (end: string) =>
    loaded
      .filter(([name]) => name.endsWith(end))
      .reduce((sum, [, { gzip = '' }]) => sum + Buffer.from(gzip, 'base64').length, 0);

  test('has at most 40 kB of JavaScript and 10 kB of CSS, compressed', () => {
    expect(loaded.map(([name]) => name.replace(/-.*\./, '.'))).toContain('main.js');
    expect(bytes('.js')).toBeGreaterThan(1_000);
    expect(bytes('.js')).toBeLessThanOrEqual(40_000);
    expect(bytes('.css')).toBeGreaterThan(1_000);
    expect(bytes('.css')).toBeLessThanOrEqual(10_000);
  });

  test('has no inline script or style, and only relative addresses', () => {
    expect(page).not.toMatch(/<script(?![^>]* src="[\w-]+\.js")/);
    expect(page).not.toMatch(/<style| style=| on\w+=/);
    expect(page).not.toMatch(/(src|href)="(\/|https?:)/);
  });
});

describe('a server process serves the console', () => {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-console-'));
  let server: ServerProcess;

  beforeAll(async () => {
    server = await startProcess(folder);
  });

  afterAll(async () => {
    await server?.end('SIGTERM');
    rmSync(folder, { recursive: true });
  });

  const ask = (path: string, init: RequestInit = {}) =>
    fetch(server.url + path, { redirect: 'manual', ...init });

  test('its page with a strict policy, which is asked for again each time', async () => {
    const response = await ask('/console/');
    const { headers, status } = response;
    const policy = headers.get('content-security-policy') ?? '';
    const again = await ask('/console/', {
      headers: { 'if-none-match': headers.get('etag') ?? '' },
    });

    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toContain('unsafe');
    expect(again.status).toBe(304);
  });

  test('its files compressed, to keep for a year', async () => {
    const page = await (await ask('/console/')).text();
    const [, name = ''] = /src="([^"]+)"/.exec(page) ?? [];
    const plain = await ask(`/console/${name}`, { headers: { 'accept-encoding': 'identity' } });
    const { headers } = await ask(`/console/${name}`, { headers: { 'accept-encoding': 'gzip' } });

    expect(plain.status).toBe(200);
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(headers.get('content-encoding')).toBe('gzip');
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });

  test('the page with all operations, sandboxed, which is asked for again each time', async () => {
    const response = await ask('/docs/api/');
    const { headers, status } = response;
    const page = await response.text();
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? [];

    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page === referencePage()).toBe(true); // without 350 kB of difference
    expect(headers.get('content-security-policy')?.split('; ')).toEqual([
      'sandbox',
      "default-src 'none'",
      `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-cache',
      'cross-origin-opener-policy': 'unsafe-none',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'x-request-id': expect.any(String),
    });
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  test.each(['br', 'gzip', 'identity'])('that page as %s, with a strong tag', async (coding) => {
    const accepting = { 'accept-encoding': coding };
    const { headers } = await ask('/docs/api/', { headers: accepting });
    const head = await ask('/docs/api/', { method: 'HEAD', headers: accepting });
    const etag = headers.get('etag') ?? '';
    const askAgain = (known: string) =>
      ask('/docs/api/', { headers: { ...accepting, 'if-none-match': known } });

    expect(headers.get('content-encoding') ?? 'identity').toBe(coding);
    expect(headers.get('vary')).toBe('Accept-Encoding');
    expect(etag).toMatch(/^"[\w-]{22}(\.\w+)?"$/);
    const shown = ['content-type', 'content-encoding', 'content-length', 'etag', 'cache-control'];
    expect(shown.map((name) => head.headers.get(name))).toEqual(
      shown.map((name) => headers.get(name)),
    );
    expect(await head.text()).toBe('');
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await askAgain(known);
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([
        304,
        etag,
        '',
      ]);
    }
    expect((await askAgain('"other"')).status).toBe(200);
  });

  test('forms of a file have different tags', async () => {
    const tags = await Promise.all(
      ['br', 'gzip', 'identity'].map(async (coding) => {
        const { headers } = await ask('/docs/api/', { headers: { 'accept-encoding': coding } });
        return headers.get('etag');
      }),
    );

    expect(new Set(tags).size).toBe(3);
  });

  test.each(['/console', '/docs/api'])('%s leads to the path with a slash', async (path) => {
    const { headers } = await ask(`${path}?a=1`);

    const to = new URL(headers.get('location') ?? '', server.url + path);
    expect(to.href).toBe(`${server.url}${path}/?a=1`);
  });

  test.each([
    ['GET', '/docs/api', 308],
    ['GET', '/docs/api/missing', 404],
    ['GET', '/docs/api/../../package.json', 404],
    ['GET', '/docs/', 404],
    ['GET', '/docs/apis/', 404],
    ['POST', '/docs/api/', 405],
    ['OPTIONS', '/docs/api/', 405],
    ['OPTIONS', '/console/', 405],
    ['GET', '/console', 308],
    ['GET', '/console/missing.js', 404],
    ['GET', '/console/../package.json', 404],
    ['POST', '/console/', 405],
  ])('%s %s is %i', async (method, path, status) => {
    expect((await ask(path, { method })).status).toBe(status);
  });
});

function referencePage(): string {
  return textOf(referenceFiles(routes, 1)['index.html']);
}

function textOf(file: PackedFile | undefined): string {
  if (file === undefined) throw new Error('there is no such file');
  const { gzip, identity = '' } = file;
  return gzip === undefined
    ? Buffer.from(identity, 'base64').toString()
    : gunzipSync(Buffer.from(gzip, 'base64')).toString();
}
