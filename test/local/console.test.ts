import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleConsole } from '../../console/bundle.mjs';
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

  test.each([
    ['GET', '/console', 308],
    ['GET', '/console/missing.js', 404],
    ['GET', '/console/../package.json', 404],
    ['POST', '/console/', 405],
  ])('%s %s is %i', async (method, path, status) => {
    expect((await ask(path, { method })).status).toBe(status);
  });
});

function textOf(file: PackedFile | undefined): string {
  if (file === undefined) throw new Error('there is no such file');
  const { gzip, identity } = file;
  return gzip === undefined
    ? Buffer.from(identity, 'base64').toString()
    : gunzipSync(Buffer.from(gzip, 'base64')).toString();
}
