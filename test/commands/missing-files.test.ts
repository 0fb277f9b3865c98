import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test as base, describe, expect } from 'vitest';
import { maintain } from '../../shared/jobs/maintain.ts';
import { updateItem } from '../../shared/store/writes.ts';
import { objectEntity } from '../../shared/table/entities/classes.ts';
import { expected, openWorld, startApi } from '../support/api.ts';
import { downloadStatus, keyAt, storeFile } from '../support/file-attack.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { makeScript } from '../support/triggers.ts';
import { openProject } from './groundwork.ts';

/* `groundwork doctor --files`, on a folder that a server uses, and on one that none uses. */

const test = base
  .extend('root', { scope: 'file' }, temporaryFolder('groundwork-missing-'))
  .extend('given', { scope: 'file' }, async ({ root }, { onCleanup }) => {
    const given = await setUp(join(root, 'data'));
    onCleanup(given.close);
    return given;
  });

describe.sequential('doctor --files', () => {
  test('finds nothing where all files are there', async ({ given: { api, shop, check } }) => {
    await storeFile(shop, 'kept');
    await makeScript(shop, `//${'x'.repeat(100_000)}`);
    const run = { payload: { text: 'x'.repeat(50_000) } };
    expected(await shop.call(shop.owner, 'POST', 'snippets/scripts/1/run/', run), 200);
    expected(await shop.call(shop.owner, 'POST', 'backups/full/', {}), 201);
    await api.platform.idle();

    expect(await check()).toEqual({ status: 0, stdout: 'No file is missing.\n', stderr: '' });
    expect((await check('--json')).stdout).toBe('[]\n');
  });

  test('lists each record whose file is gone, while a server runs', async ({
    given: { content, lost, check },
  }) => {
    for (const area of ['scripts', 'traces', 'backups'])
      rmSync(join(content, area), { recursive: true });
    rmSync(join(content, keyAt(lost.url)));

    const { status, stdout } = await check('--json');

    const missing = JSON.parse(stdout) as readonly Record<string, string>[];
    expect(status).toBe(1);
    expect(missing.map(({ instance, record, problem }) => [instance, record, problem])).toEqual([
      ['shop-1', 'backup 1 of owner-of-shop-1@example.com', 'missing'],
      ['shop-1', 'class scan, object 1, field f', 'missing'],
      ['shop-1', 'script 1', 'missing'],
      ['shop-1', 'trace 1 of script 1, args', 'missing'],
    ]);
    expect(missing[1]?.file).toBe(keyAt(lost.url));
    expect(await downloadStatus(lost.url)).toBe(404);
  });

  test('lists a value that is not the key of a file, without control characters', async ({
    given: { api, check },
  }) => {
    const { store } = api.platform;
    const [item] = await objectEntity.listAll(store, [1, 2]);
    if (item === undefined) throw new Error('there is no object');
    const values = { ...item.data.values, '1_f': 'public\u001b[2J' };
    await maintain(api.platform, [updateItem(item, { ...item.data, values })]);

    const { status, stdout } = await check();

    expect(status).toBe(1);
    expect(stdout).toMatch(/shop-1 +class scan, object 1, field f +not a file key +public\?\[2J\n/);
  });

  test('works where no server runs', async ({ given: { close, check } }) => {
    await close();

    expect((await check()).stdout).toContain('script 1');
  });

  test('fails for a folder without data', async ({ root }) => {
    const { status, stderr } = await openProject().run(
      'doctor',
      '--files',
      '--data',
      join(root, 'none'),
    );
    writeFileSync(join(root, 'x'), '');

    expect([status, stderr]).toEqual([1, expect.stringContaining('has no store')]);
  });
});

async function setUp(data: string) {
  const api = await startApi({ folder: data });
  const shop = await openWorld(api, 'shop-1');
  let isClosed = false;
  return {
    api,
    shop,
    content: join(data, 'files/content'),
    lost: await storeFile(shop, 'scan'),
    close: async () => {
      if (!isClosed) await api.close();
      isClosed = true;
    },
    check: async (...args: readonly string[]) => {
      const command = ['doctor', '--files', '--data', data, ...args];
      const { status, stdout, stderr } = await openProject().run(...command);
      return { status, stdout, stderr };
    },
  };
}
