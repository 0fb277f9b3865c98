import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { bundleAssets } from '../../shared/core/pages/bundle-assets.mjs';
import { endProcesses, startProcess } from '../support/server-process.ts';

/* Style and script in a page, for each way to start the server. For the bundles of functions: test/aws/bundles. */

const { assets } = bundleAssets();
const folder = mkdtempSync(join(tmpdir(), 'groundwork-assets-'));

afterAll(() => {
  endProcesses();
  rmSync(folder, { recursive: true });
});

test('a page of the bundled server has them', async () => {
  const server = await startProcess(join(folder, 'data'));

  const page = await fetch(`${server.url}/`, { headers: { Accept: 'text/html' } });

  const text = await page.text();
  expect(text).toContain(`<style>${assets.style}</style>`);
  expect(text).toContain(`<script>${assets.script}</script>`);
  await server.end('SIGTERM');
});

test('unbundled sources have them', async () => {
  const program = `
    const { style, script } = await import('./shared/core/pages/assets.ts');
    process.stdout.write(JSON.stringify({ style, script }));`;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', program];

  const { stdout } = await promisify(execFile)(process.execPath, args);

  expect(JSON.parse(stdout)).toEqual(assets);
});

test('their content does not close their own element', () => {
  expect(assets.style).not.toContain('</');
  expect(assets.script).not.toMatch(/<\/script|<!--/i);
});
