import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test as base, describe, expect } from 'vitest';
import * as background from '../../functions/jobs.ts';
import { openDataFolder } from '../../shared/platforms/local/files/data-folder.ts';
import { openPlatform } from '../../shared/platforms/local/platform.ts';
import { localSettings } from '../support/local-settings.ts';
import { temporaryFolder } from '../support/temporary.ts';

const test = base
  .extend('root', temporaryFolder('groundwork-folder-'))
  .extend('path', ({ root }) => join(root, 'data')) // which does not exist yet
  .extend('filled', ({ path }) => fill(path)); // with data of a stopped server

test('a folder is created for its owner only, with its parents', async ({ root }) => {
  const path = join(root, 'deep', 'down');

  const folder = await openDataFolder(path);

  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(folder).toMatchObject({ path, isNew: true });
  await folder.release();
});

test('it is new until it is marked', async ({ path }) => {
  const first = await openDataFolder(path);
  await first.release();
  const second = await openDataFolder(path);
  await second.markFormat('a store');
  await second.release();

  const third = await openDataFolder(path);
  await third.release();

  expect([first.isNew, second.isNew, third.isNew]).toEqual([true, true, false]);
  expect([first.store, second.store, third.store]).toEqual([undefined, undefined, 'a store']);
});

describe('a folder in use', () => {
  test.for<[string, string]>([
    ['with a short path', ''],
    ['with a path too long for a socket', 'x'.repeat(120)],
  ])(
    '%s is rejected while its holder runs, and free after that is killed',
    async ([, name], { root }) => {
      const path = join(root, 'data', name);
      const holder = await holdElsewhere(path);

      const message = await openDataFolder(path).catch((error: Error) => error.message);
      await kill(holder);
      const leftover = existsSync(join(path, 'lock.sock'));
      const after = await openDataFolder(path);
      await after.release();

      expect(message).toMatch(
        new RegExp(`is in use by process ${holder.pid} since \\d{4}-\\d\\d-\\d\\dT`),
      );
      expect(leftover).toBe(true);
    },
  );

  test('by the same process is rejected as well, until it is released', async ({ path }) => {
    const first = await openDataFolder(path);

    const message = await openDataFolder(path).catch((error: Error) => error.message);
    await first.release();
    const second = await openDataFolder(path);
    await second.release();

    expect(message).toContain(`in use by process ${process.pid}`);
  });

  test('a holder that is too busy to respond keeps the lock', async ({ path }) => {
    const holder = await holdElsewhere(path);
    holder.kill('SIGSTOP');

    const message = await openDataFolder(path).catch((error: Error) => error.message);
    await kill(holder);

    expect(message).toContain('in use by another process');
  });

  test('after a kill, one of several new processes gets it', async ({ path }) => {
    await kill(await holdElsewhere(path));

    const results = await Promise.allSettled([1, 2, 3, 4].map(() => openDataFolder(path)));

    const won = results.filter((result) => result.status === 'fulfilled');
    expect(won).toHaveLength(1);
    await won[0]?.value.release();
  });
});

describe('a folder that cannot be used', () => {
  test('data of a newer version', async ({ path }) => {
    mkdirSync(path);
    writeFileSync(join(path, 'format.json'), '{"format":4}\n');

    await expect(openDataFolder(path)).rejects.toThrow(
      `the data in ${path} is of a newer version (format 4, this program reads up to 3)`,
    );
    await expect(openDataFolder(path)).rejects.toThrow('newer version'); // and empty
  });

  test.for<[string, string[], string]>([
    ['a project', ['package.json', 'src', 'readme.md', '.git'], '.git, package.json, readme.md, …'],
    ['a file of its name among others', ['secrets.json', 'photos'], 'photos'],
  ])('%s, which stays unchanged', async ([, names, listed], { path }) => {
    mkdirSync(path);
    for (const name of names) writeFileSync(join(path, name), '');

    await expect(openDataFolder(path)).rejects.toThrow(
      `the folder ${path} holds files that are not Groundwork's (${listed}): name an empty or new folder`,
    );
    expect(readdirSync(path)).toEqual([...names].sort());
  });

  test('what a start that was killed has left is no reason, nor is the root of a disk', async ({
    path,
  }) => {
    mkdirSync(path);
    for (const name of ['store', 'files', 'lost+found']) mkdirSync(join(path, name));
    for (const name of ['secrets.json', 'format.json.0a1b.draft'])
      writeFileSync(join(path, name), '');

    const folder = await openDataFolder(path);
    await folder.release();

    expect(folder.isNew).toBe(true);
  });

  test('files that were added to data are no reason', async ({ path }) => {
    const folder = await openDataFolder(path);
    await folder.markFormat('a store');
    await folder.release();
    writeFileSync(join(path, 'notes.txt'), '');

    await (await openDataFolder(path)).release();
  });

  test('a file', async ({ path }) => {
    writeFileSync(path, '');

    await expect(openDataFolder(path)).rejects.toThrow(`the data folder ${path} is not a folder`);
  });

  test('a path below a file', async ({ path }) => {
    writeFileSync(path, '');

    await expect(openDataFolder(join(path, 'x'))).rejects.toThrow('is not a folder');
  });

  test('a path where nothing can be created', async () => {
    await expect(openDataFolder('/proc/groundwork/a')).rejects.toThrow('cannot be made');
  });

  test.skipIf(process.getuid?.() === 0)('a folder without write permission', async ({ path }) => {
    mkdirSync(path, { mode: 0o500 });

    await expect(openDataFolder(path)).rejects.toThrow(`the data folder ${path} is not writable`);
  });
});

describe('platform', () => {
  test('keeps items and secrets over a restart, and releases the folder', async ({
    path: folder,
  }) => {
    const first = await open(folder);
    const secret = await first.secrets.current();
    const number = await first.store.next({ pk: 'a', sk: 'b' });
    await first.close();

    const second = await open(folder);
    const later = await second.store.next({ pk: 'a', sk: 'b' });

    expect(await second.secrets.current()).toEqual(secret);
    expect(later).toBeGreaterThan(number);
    expect(second).toMatchObject({ folder, settings: localSettings });
    expect(statSync(join(folder, 'store')).mode & 0o777).toBe(0o700);
    await second.close();
  });

  test('rejects lost secrets where data exist, and releases the folder', async ({
    filled: folder,
  }) => {
    rmSync(join(folder, 'secrets.json'));

    await expect(open(folder)).rejects.toThrow('secrets.json is missing');
    await expect(open(folder)).rejects.toThrow('secrets.json is missing');
  });

  test('records its store in format.json, by a random id that stays', async ({
    root,
    filled: folder,
  }) => {
    const first = formatOf(folder);
    await (await open(folder)).close();

    expect(first).toEqual({ format: 3, store: expect.stringMatching(/^[0-9a-f]{24}$/) });
    expect(formatOf(folder)).toEqual(first);
    expect(formatOf(await fill(join(root, 'other'))).store).not.toBe(first.store);
  });

  test('of an older program uses the id of its store, or a new one without an id', async ({
    filled: folder,
  }) => {
    const { store } = formatOf(folder);
    writeFileSync(join(folder, 'format.json'), '{"format":1}\n');

    await (await open(folder)).close();

    expect(formatOf(folder)).toEqual({ format: 3, store });
  });

  test.for(['data.mdb', ''])(
    'whose store/%s is missing is rejected, and left unchanged',
    async (name, { filled: folder }) => {
      rmSync(join(folder, 'store', name), { recursive: true });
      const before = readdirSync(folder);

      await expect(open(folder)).rejects.toThrow(
        `the store in ${folder} is gone, and other files are there: restore the whole folder`,
      );
      await expect(open(folder)).rejects.toThrow('is gone');
      expect(readdirSync(folder)).toEqual(before);
    },
  );

  test('with the store of another folder is rejected until its own is restored', async ({
    root,
    filled: one,
  }) => {
    const other = await fill(join(root, 'other'));
    const [kept, store] = [join(root, 'kept'), join(one, 'store')];
    renameSync(store, kept);
    cpSync(join(other, 'store'), store, { recursive: true });

    const message = `the store in ${one} is not the one that the other files there belong to`;
    await expect(open(one)).rejects.toThrow(message);
    await expect(open(one)).rejects.toThrow(message);
    rmSync(store, { recursive: true });
    renameSync(kept, store);

    await (await open(one)).close();
  });

  test('a store without format.json and secrets gets no new secrets', async ({
    filled: folder,
  }) => {
    rmSync(join(folder, 'format.json'));
    rmSync(join(folder, 'secrets.json'));

    await expect(open(folder)).rejects.toThrow('secrets.json is missing');
  });

  test('in memory it creates no folder', async () => {
    const platform = await open(undefined);

    expect(platform.folder).toBeUndefined();
    expect(await platform.store.next({ pk: 'a', sk: 'b' })).toBe(1);
    await platform.close();
  });
});

const module = new URL('../../shared/platforms/local/files/data-folder.ts', import.meta.url)
  .pathname;

/** Starts a process and waits until it has locked the folder. */
async function holdElsewhere(folder: string): Promise<ChildProcess> {
  const program = `const { openDataFolder } = await import(${JSON.stringify(module)});
    await openDataFolder(${JSON.stringify(folder)});
    console.log('held');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

function open(folder: string | undefined) {
  const url = () => 'http://127.0.0.1:3000';
  return openPlatform({ folder, settings: localSettings, log: () => undefined, url, background });
}

async function fill(folder: string): Promise<string> {
  await (await open(folder)).close();
  return folder;
}

const formatOf = (folder: string) => JSON.parse(readFileSync(join(folder, 'format.json'), 'utf8'));
