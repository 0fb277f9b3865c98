import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { maintain } from '../../shared/jobs/maintain.ts';
import { updateItem } from '../../shared/store/writes.ts';
import { objectEntity } from '../../shared/table/entities/classes.ts';
import { type Api, expected, openWorld, startApi, type World } from '../support/api.ts';
import { downloadStatus, keyAt, type StoredFile, storeFile } from '../support/file-attack.ts';
import { makeScript } from '../support/triggers.ts';
import { openProject } from './groundwork.ts';

/* `groundwork doctor --files`, on a folder that a server uses, and on one that none uses. */

const root = mkdtempSync(join(tmpdir(), 'groundwork-missing-'));
const data = join(root, 'data');
const content = join(data, 'files/content');
let api: Api;
let shop: World;
let lost: StoredFile;
let isClosed = false;

async function close() {
  if (!isClosed) await api.close();
  isClosed = true;
}

beforeAll(async () => {
  api = await startApi({ folder: data });
  shop = await openWorld(api, 'shop-1');
});
afterAll(async () => {
  await close();
  rmSync(root, { recursive: true });
});

async function check(...args: readonly string[]) {
  const { status, stdout, stderr } = await openProject().run(
    'doctor',
    '--files',
    '--data',
    data,
    ...args,
  );
  return { status, stdout, stderr };
}

describe.sequential('doctor --files', () => {
  test('finds nothing where all files are there', async () => {
    lost = await storeFile(shop, 'scan');
    await storeFile(shop, 'kept');
    await makeScript(shop, `//${'x'.repeat(100_000)}`);
    const run = { payload: { text: 'x'.repeat(50_000) } };
    expected(await shop.call(shop.owner, 'POST', 'snippets/scripts/1/run/', run), 200);
    expected(await shop.call(shop.owner, 'POST', 'backups/full/', {}), 201);
    await api.platform.idle();

    expect(await check()).toEqual({ status: 0, stdout: 'No file is missing.\n', stderr: '' });
    expect((await check('--json')).stdout).toBe('[]\n');
  });

  test('lists each record whose file is gone, while a server runs', async () => {
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

  test('lists a value that is not the key of a file, without control characters', async () => {
    const { store } = api.platform;
    const [item] = await objectEntity.listAll(store, [1, 2]);
    if (item === undefined) throw new Error('there is no object');
    const values = { ...item.data.values, '1_f': 'public\u001b[2J' };
    await maintain(api.platform, [updateItem(item, { ...item.data, values })]);

    const { status, stdout } = await check();

    expect(status).toBe(1);
    expect(stdout).toMatch(/shop-1 +class scan, object 1, field f +not a file key +public\?\[2J\n/);
  });

  test('works where no server runs', async () => {
    await close();

    expect((await check()).stdout).toContain('script 1');
  });

  test('fails for a folder without data', async () => {
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
