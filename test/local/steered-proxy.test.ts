import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { runScript } from '../support/plain-calls.ts';
import { serverTest } from '../support/server-test.ts';

/* Scripts behind the proxy of docs/guides/running-locally.md, which has a location of its own besides. */

const it = serverTest('groundwork-nginx-').extend('startNginx', ({ root }, { onCleanup }) => {
  const started: ChildProcess[] = [];
  onCleanup(async () => {
    for (const nginx of started) await end(nginx);
  });
  return (location: string) => startNginx(root, location, started);
});

const guide = readFileSync(
  new URL('../../docs/guides/running-locally.md', import.meta.url),
  'utf8',
);
const printed = [...guide.matchAll(/^```nginx\n(.*?)^```/gms)].map(([, text = '']) => text);

describe('a printed proxy configuration', () => {
  it.each(printed)('%#: takes no orders from responses', (text) => {
    expect(text).toContain('proxy_pass');
    expect(text.replaceAll(/\s+/g, ' ')).toContain(
      'proxy_ignore_headers X-Accel-Redirect X-Accel-Expires X-Accel-Limit-Rate X-Accel-Buffering X-Accel-Charset;',
    );
    expect(text).toContain('proxy_buffering off;'); // X-Accel-Buffering would be ignored as well
  });

  it('is printed twice', () => {
    expect(printed).toHaveLength(2);
  });
});

const hasNginx = findNginx();
if (!hasNginx) process.stdout.write('skipped: scripts behind nginx, which is not installed\n');

const secret = 'a-secret-of-the-proxy,-32-letters';

const steering = `setResponse(new HttpResponse(200, '{}', 'application/json', ARGS.POST.headers));`;

describe.skipIf(!hasNginx)('a script behind nginx', () => {
  /** The printed location, and the same of an operator who has not read the page again since. */
  const current = (printed[1] ?? '').replace(
    /include [^\n]*/,
    `proxy_set_header X-Groundwork-Proxy-Secret "${secret}";`,
  );
  const former = current.replace(/ *proxy_ignore_headers[^;]*;[^\n]*\n/, '');
  const upstream = 'http://127.0.0.1:3000';

  it('reads none of its internal locations', { timeout: 60_000 }, async ({ start, startNginx }) => {
    const server = await start({ variables: { GROUNDWORK_PROXY_SECRET: secret } });
    const url = await startNginx(former.replace(upstream, server.url));
    const key = await register(server.output(), server.url);
    await runScript(server, key, steering, { headers: {} });
    const listed = await fetch(`${server.url}/v1.1/instances/`, { headers: { 'X-API-KEY': key } });
    const { objects } = (await listed.json()) as { readonly objects: readonly [{ name: string }] };
    const run = `${url}/v1.1/instances/${objects[0].name}/endpoints/scripts/run/run/`;
    const respond = async (headers: object) => {
      const response = await fetch(run, {
        method: 'POST',
        headers: { 'X-API-KEY': key, 'Content-Type': 'application/json' },
        body: JSON.stringify({ headers }),
      });
      return [response.status, await response.text()];
    };

    expect((await fetch(`${url}/private/report.txt`)).status).toBe(404);
    expect(await respond({ 'X-Own': 'a' })).toEqual([200, '{}']);
    for (const name of ['X-Accel-Redirect', 'x-accel-REDIRECT', 'X_Accel_Redirect']) {
      expect(await respond({ [name]: '/private/report.txt' })).toEqual([200, '{}']);
    }
  });

  it.for<[string, () => string, string]>([
    ['would without the printed directive', () => former, 'private text'],
    ['cannot with it', () => current, 'mine'],
  ])('%s, if the server let such a header through', async ([, location, text], { startNginx }) => {
    const server = createHttpServer((_request, response) => {
      response.setHeader('X-Accel-Redirect', '/private/report.txt').end('mine');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = await startNginx(location().replace(upstream, `http://${addressOf(server)}`));

    const answer = await fetch(url);

    expect(await answer.text()).toBe(text);
    server.close();
    server.closeAllConnections();
  });
});

/** Creates the first account with the set-up code that the server has printed. */
async function register(output: string, url: string): Promise<string> {
  const code = /Set-up code.*: (\S+)/.exec(output)?.[1];
  const response = await fetch(`${url}/v1.1/account/register/`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      email: 'owner@example.com',
      password: 'a password',
      invitation_key: code,
    }),
  });
  const made = (await response.json()) as { readonly account_key: string };
  return made.account_key;
}

function findNginx(): boolean {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Starts nginx with a printed location and one of its operator; returns its address. */
async function startNginx(
  root: string,
  location: string,
  started: ChildProcess[],
): Promise<string> {
  const address = await freeAddress();
  mkdirSync(join(root, 'private'), { recursive: true });
  writeFileSync(join(root, 'private', 'report.txt'), 'private text');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((each) => `${each}_temp_path ${root}/${each};`)
    .join('\n');
  const configuration = `
    daemon off; master_process off; pid ${root}/pid; error_log ${root}/errors;
    events {}
    http {
      access_log off; ${temporary}
      server {
        listen ${address};
        location /private/ { internal; alias ${root}/private/; }
        ${location}
      }
    }`;
  const file = join(root, 'nginx.conf');
  writeFileSync(file, configuration);
  started.push(spawn('nginx', ['-c', file, '-p', root, '-e', join(root, 'errors')]));
  const url = `http://${address}`;
  for (let tries = 0; tries < 100; tries += 1) {
    if (await fetch(url).catch(() => undefined)) return url;
    await setTimeout(50);
  }
  throw new Error(`nginx has not started: ${readFileSync(join(root, 'errors'), 'utf8')}`);
}

async function freeAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = addressOf(server);
  server.close();
  return address;
}

function addressOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `127.0.0.1:${address.port}`;
}

async function end(nginx: ChildProcess): Promise<void> {
  if (nginx.exitCode !== null) return;
  const ended = once(nginx, 'exit');
  nginx.kill('SIGKILL');
  await ended;
}
