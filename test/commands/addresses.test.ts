import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startApi } from '../support/api.ts';
import { openProject } from './groundwork.ts';

/* An account key and a password reach the server that they belong to, and no other. */

const account = ['--email', 'ada@example.com', '--password', 'a secret'];

/** A server that records what it gets. */
interface Recorder {
  readonly url: string;
  /** Method, path and key of each request. */
  readonly got: string[];
}

type Respond = (asked: IncomingMessage) => {
  readonly status: number;
  readonly headers?: Record<string, string>;
};

/** Starts a server of somebody else. */
async function startRecorder(respond: Respond = () => ({ status: 404 })): Promise<Recorder> {
  const got: string[] = [];
  const server = createServer((asked, response) => {
    got.push(`${asked.method} ${asked.url} ${asked.headers['x-api-key'] ?? ''}`);
    const { status, headers = {} } = respond(asked);
    response.writeHead(status, headers).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, got };
}

async function start() {
  const api = await startApi();
  onTestFinished(() => api.close());
  const project = openProject();
  await project.run('init', '--url', api.url, '--instance', 'library', ...account);
  const env = readFileSync(join(project.folder, '.env'), 'utf8');
  const key = /^GROUNDWORK_ACCOUNT_KEY=(.*)$/m.exec(env)?.[1] ?? '';
  const write = (text: string) => writeFileSync(join(project.folder, '.env'), text);
  return { ...project, api, key, write };
}

const keyed = [
  ['pull'],
  ['push'],
  ['diff'],
  ['logs'],
  ['types'],
  ['run', 'hello'],
  ['export', 'out'],
  ['doctor'],
  ['open', 'hello', '--print'],
];

test('a key of the environment is not sent to the address of the folder', async () => {
  const { url, got } = await startRecorder();
  const { folder, runWith } = openProject();
  writeFileSync(join(folder, '.env'), `GROUNDWORK_URL=${url}\nGROUNDWORK_INSTANCE=library\n`);
  writeFileSync(join(folder, 'groundwork.yml'), 'classes: {}\n');

  const ended = await Promise.all(
    keyed.map((args) => runWith({ GROUNDWORK_ACCOUNT_KEY: 'precious' }, ...args)),
  );

  expect(got.filter((line) => line.includes('precious'))).toEqual([]);
  expect(ended.map(({ status }) => status)).not.toContain(0);
  expect(ended[0]?.stderr).toBe(
    `groundwork: GROUNDWORK_ACCOUNT_KEY is set in the environment, but the address ${url} is from .env: set GROUNDWORK_URL in the environment as well, or run groundwork login --url ${url} without the key\n`,
  );
});

test.each([
  ['of an option to the address of the folder', { option: 'key', file: 'url' }],
  ['of an option to that of the environment', { option: 'key', environment: 'url' }],
  ['of the environment to that of an option', { environment: 'key', option: 'url' }],
  ['of the folder to that of an option', { file: 'key', option: 'url' }],
  ['of the folder to that of the environment', { file: 'key', environment: 'url' }],
  ['of the environment to that of a folder with another key', { environment: 'key', file: 'both' }],
])('no key is sent: one %s', async (_name, given) => {
  const { url, got } = await startRecorder();
  const { folder, runWith } = openProject();
  const values = (source: 'option' | 'environment' | 'file') => {
    const has = { option: '', environment: '', file: '', ...given }[source];
    return {
      GROUNDWORK_INSTANCE: 'library',
      ...((has === 'url' || has === 'both') && { GROUNDWORK_URL: url }),
      ...((has === 'key' || has === 'both') && { GROUNDWORK_ACCOUNT_KEY: `key-of-${source}` }),
    };
  };
  const lines = Object.entries(values('file')).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(folder, '.env'), lines.join(''));
  const { GROUNDWORK_URL: address, GROUNDWORK_ACCOUNT_KEY: key } = values('option');
  const options = [...(address ? ['--url', address] : []), ...(key ? ['--key', key] : [])];

  const { status, stderr } = await runWith(values('environment'), 'pull', ...options);

  expect(got).toEqual([]);
  expect(status).toBe(2);
  expect(stderr).toContain(url);
  expect(stderr).toMatch(/login/);
});

test('a key is used with the address of its own source, or another source of that address', async () => {
  const { api, key, write, runWith } = await start();
  const pair = { GROUNDWORK_URL: api.url, GROUNDWORK_ACCOUNT_KEY: key };
  const name = { GROUNDWORK_INSTANCE: 'library' };
  const pull = (env: Record<string, string>, ...args: string[]) => runWith(env, 'pull', ...args);
  const other = 'GROUNDWORK_URL=http://127.0.0.1:1\nGROUNDWORK_ACCOUNT_KEY=other\n';

  const ofFile = await pull({});
  const again = await pull({ GROUNDWORK_ACCOUNT_KEY: key, GROUNDWORK_URL: `${api.url}/` });
  write(other);
  const ofOptions = await pull(name, '--url', api.url, '--key', key);
  const ofEnvironment = await pull({ ...name, ...pair });
  const ofLogin = await pull(name, '--url', api.url);
  write(`GROUNDWORK_URL=${api.url.toUpperCase()}/\n`);
  const ofLoginByFile = await pull(name);

  const all = { ofFile, again, ofOptions, ofEnvironment, ofLogin, ofLoginByFile };
  const statuses = Object.entries(all).map(([each, { status, stderr }]) => [each, status, stderr]);
  expect(statuses).toEqual(Object.keys(all).map((each) => [each, 0, '']));
});

test('a password on the command line is not sent to the address of the folder', async () => {
  const { url, got } = await startRecorder();
  const { folder, run } = openProject();
  writeFileSync(join(folder, '.env'), `GROUNDWORK_URL=${url}\n`);

  const login = await run('login', ...account);
  const init = await run('init', '--instance', 'library', ...account);

  expect(got).toEqual([]);
  for (const ended of [login, init]) {
    expect(ended).toEqual({
      status: 2,
      stdout: '',
      stderr: `groundwork: the address ${url} is from .env: give --url ${url} to send a password there\n`,
    });
  }
});

test('a response that leads elsewhere does not take the key along', async () => {
  const evil = await startRecorder();
  const { url } = await startRecorder(() => ({
    status: 307,
    headers: { location: `${evil.url}/v1.1/` },
  }));

  const ended = await openProject().run(
    ...['pull', '--url', url, '--key', 'precious', '--instance', 'library'],
  );

  expect(evil.got).toEqual([]);
  expect(ended).toMatchObject({ status: 1 });
  expect(ended.stderr).toContain(`${url} redirects to ${evil.url}/v1.1/`);
});

test.each([
  ['to another server', (evil: string) => `${evil}/v1.1/next/`],
  ['without a scheme', (evil: string) => evil.replace('http:', '')],
  ['with backslashes', (evil: string) => evil.replace('http://', '/\\')],
])('a link to the next page %s does not take the key along', async (_name, linkOf) => {
  const evil = await startRecorder();
  const server = createServer((_asked, response) => {
    response.end(JSON.stringify({ objects: [], next: linkOf(evil.url) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const ended = await openProject().run(
    ...['types', '--url', url, '--key', 'precious', '--instance', 'library'],
  );

  expect(evil.got).toEqual([]);
  expect(ended.status).toBe(1);
});

/** Starts a proxy that serves a server below a path; everything else on its host belongs to somebody else. */
async function openProxy(target: string, prefix: string) {
  const outside: string[] = [];
  const proxy = createServer((asked, response) => {
    const { url = '/', method, headers } = asked;
    if (!url.startsWith(`${prefix}/`)) {
      outside.push(url);
      response.writeHead(404).end('other site');
      return;
    }
    const path = url.slice(prefix.length);
    const passed = request(`${target}${path}`, { method, headers }, (got) => {
      response.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(response);
    });
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${prefix}`, outside };
}

test('a server below a path of its host gets all requests, and its host none', async () => {
  const api = await startApi();
  onTestFinished(() => api.close());
  const { url, outside } = await openProxy(api.url, '/tools/gw');
  const { folder, run } = openProject();
  const classes = Array.from({ length: 30 }, (_, n) => `  c${n}: { fields: { a: string } }\n`);
  mkdirSync(join(folder, 'scripts'));
  writeFileSync(join(folder, 'scripts/hello.js'), 'console.log(1)');
  writeFileSync(
    join(folder, 'groundwork.yml'),
    `scripts: { hello: { file: scripts/hello.js } }\nclasses:\n${classes.join('')}`,
  );

  const commands = [
    ['init', '--url', `${url}/`, '--instance', 'library', ...account],
    ['login', '--url', url, ...account],
    ['doctor'],
    ['push'],
    ['diff'],
    ['pull'],
    ['run', 'hello'],
    ['logs'],
    ['types', '--out', 'types.ts'],
    ['export', 'out'],
    ['open', '--print'],
  ];
  const ended = [];
  for (const args of commands) ended.push({ args, ...(await run(...args)) });

  expect(ended.filter(({ status }) => status !== 0)).toEqual([]);
  expect(outside).toEqual([]);
  expect(readFileSync(join(folder, '.env'), 'utf8')).toContain(`GROUNDWORK_URL=${url}\n`);
  expect(ended.at(-1)?.stdout).toBe(`${url}/console/#/i/library\n`);
});

test.each([
  ['a query', 'http://127.0.0.1:1/?a=1', 'has a query'],
  ['an empty query', 'http://127.0.0.1:1/?', 'has a query'],
  ['a fragment', 'http://127.0.0.1:1/#a', 'has a fragment'],
  ['a user', 'http://ada@127.0.0.1:1/', 'has a user or a password'],
  ['a password', 'http://:secret@127.0.0.1:1/', 'has a user or a password'],
  ['another scheme', 'ftp://127.0.0.1:1/', 'is not the address of a server'],
  ['a control character', 'http://127.0.0.1:1/\u001b]0;x', 'is not the address of a server'],
  ['a port that is none', 'http://127.0.0.1:99999', 'is not the address of a server'],
])('an address with %s is refused', async (_name, url, words) => {
  const ended = await openProject().run('pull', '--url', url, '--key', 'k', '--instance', 'a');

  expect(ended).toMatchObject({ status: 2, stderr: expect.stringContaining(words) });
  expect(ended.stderr).not.toContain('secret');
});

test.each([
  ['account/auth', { account_key: 'k$(touch pwned)' }],
  ['account/auth', {}],
  ['api_keys', { api_key: 'k\nNODE_OPTIONS=--import=data:text/javascript,' }],
])('a response of %s that is no key is not written into .env: %j', async (path, answer) => {
  const server = createServer((asked, response) => {
    const isIt = asked.url?.includes(path);
    const usual = { account_key: 'k', api_key: 'k', name: 'library' };
    response.end(JSON.stringify(isIt ? answer : usual));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const project = openProject();

  const ended = await project.run('init', '--url', url, '--instance', 'library', ...account);

  expect(ended.status).toBe(1);
  expect(ended.stderr).toContain(`groundwork: ${url} has responded with `);
  expect(existsSync(join(project.folder, '.env'))).toBe(false);
});
