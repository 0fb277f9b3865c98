import { describe, expect, it } from 'vitest';
import {
  archivedFileKey,
  archiveFiles,
  areaOf,
  chunkKey,
  deploymentOwner,
  extensionOf,
  type FileFolder,
  folderOf,
  folderPrefix,
  letterFileKey,
  manifestKey,
  movedFileKey,
  newFileKey,
  objectFiles,
  readFileKey,
  readKeyOf,
  sourceFiles,
  storedKeyOf,
  traceFiles,
  uploadedFiles,
} from '../../shared/values/file-keys.ts';
import { fileUrl, keyOfUrl, readUploadKey } from '../../shared/values/files/file-addresses.ts';
import { foreignTexts } from '../files/conformance.ts';
import { ownedKey } from '../support/has-file.ts';

const hex = '0123456789abcdef0123456789abcdef01234567';
const ids = { random: () => hex.slice(0, 24) };
const made = `${hex.slice(0, 24)}${hex.slice(0, 16)}`;

describe('the prefix of keys', () => {
  it.each([
    ['of the files of an instance', objectFiles(7), 'public/7/'],
    ['of the files of a class', objectFiles(7, 3), 'public/7/3/'],
    ['of the files of the first class', objectFiles(7, 0), 'public/7/0/'],
    ['of the uploads of a user', uploadedFiles(7, 3, 9), 'uploads/7/3/9/'],
    ['of the uploads without user', uploadedFiles(7, 3, undefined), 'uploads/7/3/0/'],
    ['of the sources of an instance', sourceFiles(7), 'scripts/7/'],
    ['of the sources of a script', sourceFiles(7, 5), 'scripts/7/5/'],
    ['of the traces of an instance', traceFiles(7), 'traces/7/'],
    ['of an archive', archiveFiles(8, 2), 'backups/8/2/'],
    ['of restored contents', objectFiles(30_000_000_007), 'public/30000000007/'],
  ])('%s', (_, folder, expected) => {
    expect(folderPrefix(folder)).toBe(expected);
  });
});

describe('a key', () => {
  it.each([
    ['a', ''],
    ['a.png', '.png'],
    ['a.PNG', '.png'],
    ['a.mp4', '.mp4'],
    [`a.${'x'.repeat(15)}`, `.${'x'.repeat(15)}`],
    [`a.${'x'.repeat(16)}`, ''],
    ['a.', ''],
    ['a.a b', ''],
    ['a.ä', ''],
    ['a.a/b', ''],
    ['a.png\n', ''],
    ['../../x', ''],
    ['', ''],
  ])('of a file named "%s" ends with "%s"', (filename, end) => {
    expect(newFileKey(objectFiles(7, 3), ids, filename)).toBe(`public/7/3/${made}${end}`);
  });

  const folders: readonly (readonly [FileFolder, string])[] = [
    [objectFiles(7, 3), `public/7/3/${made}`],
    [uploadedFiles(7, 3, 9), `uploads/7/3/9/${made}`],
    [sourceFiles(7, 5), `scripts/7/5/${made}`],
    [traceFiles(7), `traces/7/${made}`],
  ];

  it.each(folders)('is in its folder %j', (folder, expected) => {
    const key = newFileKey(folder, ids);

    expect(key).toBe(expected);
    expect(folderOf(key)).toEqual(folder);
    expect(readKeyOf(folder.owner, folder.area, key)).toBe(key);
  });

  it.each([
    ['a folder without the numbers of its area', () => newFileKey(objectFiles(7), ids)],
    ['a name that is not random', () => newFileKey(traceFiles(7), { random: () => 'x' })],
    ['a short name', () => newFileKey(traceFiles(7), { random: () => 'ab' })],
    ['a letter with a path', () => letterFileKey('../x')],
    ['a negative chunk', () => chunkKey(archiveFiles(1, 1), -1)],
    ['an archive without backup', () => manifestKey({ ...archiveFiles(1, 1), numbers: [] })],
  ])('cannot be made of %s', (_, make) => {
    expect(make).toThrow();
  });

  it('of an archive has its backup; files of contents keep class or script', () => {
    const archive = archiveFiles(8, 2);
    const { key } = ownedKey(`public/7/3/${hex}.png`);
    const copy = archivedFileKey(archive, key);

    expect([manifestKey(archive), chunkKey(archive, 12), copy]).toEqual([
      'backups/8/2/manifest',
      'backups/8/2/items/12',
      `backups/8/2/files/public/3/${hex}.png`,
    ]);
    expect(folderOf(copy ?? key)).toEqual(archive);
    expect(movedFileKey(key, 30_000_000_007)).toBe(`public/30000000007/3/${hex}.png`);
    expect(archivedFileKey(archive, ownedKey(`traces/7/${hex}`).key)).toBeUndefined();
    expect(movedFileKey(manifestKey(archive), 7)).toBeUndefined();
  });

  it('of a dead letter belongs to the deployment', () => {
    const key = letterFileKey('0123456789abcdef01234567');

    expect(key).toBe('dead-letters/0123456789abcdef01234567');
    expect([areaOf(key), folderOf(key).owner]).toEqual(['dead-letters', deploymentOwner]);
  });

  it.each(foreignTexts)('of the instance 1 is not %j', (text) => {
    const owner = { kind: 'data', id: 1 } as const;
    for (const area of ['public', 'uploads', 'scripts', 'traces'] as const) {
      expect(readKeyOf(owner, area, text)).toBeUndefined();
      expect(() => storedKeyOf(owner, area, text)).toThrow('not a file key');
    }
  });

  it('has an id that a number can hold', () => {
    expect(readFileKey(`traces/9007199254740991/${hex}`)).toBeDefined();
    expect(readFileKey(`traces/9007199254740993/${hex}`)).toBeUndefined();
  });
});

describe('the extension of a filename', () => {
  it.each([
    ['photo.png', '.png'],
    ['Photo.PNG', '.PNG'],
    ['archive.tar.gz', '.gz'],
    ['a.b', '.b'],
    ['photo', ''],
    ['', ''],
    ['.profile', ''],
    ['..profile', ''],
    ['photo.', '.'],
    ['photo..', ''],
  ])('"%s" has "%s"', (filename, extension) => {
    expect(extensionOf(filename)).toBe(extension);
  });
});

describe('the key of a large upload', () => {
  it.each([
    [`uploads/7/3/0/${hex}`, true],
    [`uploads/7/3/9/${hex}.png`, true],
    [`uploads/1234567890/1234567890/1234567890/${hex}.${'x'.repeat(15)}`, true],
    [`uploads/1234567890123456/3/9/${hex}`, true],
    [`uploads/12345678901234567/3/9/${hex}`, false],
    [`uploads/7/3/9/${hex}.${'x'.repeat(16)}`, false],
    [`uploads/7/3/9/${hex}.PNG`, false],
    [`uploads/7/3/9/${hex}.`, false],
    [`uploads/7/3/9/${hex}/..`, false],
    [`uploads/7/3/9/${hex.slice(1)}`, false],
    [`uploads/7/3/9/${hex.toUpperCase()}`, false],
    [`uploads/7/3/${hex}`, false],
    [`public/7/3/${hex}`, false],
    [`/uploads/7/3/9/${hex}`, false],
    ['', false],
  ])('%s: %s', (text, isKey) => {
    expect(readUploadKey(text) !== undefined).toBe(isKey);
  });
});

describe('the file of an instance', () => {
  it.each([
    [`public/7/3/${hex}.png`, true],
    [`public/7/3/${hex}`, true],
    [`public/70/3/${hex}.png`, false],
    [`public/07/3/${hex}.png`, false],
    [`public/3/7/${hex}.png`, false],
    [`uploads/7/3/0/${hex}`, false],
    [`scripts/7/3/${hex}`, false],
    [`public/7/3/${hex}.png?`, false],
    ['public/7/3/', false],
  ])('%s: %s', (key, isOwn) => {
    expect(readKeyOf({ kind: 'data', id: 7 }, 'public', key) !== undefined).toBe(isOwn);
  });
});

describe('the URL of a file', () => {
  const base = 'https://files.example.org';

  it('has the key without its area, and leads back to the key', () => {
    const key = `public/7/3/${hex}.png`;

    expect(fileUrl(base, key)).toBe(`https://files.example.org/7/3/${hex}.png`);
    expect(keyOfUrl(base, fileUrl(base, key))).toBe(key);
  });

  it.each([
    ['another host', `https://example.org/7/3/${hex}.png`],
    ['another host of the same length', `https://pages.example.org/7/3/${hex}.png`],
    ['a host that begins alike', `https://files.example.org.evil.org/7/3/${hex}.png`],
    ['no slash', `https://files.example.org7/3/${hex}.png`],
    ['a query', `https://files.example.org/7/3/${hex}.png?a`],
    ['a way up', `https://files.example.org/../uploads/7/3/0/${hex}`],
    ['no host', `/7/3/${hex}.png`],
    ['the host alone', 'https://files.example.org/'],
  ])('with %s has no key', (_, url) => {
    expect(keyOfUrl(base, url)).toBeUndefined();
  });
});
