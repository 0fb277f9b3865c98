import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packTar } from 'modern-tar';
import { expect, onTestFinished, test } from 'vitest';
import {
  archiveBytes,
  packBackup,
  unpackArchive,
} from '../../../shared/platforms/local/backup/archive.ts';

const facts = { name: 'groundwork-1', items: 7, files: 1 };

function makeFolders() {
  const folder = mkdtempSync(join(tmpdir(), 'groundwork-archive-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [from, to] = [join(folder, 'from'), join(folder, 'to')];
  mkdirSync(join(from, 'store'), { recursive: true });
  mkdirSync(join(from, 'files', 'content', 'public', '1'), { recursive: true });
  mkdirSync(to);
  writeFileSync(join(from, 'store', 'data.mdb'), Buffer.alloc(300_001, 'x'));
  writeFileSync(join(from, 'store', 'lock.mdb'), '');
  for (const name of ['log-1', 'log-2']) writeFileSync(join(from, 'store', name), name);
  writeFileSync(join(from, 'format.json'), '{}');
  writeFileSync(join(from, 'files', 'content', 'public', '1', 'a.txt'), '');
  return { folder, from, to };
}

test('an archive has the files of a backup, and no more bytes than expected', async () => {
  const { from, to } = makeFolders();
  const [counted, unpacked] = packBackup(from, facts).tee();

  const bytes = (await new Response(counted).arrayBuffer()).byteLength;
  const manifest = await unpackArchive(unpacked, to);

  expect(bytes).toBeLessThanOrEqual(await archiveBytes(from));
  expect(manifest).toEqual({
    version: 1,
    ...facts,
    digest: expect.stringMatching(/^[\da-f]{64}$/),
  });
  expect(readFileSync(join(to, 'store', 'data.mdb')).length).toBe(300_001);
  expect(readFileSync(join(to, 'store', 'log-2'), 'utf8')).toBe('log-2');
  expect(existsSync(join(to, 'files', 'content', 'public', '1', 'a.txt'))).toBe(true);
  expect(existsSync(join(to, 'store', 'lock.mdb'))).toBe(false);
});

test('a file of the store that an archive may not have is not left out silently', async () => {
  const { from } = makeFolders();
  writeFileSync(join(from, 'store', 'log-3'), 'x');

  await expect(new Response(packBackup(from, facts)).arrayBuffer()).rejects.toThrow(
    'a backup has no store/log-3',
  );
});

const manifest = JSON.stringify({ version: 1, ...facts, digest: '0'.repeat(64) });
const file = (name: string, body = 'x') => ({ header: { name, size: body.length }, body });
const link = {
  header: { name: 'files/content/a', size: 0, type: 'symlink', linkname: '/etc' },
} as const;

test.each<[string, Parameters<typeof packTar>[0], string]>([
  ['no manifest', [file('format.json')], 'the manifest is missing'],
  ['another digest', [file('format.json'), file('manifest.json', manifest)], 'the digest differs'],
  ['a path that leads out', [file('files/content/../../../evil')], 'an entry is not of a backup'],
  ['an absolute path', [file('/tmp/evil')], 'an entry is not of a backup'],
  ['a file of another name', [file('control.sock')], 'an entry is not of a backup'],
  ['a path with an empty part', [file('files/content//a')], 'an entry is not of a backup'],
  ['a link', [link], 'an entry is not of a backup'],
  ['a file twice', [file('format.json'), file('format.json')], 'EEXIST'],
  ['a large manifest', [file('manifest.json', ' '.repeat(65_537))], 'the manifest is too large'],
])('an archive with %s is rejected', async (_, entries, message) => {
  const { folder, to } = makeFolders();
  const archive = new Blob([await packTar(entries)]).stream();

  await expect(unpackArchive(archive, to)).rejects.toThrow(message);
  expect(existsSync(join(folder, 'evil'))).toBe(false);
});
