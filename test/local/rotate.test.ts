import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { test as base, describe, expect } from 'vitest';
import { routes } from '../../functions/api.ts';
import * as background from '../../functions/jobs.ts';
import { createDispatch } from '../../shared/core/pipeline/dispatch.ts';
import { maintain } from '../../shared/jobs/maintain.ts';
import { openPlatform } from '../../shared/platforms/local/platform.ts';
import { openStore } from '../../shared/platforms/local/store/store.ts';
import { putItem } from '../../shared/store/writes.ts';
import { accountEntity } from '../../shared/table/entities/accounts.ts';
import { pushConfigEntity } from '../../shared/table/entities/push.ts';
import type { PushConfigData } from '../../shared/table/records/push.ts';
import type { AccountData } from '../../shared/table/records/records.ts';
import { responseTemplates } from '../../shared/templates/response-templates.ts';
import { parseKey } from '../../shared/values/keys/credentials.ts';
import { bundleProgram } from '../support/bundled-program.ts';
import { localSettings } from '../support/local-settings.ts';
import { openMovedClock } from '../support/moved-clock.ts';
import { temporaryFolder } from '../support/temporary.ts';

/** The command that adds a version to the secrets of a data folder, and its effect on a server. */

const test = base
  .extend('root', { scope: 'file' }, temporaryFolder('groundwork-rotate-'))
  .extend('given', { scope: 'file' }, ({ root }) => setUp(root));

const versionOf = (key: string) => parseKey(key)?.claims.version;
const version = (number: number) => ({ version: number, secret: 'ab'.repeat(32) });

describe('a running server', { timeout: 60_000 }, () => {
  test('uses the version for new keys within a minute, and accepts keys of both', async ({
    given: { newFolder, rotate },
  }) => {
    const folder = newFolder();
    const clock = openMovedClock();
    const open = () =>
      openPlatform({
        folder,
        settings: localSettings,
        background,
        clock,
        log: () => undefined,
        url: () => 'http://a',
      });
    let platform = await open();
    let people = 0;
    const call = (path: string, body: object, key?: string) =>
      createDispatch(routes, platform, { renderer: responseTemplates })({
        id: 'a',
        method: Object.keys(body).length === 0 ? 'GET' : 'POST',
        path,
        query: new URLSearchParams(),
        headers: key === undefined ? {} : { 'x-api-key': key },
        body: { kind: 'json', value: body },
        sourceAddress: '127.0.0.1',
      });
    const register = async (): Promise<string> => {
      people += 1;
      const person = { email: `p${people}@example.com`, password: 'p' };
      const { body } = await call('/v1.1/account/register/', person);
      return (body as { account_key: string }).account_key;
    };
    const statusOf = async (key: string) => (await call('/v1.1/account/', {}, key)).status;

    const before = await register();
    expect(await rotate('add', '--data', folder)).toMatchObject({ code: 0 });
    const early = await register();
    clock.forward(60);
    const late = await register();
    const statuses = [await statusOf(before), await statusOf(early), await statusOf(late)];
    await platform.close();
    platform = await open();
    const restarted = await register();
    statuses.push(await statusOf(before), await statusOf(late), await statusOf(restarted));
    await platform.close();

    expect([before, early, late, restarted].map(versionOf)).toEqual([1, 1, 2, 2]);
    expect(statuses).toEqual(Array(6).fill(200));
  });
});

describe('while a server runs', { timeout: 60_000 }, () => {
  test('status counts credentials by version, and a version is removed', async ({
    given: { newFolder, rotate },
  }) => {
    const folder = newFolder();
    const clock = openMovedClock();
    const platform = await openPlatform({
      folder,
      background,
      clock,
      settings: localSettings,
      log: () => undefined,
      url: () => 'http://a',
    });
    const keyed = (secret_version: number) => ({ secret_version, generation: 1 });
    const sealed = await platform.vault.seal('a credential', { of: 'someone' });
    const credential = { kind: 'key', sealed, shown: 'x' };
    await maintain(platform, [
      putItem(accountEntity, accountEntity.key(1), keyed(1) as AccountData),
      putItem(accountEntity, accountEntity.key(2), keyed(2) as AccountData),
      putItem(pushConfigEntity, pushConfigEntity.key(5, 'gcm'), {
        development: { credential: null },
        production: { credential },
      } as PushConfigData),
    ]);
    await rotate('add', '--data', folder);

    const status = await rotate('status', '--data', folder);
    const retired = await rotate('retire', '1', '--data', folder, '--yes');
    const before = await platform.secrets.get(1);
    clock.forward(60);
    const after = await platform.secrets.get(1);
    await platform.close();

    expect(status.stdout.split('\n').slice(1)).toEqual([
      expect.stringMatching(/^1 +old +1 +0 +0 +0 +0 +0 +1$/),
      expect.stringMatching(/^2 +new keys use it +1 +0 +0 +0 +0 +0 +0$/),
      '',
    ]);
    expect(retired).toEqual({
      code: 0,
      stderr: '',
      stdout: `Version 1 of the master secret of ${folder}: 1 account keys, 1 push credentials\nRemoved version 1\n`,
    });
    expect([before?.version, after]).toEqual([1, undefined]);
  });
});

describe('a version is removed', { timeout: 60_000 }, () => {
  test.for<[string, string, object]>([
    ['when its number is typed', '1\n', { code: 0, left: 1 }],
    ['not when something else is typed', 'y\n', { code: 1, left: 2 }],
    ['not when nothing is typed', '', { code: 1, left: 2 }],
  ])('%s', async ([, typed, expected], { given }) => {
    expect(await given.retire(typed)).toEqual(expected);
  });
});

test('adds a version after the highest, and keeps file mode and the versions before', {
  timeout: 60_000,
}, async ({ given: { newFolder, rotate } }) => {
  const folder = newFolder({ current: 7, versions: [version(7), version(3)] });

  const result = await rotate('add', '--data', folder);

  const { current, versions } = JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8'));
  expect(result).toEqual({
    code: 0,
    stderr: '',
    stdout: `Added version 8 to the master secret of ${folder}\n`,
  });
  expect([current, versions]).toEqual([
    8,
    [version(7), version(3), { version: 8, secret: expect.stringMatching(/^[0-9a-f]{64}$/) }],
  ]);
  expect(statSync(join(folder, 'secrets.json')).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['secrets.json']);
});

test('keeps the versions of several commands at the same time', { timeout: 60_000 }, async ({
  given: { newFolder, rotate },
}) => {
  const folder = newFolder({ current: 1, versions: [version(1)] });

  const results = await Promise.all([1, 2, 3].map(() => rotate('add', '--data', folder)));

  const added = results.filter(({ code }) => code === 0).length;
  const { current, versions } = JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8'));
  expect(added).toBeGreaterThanOrEqual(1);
  expect([current, versions.length]).toEqual([1 + added, 1 + added]);
});

describe('is rejected, and changes nothing,', { timeout: 60_000 }, () => {
  test.for<[string, object | string | undefined, string]>([
    ['without secrets', undefined, 'is missing: restore it from a backup'],
    ['with damaged secrets', '{', 'is damaged: restore it from a backup'],
    ['after version 255', { current: 255, versions: [version(255)] }, 'has version 255'],
  ])('%s', async ([, secrets, reason], { given: { newFolder, rotate } }) => {
    const folder = newFolder(secrets);
    const path = join(folder, 'secrets.json');
    const before = existsSync(path) && readFileSync(path, 'utf8');

    const result = await rotate('add', '--data', folder);

    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toMatch(/^rotate: .*\n$/);
    expect(result.stderr).toContain(reason);
    expect(existsSync(path) && readFileSync(path, 'utf8')).toBe(before);
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  test.for<[string, string[], string]>([
    ['nothing to do', [], 'say what to do: add, status'],
    ['something else to do', ['remove'], 'say what to do: add, status'],
    ['two places', ['add', '--data', 'a', '--secret', 'arn:b'], 'exclude each other'],
    ['no folder', ['add', '--data', ''], '--data takes a folder'],
    ['another option', ['add', '--force'], '--force'],
  ])('when called with %s', async ([, args, reason], { given: { rotate } }) => {
    const result = await rotate(...args);

    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(reason);
  });
});

test('--help prints its usage', { timeout: 60_000 }, async ({ given: { rotate } }) => {
  const { code, stdout } = await rotate('--help');

  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining('Usage: npm run rotate -- add|status|retire N'),
  ]);
});

function setUp(root: string) {
  const bundle = bundleProgram('rotate', root);
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  const run = (...args: readonly string[]) =>
    promisify(execFile)(process.execPath, [bundle, ...args], { cwd });
  async function rotate(...args: readonly string[]) {
    try {
      return { code: 0, ...(await run(...args)) };
    } catch (error) {
      return error as { code: number; stdout: string; stderr: string };
    }
  }
  function newFolder(secrets?: object | string): string {
    const folder = mkdtempSync(join(root, 'data-'));
    const text = typeof secrets === 'string' ? secrets : JSON.stringify(secrets);
    if (secrets !== undefined) writeFileSync(join(folder, 'secrets.json'), text, { mode: 0o600 });
    return folder;
  }
  async function retire(typed: string) {
    const folder = newFolder({ current: 2, versions: [version(1), version(2)] });
    mkdirSync(join(folder, 'store'));
    const store = await openStore({ path: join(folder, 'store'), now: () => 0 });
    await store.close();
    const running = run('retire', '1', '--data', folder);
    running.child.stdin?.end(typed);
    const { code } = await running.then(
      () => ({ code: 0 }),
      (error: unknown) => error as { code: number },
    );
    const file = JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8'));
    return { code, left: file.versions.length };
  }
  return { rotate, newFolder, retire };
}
