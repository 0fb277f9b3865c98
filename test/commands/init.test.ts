import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { addInit } from '../../bin/groundwork/commands/init.ts';
import { openTerminal } from '../../bin/groundwork/terminal.ts';
import { startApi } from '../support/api.ts';
import { openProject } from './groundwork.ts';

async function start() {
  const api = await startApi();
  onTestFinished(() => api.close());
  return { url: api.url, ...openProject() };
}

const account = ['--email', 'ada@example.com', '--password', 'a secret'];

test('init registers an account, and creates an instance and a key', async () => {
  const { url, folder, run } = await start();

  const ended = await run('init', '--url', url, '--instance', 'library', ...account, '--json');

  expect(ended).toMatchObject({ status: 0, stderr: '' });
  expect(JSON.parse(ended.stdout)).toMatchObject({
    ...{ url, instance: 'library' },
    ...{ registered: true, instance_created: true },
  });
  const lines = readFileSync(join(folder, '.env'), 'utf8').trim().split('\n');
  expect(lines.map((line) => line.split('=')[0])).toEqual([
    'GROUNDWORK_URL',
    'GROUNDWORK_INSTANCE',
    'GROUNDWORK_ACCOUNT_KEY',
    'GROUNDWORK_API_KEY',
  ]);
  expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('.env\n');
  expect(await run('open', '--print')).toMatchObject({
    status: 0,
    stdout: `${url}/console/#/i/library\n`,
  });
});

test.each([
  ['secret1', 'needs at least 8 characters'],
  ['Password1', 'one of the most common passwords'],
])('init registers no account with the password %s', async (password, text) => {
  const { url, run } = await start();
  const init = ['init', '--url', url, '--instance', 'library', '--email', 'ada@example.com'];

  const refused = await run(...init, '--password', password);
  const next = await run(...init, '--password', 'a secret');

  expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining(text) });
  expect(next.stdout).toMatch(/^Registered ada@example.com\nCreated the instance library/);
});

test('init takes the short password of an account that exists', async () => {
  const { url, run } = await start();
  const credentials = { email: 'ada@example.com', password: 'secret' };
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify(credentials);
  await fetch(`${url}/v1.1/account/register/`, { method: 'POST', headers, body });

  const ended = await run(
    ...['init', '--url', url, '--instance', 'library'],
    ...['--email', credentials.email, '--password', credentials.password],
  );

  expect(ended).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Created/) });
});

describe('on a terminal, init asks before it registers an address', () => {
  /** Runs init with a person who says no. */
  async function initWith(...args: readonly string[]) {
    const { url, folder } = await start();
    vi.stubEnv('XDG_CONFIG_HOME', join(folder, '.config'));
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const asked: string[] = [];
    const agrees = (question: string) => {
      asked.push(question);
      return Promise.resolve(false);
    };
    const program = new Command().exitOverride();
    addInit(program, () => ({ ...openTerminal({ isJson: true }), agrees, result: () => {} }));
    const given = ['init', folder, '--url', url, '--instance', 'library', ...account, ...args];
    const ended = await program.parseAsync(given, { from: 'user' }).then(
      () => 'registered',
      ({ message }: Error) => message,
    );
    return { url, asked, ended };
  }

  test('and registers nothing without consent', async () => {
    const { url, asked, ended } = await initWith();

    expect(ended).toBe('nothing was registered');
    expect(asked).toEqual([`ada@example.com has no account on ${url}. Register it?`]);
  });

  test('unless --yes is given', async () => {
    expect(await initWith('--yes')).toMatchObject({ asked: [], ended: 'registered' });
  });
});

test('init uses an account and an instance that exist, and keeps other variables', async () => {
  const { url, folder, run } = await start();
  await run('init', '--url', url, '--instance', 'library', ...account);

  const again = await run('init');

  expect(again).toMatchObject({ status: 2, stderr: expect.stringContaining('give --instance') });
  expect(await run('init', '--instance', 'library')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^Found the instance library/),
  });
  expect(readFileSync(join(folder, '.env'), 'utf8').trim().split('\n')).toHaveLength(4);
});

test('init --example writes a project that can be pushed, over no other file', async () => {
  const { url, folder, run } = await start();
  const init = (name: string) =>
    run('init', '--example', '--url', url, '--instance', name, ...account);

  const ended = await init('library');
  const pushed = await run('push', '--json');
  const again = await init('library-2');
  const other = await run('pull', '--instance', 'library-2');

  expect([ended.status, readdirSync(folder).sort()]).toEqual([
    0,
    ['.env', '.gitignore', 'books.ts', 'groundwork.yml', 'package.json', 'scripts'],
  ]);
  expect(JSON.parse(pushed.stdout).changes).toHaveLength(3);
  expect(again).toMatchObject({
    status: 2,
    stderr: 'groundwork: --example: books.ts exists already\n',
  });
  expect(other).toMatchObject({ status: 1, stderr: expect.stringContaining('no instance') });
});

test('login remembers the key for its server only', async () => {
  const { url, run } = await start();
  await run('init', '--url', url, '--instance', 'library', ...account);

  expect(await run('login', '--url', url, '--email', 'ada@example.com', '--password', 'x')).toEqual(
    {
      status: 1,
      stdout: '',
      stderr: `groundwork: wrong password for ada@example.com on ${url}\n`,
    },
  );
  expect(await run('login', '--url', url, ...account)).toMatchObject({ status: 0 });
  const other = openProject();
  expect(await other.run('types', '--url', url, '--instance', 'library')).toMatchObject({
    status: 2,
    stderr: `groundwork: there is no account key for ${url}: run groundwork login --url ${url}\n`,
  });
});

/** Changes the key of the account, as a reset does; the one in .env is not valid any more. */
async function resetKey(url: string, key: string): Promise<void> {
  const reset = `${url}/v1.1/account/reset_key/`;
  const { status } = await fetch(reset, { method: 'POST', headers: { 'X-API-KEY': key } });
  expect(status).toBe(200);
}

test('login replaces a key in .env that is not valid any more', async () => {
  const { url, folder, run } = await start();
  await run('init', '--url', url, '--instance', 'library', ...account);
  const env = () => readFileSync(join(folder, '.env'), 'utf8');
  const keyOf = (text: string) => /^GROUNDWORK_ACCOUNT_KEY=(.*)$/m.exec(text)?.[1] ?? '';
  const before = env();
  await resetKey(url, keyOf(before));

  const failed = await run('types');
  const login = await run('login', '--url', url, ...account);
  const after = await run('types');

  expect(failed).toMatchObject({
    status: 1,
    stderr: 'groundwork: the key in .env is not valid any more: run groundwork login --save\n',
  });
  expect(login.stdout).toMatch(/; the key is in .*credentials.json and in \.env\n$/);
  expect(after).toMatchObject({ status: 0, stderr: '' });
  expect(env().replace(keyOf(env()), '')).toBe(
    `${before.replace(/GROUNDWORK_ACCOUNT_KEY=.*\n/, '')}GROUNDWORK_ACCOUNT_KEY=\n`,
  );
  expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
});

test('login --save writes .env, and changes none of another server', async () => {
  const { url, folder, run, runWith } = await start();
  await run('init', '--url', url, '--instance', 'library', ...account);
  writeFileSync(join(folder, '.env'), 'OTHER=1\n');
  const login = ['login', '--url', url, ...account];
  const env = () => readFileSync(join(folder, '.env'), 'utf8');

  await run(...login);
  const plain = env();
  const saved = await run(...login, '--save', '--json');
  const written = env();
  writeFileSync(
    join(folder, '.env'),
    'GROUNDWORK_URL=http://127.0.0.1:1\nGROUNDWORK_ACCOUNT_KEY=k\n',
  );
  const other = await run(...login, '--save');
  const otherPlain = await run(...login);
  const variable = await runWith({ GROUNDWORK_ACCOUNT_KEY: 'x', GROUNDWORK_URL: url }, ...login);

  expect(plain).toBe('OTHER=1\n');
  expect(JSON.parse(saved.stdout)).toMatchObject({
    url,
    email: 'ada@example.com',
    env_written: true,
  });
  expect(written).toMatch(
    new RegExp(`^OTHER=1\\nGROUNDWORK_URL=${url}\\nGROUNDWORK_ACCOUNT_KEY=\\w+\\n$`),
  );
  expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('.env\n');
  expect(other).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('.env is for http://127.0.0.1:1: '),
  });
  expect([otherPlain.status, env()]).toEqual([
    0,
    'GROUNDWORK_URL=http://127.0.0.1:1\nGROUNDWORK_ACCOUNT_KEY=k\n',
  ]);
  expect(variable.stderr).toContain('GROUNDWORK_ACCOUNT_KEY is set in the environment');
});

test.each([
  ['an unknown command', ['logi'], 2, 'Did you mean one of login'],
  ['an unknown option', ['login', '--x'], 2, "unknown option '--x'"],
  ['an address that is none', ['login', '--url', 'x'], 2, 'x is not the address of a server'],
  [
    'a server that does not respond',
    ['login', '--url', 'http://127.0.0.1:9', ...account],
    1,
    'no response',
  ],
])('%s ends with its exit code', async (_name, args, status, text) => {
  expect(await openProject().run(...args)).toMatchObject({
    status,
    stderr: expect.stringContaining(text),
  });
});
