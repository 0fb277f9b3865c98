import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LocalFiles, openFiles } from '../../shared/platform/local/files/files.ts';
import { hasFile } from '../support/has-file.ts';
import { filesConform } from './conformance.ts';

const folder = mkdtempSync(join(tmpdir(), 'groundwork-files-test-'));
const log = () => undefined;
const hour = 3_600_000;
let files: LocalFiles;
let now = Date.now();
const open = (path: string) =>
  openFiles({ folder: path, durable: true, url: () => 'http://x:1', nowMs: () => now, log });

beforeAll(async () => {
  files = await open(join(folder, 'main'));
});
afterAll(() => {
  files.close();
  rmSync(folder, { recursive: true });
});

filesConform('a folder', () => files);

const text = { bytes: Buffer.from('text'), contentType: 'text/plain' };

test('files are in the folder under their keys, for its owner only', async () => {
  await files.put('public/3/4/name.txt', text);

  const path = join(folder, 'main/content/public/3/4/name.txt');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
});

test.each([
  '../x',
  'a/../b',
  '/etc/passwd',
  'a//b',
  '.',
  '..',
  '',
  'a/',
  'a\\b',
  'a\u0000b',
  '.hidden/a',
  '%2e%2e/a',
  'a/.b',
])('%j is not a key', async (key) => {
  await expect(files.put(key, text)).rejects.toThrow('no key of a file');
  await expect(files.get(key)).rejects.toThrow('no key of a file');
  await expect(files.remove([key])).rejects.toThrow('no key of a file');
  await expect(files.copy(key, 'a/b')).rejects.toThrow('no key of a file');
  await expect(files.openUpload(key, { contentType: '', maxBytes: 1, seconds: 1 })).rejects.toThrow(
    'no key of a file',
  );
});

test('an incomplete upload leaves no file', async () => {
  async function* broken() {
    yield Buffer.from('half');
    throw new Error('the line is cut');
  }

  const stored = files.receive('uploads/1/1/half', 'text/plain', broken());

  await expect(stored).rejects.toThrow('the line is cut');
  expect(await hasFile(files, 'uploads/1/1/half')).toBe(false);
  expect(readdirSync(join(folder, 'main/drafts'))).toEqual([]);
});

test('an incomplete file of a killed server is deleted at the next start', async () => {
  const path = join(folder, 'killed');
  (await open(path)).close();
  writeFileSync(join(path, 'drafts/half'), 'x');

  (await open(path)).close();

  expect(readdirSync(join(path, 'drafts'))).toEqual([]);
});

test.each(['uploads', 'traces'])(
  '%s that are a day old are deleted at the next start, and nothing else',
  async (area) => {
    now = Date.now();
    const path = join(folder, `aged-${area}`);
    const first = await open(path);
    await first.put(`${area}/1/1/old`, text);
    await first.copy(`${area}/1/1/old`, 'public/1/1/kept');
    first.close();

    now += 23 * hour;
    const second = await open(path);
    const before = await hasFile(second, `${area}/1/1/old`);
    second.close();
    now += 2 * hour;
    const third = await open(path);
    const after = [
      await hasFile(third, `${area}/1/1/old`),
      await hasFile(third, 'public/1/1/kept'),
    ];
    third.close();

    expect([before, after]).toEqual([true, [false, true]]);
  },
);
