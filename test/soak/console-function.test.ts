import { join } from 'node:path';
import { test as base, expect } from 'vitest';
import { bundleFile, bundleHandler } from '../../lib/handler-bundle.ts';
import { consoleName } from '../../shared/console/console.ts';
import { eventOf } from '../aws-emulator/gateway-event.ts';
import { bodyOf, startLambda } from '../aws-emulator/lambda.ts';
import { synthesise } from '../support/stack.ts';
import { deployedFunctions } from '../support/template.ts';
import { temporaryFolder } from '../support/temporary.ts';

/* The function that serves the console on AWS, as it is deployed. */

const test = base
  .extend('folder', { scope: 'file' }, temporaryFolder('groundwork-console-function-'))
  .extend('lambda', { scope: 'file' }, async ({ folder }, { onCleanup }) => {
    const lambda = await startConsole(folder);
    onCleanup(async () => void (await lambda.close()));
    return lambda;
  })
  .extend('ask', { scope: 'file' }, ({ lambda }) => {
    return (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
      lambda.invoke(eventOf({ method, path, headers }));
  });

test('its page may load files from where they are, and nothing else', async ({ ask }) => {
  const { statusCode, headers } = await ask('/console/');

  expect([statusCode, headers['cache-control']]).toEqual([200, 'no-cache']);
  const policy = headers['content-security-policy'];
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
  expect(policy).toContain('https://files.example.com https://uploads.example.com');
});

test('its files are compressed, and kept by browsers', async ({ ask }) => {
  const [, name = ''] = /src="([^"]+)"/.exec(bodyOf(await ask('/console/'))) ?? [];

  const packed = await ask(`/console/${name}`, { 'accept-encoding': 'gzip' });
  const plain = await ask(`/console/${name}`);

  expect([packed.statusCode, packed.headers['content-encoding']]).toEqual([200, 'gzip']);
  expect(packed.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  expect(bodyOf(packed)).toBe(bodyOf(plain));
  expect(bodyOf(plain)).toContain('import');
});

test('it serves the page with all operations, sandboxed and compressed', async ({ ask }) => {
  const plain = await ask('/docs/api/');
  const packed = await ask('/docs/api/', { 'accept-encoding': 'gzip' });
  const { etag = '' } = packed.headers;
  const again = await ask('/docs/api/', { 'accept-encoding': 'gzip', 'if-none-match': etag });

  expect([plain.statusCode, plain.headers['cache-control']]).toEqual([200, 'no-cache']);
  expect(plain.headers['content-security-policy']).toMatch(/^sandbox; default-src 'none'; style-/);
  expect(plain.headers['cross-origin-opener-policy']).toBe('unsafe-none');
  expect(bodyOf(plain).includes('id="createClass"')).toBe(true);
  expect(packed.headers['content-encoding']).toBe('gzip');
  expect(bodyOf(packed) === bodyOf(plain)).toBe(true); // without 350 kB of difference
  expect([again.statusCode, again.headers.etag, again.body]).toEqual([304, etag, undefined]);
});

test.for<[string, string, number]>([
  ['GET', '/docs/api', 308],
  ['HEAD', '/docs/api/', 200],
  ['GET', '/docs/api/missing', 404],
  ['POST', '/docs/api/', 405],
  ['GET', '/console', 308],
  ['GET', '/console/missing.js', 404],
  ['POST', '/console/', 405],
])('%s %s is %i', async ([method, path, status], { ask }) => {
  expect((await ask(path, {}, method)).statusCode).toBe(status);
});

function startConsole(folder: string) {
  bundleHandler(consoleName, folder);
  const template = synthesise({ cdn: 'false' });
  const own = deployedFunctions(template).find(({ family }) => family === consoleName);
  return startLambda(process.execPath, join(folder, bundleFile), {
    ...own?.variables,
    GROUNDWORK_FILE_ORIGINS: 'https://files.example.com https://uploads.example.com',
  });
}
