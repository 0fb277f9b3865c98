import { randomUUID } from 'node:crypto';
import { mkdtempSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import {
  canOpenSocket,
  probeIsolation,
} from '../../shared/platforms/local/scripts/sandbox/isolation.ts';
import { runtimeFolder } from '../../shared/platforms/local/scripts/sandbox/system-files.ts';
import { checkProxySocket } from '../../shared/platforms/local/server/proxies.ts';
import {
  guess,
  type Headers,
  heldBack,
  type Place,
  portOf,
  runScript,
  send,
} from '../support/plain-calls.ts';
import { sampleOf } from '../support/sample.ts';
import type { ProcessOptions, ServerProcess } from '../support/server-process.ts';
import { serverTest } from '../support/server-test.ts';

/* Requests behind a proxy, whose forwarded addresses are trusted. */

const test = serverTest('groundwork-network-')
  .extend('path', { scope: 'file' }, ({ root }) => join(root, 'proxy.sock'))
  .extend('behind', { scope: 'file' }, ({ root, start }, { onCleanup }) => {
    const opened = new Map<string, ReturnType<typeof setUp>>();
    onCleanup(async () => {
      for (const each of opened.values()) expect(await (await each).server.end('SIGTERM')).toBe(0);
    });
    return ([name, ...way]: Way) => {
      const given = opened.get(name) ?? setUp(root, start, way);
      opened.set(name, given);
      return given;
    };
  });

const hasBubblewrap = (await probeIsolation({ network: true })).level === 'bubblewrap';
if (!hasBubblewrap) process.stdout.write('skipped: a socket for proxies, which needs bubblewrap\n');

const register = '/v1.1/account/register/';
const auth = '/v1.1/account/auth/';
const password = 'a password';
const secret = 'a secret of the proxy, 32 letters'.replaceAll(' ', '-');

type Way = [
  string,
  (socket: string) => ProcessOptions,
  (server: ServerProcess, socket: string) => [Place, object],
];
const ways: readonly Way[] = [
  ['over a Unix socket', at, (_, socketPath) => [{ socketPath }, {}]],
  [
    'over a Unix socket with a secret header',
    (socket) => ({ ...at(socket), variables: { GROUNDWORK_PROXY_SECRET: secret } }),
    (_, socketPath) => [{ socketPath }, { 'X-Groundwork-Proxy-Secret': secret }],
  ],
  [
    'with a secret header',
    () => ({ variables: { GROUNDWORK_PROXY_SECRET: secret } }),
    (server) => [portOf(server), { 'X-Groundwork-Proxy-Secret': secret }],
  ],
];

const possible = ways.filter(([name]) => hasBubblewrap || name !== 'over a Unix socket');

describe.each(sampleOf(possible, 3))('the server behind a proxy that connects to %s', (...way) => {
  test('registration is closed, also for this machine', async ({ behind }) => {
    const { server, through } = await behind(way);
    const disabled = { status: 400, body: { detail: 'Registration disabled.' } };

    expect(await through('198.51.100.1', register, person())).toEqual(disabled);
    expect(await send(portOf(server), register, person())).toEqual(disabled);
    expect(server.output()).toMatch(
      /: (\S+)\n {2}Create it in a browser: \S+#\/sign-up\?code=\1\n/,
    );
  });

  test('clients are distinguished', async ({ behind }) => {
    const { account, logIn } = await behind(way);
    const email = await account();
    for (let n = 0; n < 10; n += 1) expect(await logIn('198.51.100.2', email, 'wrong')).toBe(401);

    expect(await logIn('198.51.100.2', email, password)).toBe(429);
    expect(await logIn('198.51.100.3', email, password)).toBe(200);
  });

  test('a request that bypasses the proxy is not trusted', async ({ behind }) => {
    const { server, account, logIn } = await behind(way);
    const email = await account();
    const logInFrom = (client: string, more: Headers = {}) =>
      send(
        portOf(server),
        auth,
        { email, password: 'wrong' },
        { 'X-Forwarded-For': client, ...more },
      );
    for (let n = 0; n < 10; n += 1) await logInFrom(`198.51.100.${n}`);

    expect((await logInFrom('198.51.100.11')).status).toBe(429);
    const guessed = { 'X-Groundwork-Proxy-Secret': `${secret}x` };
    expect((await logInFrom('198.51.100.12', guessed)).status).toBe(429);
    expect(await logIn('198.51.100.13', email, password)).toBe(200);
  });

  test('a script cannot guess a password at the port', async ({ behind }) => {
    const { server, key, account } = await behind(way);
    const email = await account();

    expect(await guess(server, key, email, password)).toEqual(heldBack);
  });

  test('a script does not see the secret in a request', async ({ behind }) => {
    const { server, key, through } = await behind(way);
    const source = 'setResponse(new HttpResponse(200, META.request))';
    const called = await runScript(server, key, source, {});
    const path = called.body.PATH_INFO;

    const { body } = await through('198.51.100.1', path, {}, { 'X-API-KEY': key });

    expect(body.HTTP_HOST).toBe('api.example');
    expect(JSON.stringify(body)).not.toContain(secret);
    expect(Object.keys(body).filter((name) => /SECRET/.test(name))).toEqual([]);
  });
});

describe('scripts', () => {
  const isolation = { prefix: [], level: 'bubblewrap' as const, hasNetwork: true };

  test.each([
    ['/run/groundwork', false],
    ['/tmp', false],
    ['/usr', false],
    ['/usr/library', false],
    ['/usr/lib', true],
    ['/usr/lib/below', true],
    [runtimeFolder, true],
  ])('in a box can open a socket in %s: %s', (folder, expected) => {
    expect(canOpenSocket(isolation, folder)).toBe(expected);
  });

  test('without a box can open a socket anywhere', () => {
    expect(canOpenSocket({ ...isolation, level: 'flags' }, '/run/groundwork')).toBe(true);
  });

  test('that could open the socket require a secret of proxies, or the server does not start', async ({
    root,
  }) => {
    const proxies = { count: 1, socket: join(root, 'proxy.sock'), secret: undefined };
    const check = (more: object, isOpen: boolean) =>
      checkProxySocket({ ...proxies, ...more }, async () => isOpen);

    await expect(check({}, true)).rejects.toThrow('or set GROUNDWORK_PROXY_SECRET');
    await expect(check({}, false)).resolves.toBeUndefined();
    await expect(check({ secret }, true)).resolves.toBeUndefined();
  });
});

describe.runIf(hasBubblewrap)('a socket for proxies', () => {
  test('is accessible to its owner only, and not to a script', async ({ start, path }) => {
    const server = await start(at(path));
    const code = /Set-up code.*: (\S+)/.exec(server.output())?.[1];
    const made = await send(portOf(server), register, person({ invitation_key: code }));
    const opening = `require('net').connect(ARGS.path)
      .on('connect', () => setResponse(new HttpResponse(200, { reached: true })))
      .on('error', ({ code }) => setResponse(new HttpResponse(200, { code })));`;

    const { body } = await runScript(server, made.body.account_key, opening, { path });

    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(body).toEqual({ code: expect.stringMatching(/^(EACCES|ENOENT)$/) });
    await server.end('SIGTERM');
    expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined();
  });

  test('of a killed server is replaced', async ({ start, path }) => {
    const first = await start(at(path));
    await first.end('SIGKILL');

    const second = await start(at(path));
    const { status } = await send({ socketPath: path }, '/');
    await second.end('SIGTERM');

    expect(status).toBe(200);
  });

  test('of another server is not taken over', async ({ start, path }) => {
    const first = await start(at(path));

    await expect(start(at(path))).rejects.toThrow(/proxy\.sock is in use by another process/);
    await first.end('SIGTERM');
  });

  test.for<[string, (root: string) => string, RegExp]>([
    ['where a file is', () => new URL(import.meta.url).pathname, /is no socket/],
    ['where no folder is', (root) => join(root, 'missing', 'proxy.sock'), /no folder/],
    ['with a name that is too long', (root) => join(root, 'x'.repeat(120)), /is too long/],
    ['where scripts see it', () => '/usr/lib/proxy.sock', /scripts could open/],
  ])('%s is rejected', async ([, place, message], { start, root }) => {
    await expect(start(at(place(root)))).rejects.toThrow(message);
  });
});

test.for<[string, Readonly<Record<string, string>>, RegExp]>([
  [
    'proxies that cannot be distinguished from other clients',
    { GROUNDWORK_PROXIES: '1' },
    /GROUNDWORK_PROXIES needs --proxy-socket/,
  ],
  [
    'a secret that can be guessed',
    { GROUNDWORK_PROXY_SECRET: 'secret' },
    /GROUNDWORK_PROXY_SECRET takes 32/,
  ],
])('a server does not start with %s', async ([, variables, message], { start }) => {
  await expect(start({ variables })).rejects.toThrow(message);
});

type Start = (options: ProcessOptions) => Promise<ServerProcess>;

/** Starts a server, and opens an account and an instance through the proxy. */
async function setUp(root: string, start: Start, [options, proxyOf]: [Way[1], Way[2]]) {
  const socket = join(mkdtempSync(join(root, 'run-')), 'proxy.sock');
  const server = await start(options(socket));
  const [place, own] = proxyOf(server, socket);
  /** Sends the request that a proxy forwards for a client with a forged address. */
  const through = (client: string, path: string, body?: object, headers: Headers = {}) =>
    send(place, path, body, {
      Host: 'api.example',
      ...own,
      ...headers,
      'X-Forwarded-For': `192.0.2.1, ${client}`,
    });
  const logIn = async (client: string, email: string, word: string) =>
    (await through(client, auth, { email, password: word })).status;
  const code = /Set-up code.*: (\S+)/.exec(server.output())?.[1];
  const made = await through('198.51.100.1', register, person({ invitation_key: code }));
  const key: string = made.body.account_key;
  const as = { 'X-API-KEY': key };
  await through('198.51.100.1', '/v1.1/instances/', { name: 'company' }, as);
  async function account(): Promise<string> {
    const { email } = person();
    const invitations = '/v1.1/instances/company/invitations/';
    const { body } = await send(portOf(server), invitations, { email, role: 'read' }, as);
    const more = { email, password, invitation_key: body.key };
    expect((await through('198.51.100.1', register, more)).status).toBe(201);
    return email;
  }
  return { server, key, through, logIn, account };
}

const person = (more: object = {}) => ({ email: `${randomUUID()}@example.com`, password, ...more });

function at(socket: string): ProcessOptions {
  return { args: ['--proxy-socket', socket] };
}
