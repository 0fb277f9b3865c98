import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startApi } from '../support/api.ts';
import { openProject } from './groundwork.ts';
import { startHttpServer } from './http-server.ts';

/** Returns findings by what they are about. */
function findingsOf(stdout: string): Record<string, { level: string; text: string }> {
  const findings: { what: string; level: string; text: string }[] = JSON.parse(stdout);
  return Object.fromEntries(findings.map(({ what, ...finding }) => [what, finding]));
}

async function start() {
  const api = await startApi();
  onTestFinished(() => api.close());
  const project = openProject();
  const account = ['--email', 'ada@example.com', '--password', 'a secret'];
  await project.run('init', '--url', api.url, '--instance', 'library', ...account);
  return { ...project, url: api.url };
}

test('doctor finds nothing wrong', async () => {
  const { url, folder, run } = await start();
  writeFileSync(join(folder, 'groundwork.yml'), 'classes:\n  book: {}\n');

  const { status, stdout } = await run('doctor', '--json');

  expect(status).toBe(0);
  expect(findingsOf(stdout)).toEqual({
    Node: { level: 'ok', text: process.version },
    '.env': { level: 'ok', text: 'only you can read it' },
    project: { level: 'ok', text: 'groundwork.yml, with 0 scripts' },
    server: { level: 'ok', text: url },
    health: { level: 'ok', text: 'the server reports no problem' },
    clock: { level: 'ok', text: 'agrees with the server' },
    key: { level: 'ok', text: 'of the account ada@example.com' },
    instance: { level: 'ok', text: 'library, with the role full' },
  });
  expect((await run('doctor')).stdout).toContain(`\nok       server    ${url}\n`);
});

test.each([
  [
    'a key that is not valid',
    ['--key', 'abc'],
    'key',
    'the key of --key is not valid: leave it out, and run groundwork login --url URL',
  ],
  [
    'an instance that does not exist',
    ['--instance', 'other'],
    'instance',
    'there is no instance other on URL: groundwork init --instance other creates it',
  ],
])('doctor finds %s', async (_name, args, what, text) => {
  const { run, url } = await start();
  const server = args.includes('--key') ? ['--url', url] : [];

  const { status, stdout } = await run('doctor', '--json', ...args, ...server);

  expect(status).toBe(1);
  expect(findingsOf(stdout)[what]).toMatchObject({
    level: 'failed',
    text: text.replace('URL', url),
    request: { method: 'GET' },
  });
});

test('doctor finds keys that others can read', async () => {
  const { folder, run } = await start();
  chmodSync(join(folder, '.env'), 0o644);

  const { status, stdout } = await run('doctor', '--json');

  expect(status).toBe(1);
  expect(findingsOf(stdout)['.env']?.text).toBe('other users can read your keys: chmod 600 .env');
});

test('doctor finds a mistake in the project', async () => {
  const { folder, run } = await start();
  writeFileSync(join(folder, 'groundwork.yml'), 'clases: {}\n');

  const { status, stdout } = await run('doctor', '--json');

  expect(status).toBe(1);
  expect(findingsOf(stdout).project).toMatchObject({
    level: 'failed',
    text: expect.stringMatching(
      /^groundwork.yml is not valid: clases: .*; did you mean classes\?$/,
    ),
  });
  expect((await run('doctor')).stdout).toMatch(
    /^failed {3}project {3}groundwork.yml is not valid: clases/m,
  );
});

/** Starts a server that responds to each request with this body. */
function startOther(
  body: string,
  headers: Record<string, string> = {},
  health = 200,
): Promise<string> {
  return startHttpServer(({ url }, response) =>
    response.writeHead(url === '/health' ? health : 200, headers).end(body),
  );
}

test('doctor finds a server that does not respond, and one that is another', async () => {
  const { run } = openProject();
  const closed = 'http://127.0.0.1:1';
  const other = await startOther('hello');

  const found = await Promise.all(
    [closed, other].map(async (url) => run('doctor', '--json', '--url', url)),
  );

  expect(found.map(({ status }) => status)).toEqual([1, 1]);
  expect(found.map(({ stdout }) => findingsOf(stdout).server)).toEqual([
    { level: 'failed', text: expect.stringContaining(`${closed}: no response`) },
    { level: 'failed', text: `${other}: another server responds there (200)` },
  ]);
});

test('doctor finds a clock that differs', async () => {
  const { run } = openProject();
  const date = new Date(Date.now() - 3_600_000).toUTCString();
  const url = await startOther('{"links": {}}', { date });

  const { stdout } = await run('doctor', '--json', '--url', url);

  expect(findingsOf(stdout).clock).toEqual({
    level: 'warning',
    text: expect.stringMatching(/^36\d\d s ahead of that of the server$/),
  });
  expect(findingsOf(stdout).key).toEqual({
    level: 'failed',
    text: `there is no account key for ${url}: run groundwork login --url ${url}`,
  });
});

test('doctor finds a server that cannot work', async () => {
  const { run } = openProject();
  const url = await startOther('{"links": {}}', {}, 503);

  const { status, stdout } = await run('doctor', '--json', '--url', url);

  expect(status).toBe(1);
  expect(findingsOf(stdout).health).toMatchObject({
    level: 'failed',
    text: expect.stringMatching(/\(status 503\)$/),
  });
});
