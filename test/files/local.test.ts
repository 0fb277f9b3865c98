import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, describe, expect, onTestFinished } from 'vitest';
import { openFiles } from '../../shared/platforms/local/files/files.ts';
import { temporarySecrets } from '../../shared/platforms/local/secrets.ts';
import { dataOwner, objectFiles } from '../../shared/values/file-keys.ts';
import { hasFile, ownedKey } from '../support/has-file.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { filesConform } from './conformance.ts';

const test = base
  .extend('folder', { scope: 'file' }, temporaryFolder('groundwork-files-test-'))
  .extend('files', { scope: 'file' }, async ({ folder }, { onCleanup }) => {
    const files = await open(join(folder, 'main'));
    onCleanup(() => files.close());
    return files;
  });

filesConform('a folder', test);

const hour = 3_600_000;
const text = { bytes: Buffer.from('text'), contentType: 'text/plain' };

const name = (letter: string) => letter.repeat(40);
const owner = dataOwner(3);
const own = ownedKey(`public/3/4/${name('a')}.txt`).key;

test('files are in the folder under their keys, for its owner only', async ({ folder, files }) => {
  await files.put(owner, own, text);

  const path = join(folder, 'main/content', own);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
});

test('a file that can have no more links is copied', async ({ folder, files }) => {
  const [from, to] = [`public/3/4/${name('d')}.txt`, `private/3/4/${name('e')}.txt`].map(ownedKey);
  if (from === undefined || to === undefined) throw new Error('there are two');
  await files.put(owner, from.key, text);
  const links = mkdtempSync(join(folder, 'links-'));
  for (const part of ['content', 'types']) exhaust(join(folder, 'main', part, from.key), links);

  expect(await files.copy(from, to)).toBe(true);
  expect(await files.get(owner, to.key)).toEqual(text);
});

test('a folder in the place of a file is not deleted', async ({ folder, files }) => {
  const { key } = ownedKey(`public/3/4/${name('f')}`);
  const path = join(folder, 'main/content', key);
  mkdirSync(path);
  writeFileSync(join(path, 'x'), '');

  await expect(files.remove(owner, [key])).rejects.toThrow();

  expect(readdirSync(path)).toEqual(['x']);
  rmSync(path, { recursive: true });
});

test('symbolic links are not followed', async ({ folder, files }) => {
  const outside = mkdtempSync(join(tmpdir(), 'groundwork-files-outside-'));
  onTestFinished(() => rmSync(outside, { recursive: true }));
  mkdirSync(join(outside, '7'));
  const names = ['f', '0'].map(name);
  for (const each of names) writeFileSync(join(outside, '7', each), 'secret');
  const content = join(folder, 'main/content/public');
  symlinkSync(outside, join(content, '9'));
  mkdirSync(join(content, '10/7'), { recursive: true });
  const types = join(folder, 'main/types/public/10/7');
  mkdirSync(types, { recursive: true });
  writeFileSync(join(types, name('f')), 'text/plain');
  symlinkSync(join(outside, '7', name('f')), join(content, '10/7', name('f')));
  const linked = ownedKey(`public/9/7/${name('f')}`);
  const link = ownedKey(`public/10/7/${name('f')}`);

  await expect(files.get(link.owner, link.key)).rejects.toThrow('ELOOP');
  await expect(files.remove(linked.owner, [linked.key])).rejects.toThrow('a link');
  await expect(files.removeAll(objectFiles(9, 7))).rejects.toThrow('a link');
  await files.removeAll(objectFiles(9));
  await files.remove(link.owner, [link.key]);

  expect(readdirSync(join(outside, '7')).sort()).toEqual(names.sort());
  expect([existsSync(join(content, '9')), readdirSync(join(content, '10/7'))]).toEqual([false, []]);
});

test('an incomplete upload leaves no file', async ({ folder, files }) => {
  async function* broken() {
    yield Buffer.from('half');
    throw new Error('the line is cut');
  }

  const upload = ownedKey(`uploads/1/1/0/${name('a')}`);
  const stored = files.receive(upload, 'text/plain', broken());

  await expect(stored).rejects.toThrow('the line is cut');
  expect(await hasFile(files, upload.key)).toBe(false);
  expect(readdirSync(join(folder, 'main/drafts'))).toEqual([]);
});

test('an incomplete file of a killed server is deleted at the next start', async ({ folder }) => {
  const path = join(folder, 'killed');
  (await open(path)).close();
  writeFileSync(join(path, 'drafts/half'), 'x');

  (await open(path)).close();

  expect(readdirSync(join(path, 'drafts'))).toEqual([]);
});

test.for(['uploads', 'traces'])(
  '%s that are a day old are deleted at the next start, and nothing else',
  async (area, { folder }) => {
    const time = { nowMs: Date.now() };
    const path = join(folder, `aged-${area}`);
    const first = await open(path, time);
    const old = ownedKey(`${area}/1/${area === 'uploads' ? '1/0/' : ''}${name('a')}`);
    const kept = ownedKey(`public/1/1/${name('b')}`);
    await first.put(old.owner, old.key, text);
    await first.copy(old, kept);
    first.close();

    time.nowMs += 23 * hour;
    const second = await open(path, time);
    const before = await hasFile(second, old.key);
    second.close();
    time.nowMs += 2 * hour;
    const third = await open(path, time);
    const after = [await hasFile(third, old.key), await hasFile(third, kept.key)];
    third.close();

    expect([before, after]).toEqual([true, [false, true]]);
  },
);

describe('the name of a file', () => {
  const [from, to] = [`uploads/1/1/0/${name('d')}.txt`, `public/1/1/${name('d')}.txt`].map(
    ownedKey,
  );

  test('is kept with the type, also by a copy, and is not part of it', async ({ files }) => {
    if (from === undefined || to === undefined) throw new Error('there are two');
    const filename = 'a; name*=b "ü".txt';
    const contentType = 'text/plain; charset=utf-8';
    await files.receive({ ...from, filename }, contentType, (async function* () {})());

    await files.copy(from, to);
    const [opened, read] = [await files.open(to.owner, to.key), await files.get(to.owner, to.key)];
    await opened?.handle.close();

    expect(opened).toMatchObject({ contentType, filename });
    expect(read).toEqual({ bytes: Buffer.of(), contentType });
  });

  test('is absent where none was stored', async ({ files }) => {
    await files.put(owner, own, text);
    const opened = await files.open(owner, own);
    await opened?.handle.close();

    expect(opened).toMatchObject({ contentType: text.contentType, filename: undefined });
  });
});

/** Opens the files of a folder, at a time that a test may change. */
function open(folder: string, time = { nowMs: Date.now() }) {
  return openFiles({
    folder,
    durable: true,
    url: () => 'http://x:1',
    nowMs: () => time.nowMs,
    secrets: temporarySecrets(),
    log: () => undefined,
  });
}

/** Links a file as often as the file system allows it; some allow any number. */
function exhaust(path: string, links: string): void {
  const mostLinks = 65_000;
  try {
    for (let count = 0; count < mostLinks; count += 1) {
      linkSync(path, join(links, `${statSync(path).ino}-${count}`));
    }
  } catch (error) {
    expect(error).toMatchObject({ code: 'EMLINK' });
  }
}
