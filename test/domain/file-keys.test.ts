import { describe, expect, it } from 'vitest';
import {
  extensionOf,
  fileKey,
  filePrefix,
  fileUrl,
  isFileOf,
  isUploadKey,
  keyOfUrl,
  sourcePrefix,
  tracePrefix,
  uploadPrefix,
} from '../../shared/values/file-keys.ts';

const hex = '0123456789abcdef0123456789abcdef01234567';

describe('the prefix of keys', () => {
  it.each([
    ['of the files of an instance', filePrefix(7), 'public/7/'],
    ['of the files of a class', filePrefix(7, 3), 'public/7/3/'],
    ['of the files of the first class', filePrefix(7, 0), 'public/7/0/'],
    ['of the uploads of a user', uploadPrefix(7, 3, 9), 'uploads/7/3/9/'],
    ['of the uploads without user', uploadPrefix(7, 3, undefined), 'uploads/7/3/0/'],
    ['of the sources of an instance', sourcePrefix(7), 'scripts/7/'],
    ['of the sources of a script', sourcePrefix(7, 5), 'scripts/7/5/'],
    ['of the traces of an instance', tracePrefix(7), 'traces/7/'],
  ])('%s', (_, prefix, expected) => {
    expect(prefix).toBe(expected);
  });
});

describe('a key', () => {
  it.each([
    ['', ''],
    ['.png', '.png'],
    ['.PNG', '.png'],
    ['.mp4', '.mp4'],
    [`.${'x'.repeat(15)}`, `.${'x'.repeat(15)}`],
    [`.${'x'.repeat(16)}`, ''],
    ['.', ''],
    ['.a b', ''],
    ['.ä', ''],
    ['.a/b', ''],
    ['.png\n', ''],
    ['x.png', ''],
  ])('with the extension "%s" ends with "%s"', (extension, end) => {
    expect(fileKey('public/7/3/', `${hex}89ab`, extension)).toBe(`public/7/3/${hex}${end}`);
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
    expect(isUploadKey(text)).toBe(isKey);
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
    expect(isFileOf(7, key)).toBe(isOwn);
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
