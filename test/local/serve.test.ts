import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test as base, describe, expect } from 'vitest';
import { openPlatform } from '../../shared/platforms/local/platform.ts';
import {
  defaultRegistration,
  parseServeOptions,
  weakSandboxOf,
} from '../../shared/platforms/local/server/serve-options.ts';
import type { Settings } from '../../shared/ports/ports.ts';
import { putItem } from '../../shared/store/writes.ts';
import { dataVersionEntity } from '../../shared/table/entities/deployment.ts';
import { write } from '../store/fixture.ts';
import { refusing } from '../support/raw-socket.ts';
import { temporaryFolder } from '../support/temporary.ts';

const test = base
  .extend('root', { scope: 'file' }, temporaryFolder('groundwork-serve-'))
  .extend('folder', ({ root }) => join(mkdtempSync(join(root, 'test-')), 'data')) // not there yet
  .extend('start', ({ root }, { onCleanup }) => {
    const runs: Run[] = [];
    onCleanup(() => {
      for (const { child } of runs) child.kill('SIGKILL');
    });
    return (command: readonly string[], variables: Readonly<Record<string, string>> = {}) => {
      const run = runIn(root, command, variables);
      runs.push(run);
      return run;
    };
  })
  .extend(
    'serve',
    ({ start }) =>
      (...args: readonly string[]) =>
        start([process.execPath, program, ...args]),
  );

const program = new URL('../../bin/start.mjs', import.meta.url).pathname;

describe('a command line', () => {
  test.each([
    [
      [],
      {
        host: '127.0.0.1',
        port: 3000,
        folder: '.groundwork',
        registration: undefined,
        scriptNetwork: true,
      },
    ],
    [['--no-script-network'], { scriptNetwork: false }],
    [[], { sandbox: undefined, weakSandbox: false }],
    [['--sandbox', 'landlock', '--weak-sandbox'], { sandbox: 'landlock', weakSandbox: true }],
    [['--memory', '--port=0'], { port: 0, folder: undefined }],
    [['--data', '/srv/x'], { folder: '/srv/x' }],
    [['--proxy-socket', '/run/x.sock'], { proxySocket: '/run/x.sock' }],
    [['--host', '0.0.0.0'], { host: '0.0.0.0', registration: undefined }],
    [['--host', '0.0.0.0', '--registration', 'open'], { registration: 'open' }],
    [['--registration', 'closed'], { registration: 'closed' }],
  ])('%j is accepted', (args, expected) => {
    expect(parseServeOptions(args)).toMatchObject(expected);
  });

  test.each([['--help'], ['-h']])('%s requests help', (arg) => {
    expect(parseServeOptions([arg])).toBe('help');
  });

  test.each([
    [['--prot', '1'], "unknown option '--prot'"],
    [['serve'], "unexpected argument 'serve'"],
    [['--port'], "option '--port <value>' argument missing"],
    [['--port', 'x'], '--port takes a number from 0 to 65535, not "x"'],
    [['--port', '65536'], '--port takes a number from 0 to 65535, not "65536"'],
    [['--registration', 'maybe'], '--registration takes open or closed, not "maybe"'],
    [['--sandbox', 'docker'], '--sandbox takes bubblewrap, landlock or flags, not "docker"'],
    [['--data', 'x', '--memory'], '--data and --memory exclude each other'],
    [['--data', ''], '--data takes a folder'],
    [['--host', ''], '--host takes an address or a name'],
    [['--proxy-socket', ''], '--proxy-socket takes a path'],
  ])('%j is rejected', (args, message) => {
    expect(() => parseServeOptions(args)).toThrow(new RegExp(`^${message}$`, 'i'));
  });

  test.each([
    ['127.0.0.1', false, 'local'],
    ['::1', false, 'local'],
    ['localhost', false, 'local'],
    ['0.0.0.0', false, 'closed'],
    ['127.0.0.1', true, 'closed'],
  ])('on %s, behind proxies: %s, registration is %s', (host, proxies, expected) => {
    expect(defaultRegistration(host, proxies)).toBe(expected);
  });

  test.each([
    ['127.0.0.1', false, false, 'allowed'],
    ['0.0.0.0', false, false, 'refused'],
    ['127.0.0.1', false, true, 'refused'],
    ['0.0.0.0', true, true, 'allowed'],
  ])('on %s, --weak-sandbox %s, behind proxies: %s, a weak sandbox is %s', (...row) => {
    const [host, weakSandbox, isBehindProxies, expected] = row;

    expect(weakSandboxOf({ host, weakSandbox }, isBehindProxies)).toBe(expected);
  });
});

describe('the server as a process', () => {
  test('prints its address and instructions, responds, and stops cleanly', async ({
    serve,
    folder,
  }) => {
    const run = serve('--port', '0', '--data', folder);
    const url = await addressOf(run);

    const response = await fetch(`${url}/nothing/here/`);
    run.child.kill('SIGTERM');
    const code = await run.ended;

    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ detail: 'Not found.' });
    expect(code).toBe(0);
    expect(run.printed.out).toContain(`\nIn a browser: ${url}/console/\n`);
    expect(run.printed.out).toContain(`Data: ${folder}\n`);
    expect(run.printed.out).toMatch(/^Scripts: isolated by .*Node's permission flags.*network/m);
    expect(run.printed.out).toContain(`curl ${url}/v1.1/account/register/`);
    expect(run.printed.out).toContain(`curl ${url}/v1.1/instances/ `);
    expect(run.printed.err).toMatch(/^\{"time":.*"path":"\/nothing\/here\/","status":404.*\}\n$/);
    expect(existsSync(join(folder, 'lock.sock'))).toBe(false);
  });

  test('names variables that look like settings and are none', async ({ start }) => {
    const run = start([process.execPath, program, '--memory', '--port', '0'], {
      GROUNDWORK_CACH_MB: '64',
      GROUNDWORK_COLOUR: 'green',
      GROUNDWORK_LOCATION: 'here',
      GROUNDWORK_INSTANCE: 'library',
      GROUNDWORK_ACCOUNT_KEY: 'a secret',
      GROUNDWORK_API_KEY: 'a secret',
    });
    await addressOf(run);
    run.child.kill('SIGTERM');
    await run.ended;

    expect(run.printed.out.split('\n').slice(0, 3)).toEqual([
      'Ignored: GROUNDWORK_CACH_MB is not a setting; did you mean GROUNDWORK_CACHE_MB?',
      'Ignored: GROUNDWORK_COLOUR is not a setting',
      expect.stringMatching(/^Groundwork listens on /),
    ]);
  });

  test('warns at the start when it runs as root', async ({ serve }) => {
    const run = serve('--memory', '--port', '0');
    await addressOf(run);

    const line =
      'Warning: the server runs as root. Give it a user of its own: docs/guides/vps.md\n';
    expect(run.printed.out.includes(line)).toBe(process.getuid?.() === 0);
  });

  test('says at the start that Node 20 gets no fixes any more', async ({ serve }) => {
    const run = serve('--memory', '--port', '0');
    await addressOf(run);

    const line = 'Node 20 gets no security fixes any more: use Node 24\n';
    expect(run.printed.out.includes(line)).toBe(process.versions.node.startsWith('20.'));
  });

  test.for<[string, Readonly<Record<string, string>>, RegExp]>([
    ['readable on a terminal', {}, /GET \/nothing\/here\/ 404 [\d.]+ ms/],
    ['JSON there as well if that is set', { GROUNDWORK_LOG_FORMAT: 'json' }, /^\{.*"status":404/m],
  ])('log lines are %s', async ([, variables, line], { start }) => {
    const python = 'import pty, sys; pty.spawn(sys.argv[1:])';
    const command = ['python3', '-c', python, process.execPath, program, '--memory', '--port', '0'];
    const run = start(command, variables);
    const url = await addressOf(run);

    await fetch(`${url}/nothing/here/`);

    await expect.poll(() => run.printed.out, { timeout: 30_000 }).toMatch(line);
  });

  test('restarts at once after it was killed', async ({ serve, folder }) => {
    const args = ['--port', '0', '--data', folder];
    const first = serve(...args);
    await addressOf(first);
    first.child.kill('SIGKILL');
    await first.ended;

    const second = serve(...args);

    expect(await addressOf(second)).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  test('a signal that npm repeats does not interrupt it', async ({ serve }) => {
    const run = serve('--port', '0', '--memory');
    await addressOf(run);

    run.child.kill('SIGINT');
    run.child.kill('SIGINT');

    expect(await run.ended).toBe(0);
  });

  test('a second signal stops it at once, whatever is active', async ({ serve }) => {
    const run = serve('--port', '0', '--memory');
    const url = await addressOf(run);
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n');
    await once(socket, 'data'); // the request is active, and its body never arrives

    run.child.kill('SIGTERM');
    await refusing(url); // it has received the first signal
    await new Promise((resolve) => setTimeout(resolve, 700)); // an earlier second signal is treated as an echo
    run.child.kill('SIGTERM');

    expect(await run.ended).toBe(1); // 0 if it waited for the request
  });

  test('an older Node is rejected in one line', async () => {
    const old = 'Object.defineProperty(process, "versions", { value: { node: "18.20.4" } })';
    const args = ['--import', `data:text/javascript,${encodeURIComponent(old)}`, program];

    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });

    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^groundwork: Node 20, 22, 24 or 26 is needed, and this is v.*\n$/),
    ]);
  });

  test('without its packages it prints how to install them', ({ folder: copy }) => {
    mkdirSync(join(copy, 'bin'), { recursive: true });
    for (const name of ['start.mjs', 'bundle.mjs']) {
      copyFileSync(join(program, '..', name), join(copy, 'bin', name));
    }

    const { status, stderr } = spawnSync(process.execPath, [join(copy, 'bin/start.mjs')], {
      encoding: 'utf8',
    });

    expect([status, stderr]).toEqual([1, 'groundwork: run npm ci first: packages are missing\n']);
  });

  test('runs a script of each runtime, and prints the result', async ({ serve }) => {
    const run = serve('--memory', '--port', '0');

    await expect
      .poll(() => run.printed.out, { timeout: 60_000 })
      .toMatch(/^Scripts: JavaScript ok \(\d+ ms\), Python .+$/m);
    run.child.kill('SIGTERM');

    expect(await run.ended).toBe(0);
  });

  test('prints its options', async ({ serve }) => {
    const run = serve('--help');

    expect(await run.ended).toBe(0);
    expect(run.printed.out).toMatch(/^Usage: npm start -- \[options\]\n[\s\S]*--registration/);
  });

  test('prints its version', async ({ serve }) => {
    const run = serve('--version');

    expect(await run.ended).toBe(0);
    expect(run.printed.out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test('a folder in use is rejected with the id of the process', async ({ serve, folder }) => {
    const holder = serve('--port', '0', '--data', folder);
    await addressOf(holder);

    const run = serve('--port', '0', '--data', folder);

    expect(await run.ended).toBe(1);
    expect(run.printed.err).toMatch(
      new RegExp(
        `^groundwork: the data folder ${folder} is in use by process ${holder.child.pid} `,
      ),
    );
  });

  test('a taken port is rejected, and the folder is released', async ({ serve, folder }) => {
    const holder = serve('--port', '0', '--memory');
    const port = new URL(await addressOf(holder)).port;

    const run = serve('--port', port, '--data', folder);
    const code = await run.ended;
    const next = serve('--port', '0', '--data', folder);

    expect(code).toBe(1);
    expect(run.printed.err).toBe(
      `groundwork: port ${port} of 127.0.0.1 is taken by another program\n`,
    );
    expect(await addressOf(next)).toContain('http://');
  });

  test.for<[string, string[], number, RegExp]>([
    [
      'an unknown option',
      ['--prot', '1'],
      2,
      /^groundwork: unknown option '--prot' \(see --help\)\n$/,
    ],
    ['a bad value', ['--port', 'x'], 2, /^groundwork: --port takes a number .*\n$/],
    [
      'a foreign address',
      ['--host', '192.0.2.1'],
      1,
      /^groundwork: 192\.0\.2\.1 is no address .*\n$/,
    ],
    [
      'a file as folder',
      ['--data', program],
      1,
      /^groundwork: the data folder .* is not a folder\n$/,
    ],
  ])('%s is one line on standard error', async ([, args, code, message], { serve }) => {
    const run = serve(...args, ...(args.includes('--data') ? [] : ['--memory']));

    expect(await run.ended).toBe(code);
    expect(run.printed.err).toMatch(message);
    expect(run.printed.out).toBe('');
  });

  test('data of a newer data version are one line on standard error', async ({ serve, folder }) => {
    const { store, ...platform } = await openPlatform({
      folder,
      settings: { registration: 'open' } as Settings, // unused here
      log: () => undefined,
      background: { consumers: [], jobTypes: [] },
      url: () => '',
    });
    await write(store, putItem(dataVersionEntity, dataVersionEntity.key(), { version: 9 }));
    await platform.close();

    const run = serve('--port', '0', '--data', folder);

    expect(await run.ended).toBe(1);
    expect(run.printed.err).toBe(
      `groundwork: the data in ${folder} is of a newer version (data version 9, this program knows up to 1)\n`,
    );
  });

  test('data of a newer version is one line on standard error', async ({ serve, folder }) => {
    mkdirSync(folder);
    writeFileSync(join(folder, 'format.json'), '{"format":9}');

    const run = serve('--port', '0', '--data', folder);

    expect(await run.ended).toBe(1);
    expect(run.printed.err).toMatch(/^groundwork: the data in .* is of a newer version \(.*\)\n$/);
  });
});

interface Run {
  readonly child: ChildProcess;
  /** Its output so far. */
  readonly printed: { out: string; err: string };
  /** Its exit code, once it has ended. */
  readonly ended: Promise<number | null>;
}

function runIn(
  cwd: string,
  [command = '', ...args]: readonly string[],
  variables: Readonly<Record<string, string>>,
): Run {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...variables } });
  const printed = { out: '', err: '' };
  child.stdout.on('data', (part) => {
    printed.out += part;
  });
  child.stderr.on('data', (part) => {
    printed.err += part;
  });
  return { child, printed, ended: once(child, 'close').then(([code]) => code) };
}

/** Waits until it listens, and returns its address. */
async function addressOf({ child, printed, ended }: Run): Promise<string> {
  for (;;) {
    const url = /listens on (\S+)\r?\n/.exec(printed.out)?.[1];
    if (url !== undefined) return url;
    const code = await Promise.race([ended, child.stdout && once(child.stdout, 'data')]);
    if (typeof code === 'number') throw new Error(`ended with ${code}: ${printed.err}`);
  }
}
