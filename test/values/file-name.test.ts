import { describe, expect, it } from 'vitest';
import {
  downloadNameOf,
  extendedParameter,
  extendedValue,
  withoutFolders,
} from '../../shared/values/text/file-name.ts';
import { dispositionOf } from '../../shared/values/uploads.ts';

/** What a header may hold: printable ASCII, which no proxy and no store reads in another way. */
const headerText = /^[\x20-\x7e]*$/;
const family = '👨‍👩‍👧';

describe('the name of a download', () => {
  it.each<[string, string, string | undefined]>([
    ['is kept', 'Film 1 (neu).mp4', 'Film 1 (neu).mp4'],
    ['may be in any script', 'отчёт – 报告 🎬.pdf', 'отчёт – 报告 🎬.pdf'],
    ['may have joined characters', `${family} می‌خواهم.png`, `${family} می‌خواهم.png`],
    ['may have quotes', `"a"; filename=b 'c'.txt`, `"a"; filename=b 'c'.txt`],
    ['has no folders', '../../etc/passwd', 'passwd'],
    ['has no folders of Windows', 'C:\\fakepath\\a.png', 'a.png'],
    ['has no folder that a control character hides', '..\u0000/..\u0000', undefined],
    ['is no folder', 'a/..', undefined],
    ['is no folder among spaces', 'a/ .. ', undefined],
    ['has no ends of lines', 'a\r\nSet-Cookie: b=c.txt', 'aSet-Cookie: b=c.txt'],
    ['has no control characters', '\u0000a\u001b[31m\u007f\u0085.txt', 'a[31m.txt'],
    ['is not reordered', 'photo\u202egpj.exe', 'photogpj.exe'],
    ['has no space around it', ' \ufeff a.txt\u2029\n', 'a.txt'],
    ['is absent when it is empty', ' ', undefined],
    ['is absent when it is that of the store', `${'0a'.repeat(20)}.png`, undefined],
  ])('%s', (_, filename, name) => {
    expect(downloadNameOf(filename)).toBe(name);
  });

  it.each([
    ['letters', 'a'.repeat(10_000), '.pdf'],
    ['letters of two bytes', 'ü'.repeat(5_000), '.pdf'],
    ['characters of four bytes', '🎬'.repeat(2_500), '.mp4'],
    ['letters without extension', 'a'.repeat(10_000), ''],
    ['letters of an extension', 'a.', 'b'.repeat(10_000)],
  ])('has at most 255 bytes of 10,000 with %s', (_, stem, extension) => {
    const name = downloadNameOf(stem + extension) ?? '';

    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
    expect(Buffer.byteLength(name)).toBeGreaterThan(251);
    expect(name.isWellFormed() && `${stem}${extension}`.startsWith(name.slice(0, 50))).toBe(true);
    if (extension.length < 16) expect(name.endsWith(extension)).toBe(true);
  });
});

describe('its header', () => {
  it.each([
    ['a.txt', `inline; filename="a.txt"; filename*=UTF-8''a.txt`],
    [
      'Zürich 🎬.txt',
      `inline; filename="Z_rich _.txt"; filename*=UTF-8''Z%C3%BCrich%20%F0%9F%8E%AC.txt`,
    ],
    [
      `"\\%41'(*).txt`,
      `inline; filename="___41'(*).txt"; filename*=UTF-8''%22%5C%2541%27%28%2A%29.txt`,
    ],
    [undefined, 'inline'],
  ])('of %s', (name, header) => {
    expect(dispositionOf('text/plain', name)).toBe(header);
  });

  it('keeps every name, is ASCII and fits beside a file in S3', () => {
    for (let code = 0; code < 0x3000; code += 1) {
      const name = downloadNameOf(`a${String.fromCharCode(code)}b.txt`);
      const header = dispositionOf('text/html', name);

      expect(header).toMatch(headerText);
      expect(header.startsWith('attachment; filename="')).toBe(true);
      expect(extendedParameter(header, 'filename')).toBe(name);
    }
    const longest = dispositionOf('text/html', downloadNameOf('\u{1f3ac}'.repeat(999)));
    expect(longest.length).toBeLessThan(1500);
  });

  it.each([
    ['inline', undefined],
    ['inline; filename="a"', undefined],
    [`inline; filename*=UTF-8''%E2%82%AC; x=y`, '€'],
    [`inline; filename*=utf-8''a`, undefined],
    [`inline; filename*=UTF-8''%E2%`, undefined],
  ])('is read: %s', (header, name) => {
    expect(extendedParameter(header, 'filename')).toBe(name);
  });
});

it('an extended value is percent-encoded', () => {
  expect(extendedValue(`a !~'()*`)).toBe(`UTF-8''a%20!~%27%28%29%2A`);
});

it.each([
  ['a', 'a'],
  ['/a/', ''],
  ['.', ''],
])('%s without folders', (path, name) => {
  expect(withoutFolders(path)).toBe(name);
});
