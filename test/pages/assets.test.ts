import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { bundleAssets } from '../../shared/core/pages/bundle-assets.mjs';
import { endProcesses, startProcess } from '../support/server-process.ts';

/* The style and the script in a page, however the server was started. For the bundles of functions: test/aws/bundles. */

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

test('sources that run as they are have them', async () => {
  const program = `
    const { style, script } = await import('./shared/core/pages/assets.ts');
    process.stdout.write(JSON.stringify({ style, script }));`;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', program];

  const { stdout } = await promisify(execFile)(process.execPath, args);

  expect(JSON.parse(stdout)).toEqual(assets);
});

test('nothing in them ends the element that they are in', () => {
  expect(assets.style).not.toContain('</');
  expect(assets.script).not.toMatch(/<\/script|<!--/i);
});
