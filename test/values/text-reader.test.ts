import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  decodeFile,
  openTextReader,
  type TextOptions,
} from '../../shared/values/text/text-reader.ts';

function inParts(bytes: Uint8Array, size: number, options?: TextOptions): string {
  const reader = openTextReader(options);
  let text = '';
  for (let at = 0; at < bytes.length; at += size) text += reader.add(bytes.subarray(at, at + size));
  return text + reader.end();
}

const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le');

test.each<[string, Uint8Array, TextOptions, string]>([
  ['UTF-8', Buffer.from('Köln'), {}, 'Köln'],
  ['UTF-8 with a mark', Buffer.from('\uFEFFKöln'), {}, 'Köln'],
  ['Windows-1252', Buffer.from([0x80, 0xfc, 0x93]), { encoding: 'windows-1252' }, '€ü“'],
  ['Latin-1', Buffer.from([0xfc]), { encoding: 'latin1' }, 'ü'],
  ['Shift_JIS', Buffer.from([0x93, 0xfa]), { encoding: 'shift_jis' }, '日'],
  ['UTF-16 with a mark', utf16('Köln'), { isUtf16Found: true }, 'Köln'],
  ['UTF-16, big', utf16('Köln').swap16(), { isUtf16Found: true }, 'Köln'],
  ['UTF-16 that is named', utf16('Köln'), { encoding: 'utf-16le' }, 'Köln'],
  ['nothing', Buffer.from(''), {}, ''],
])('%s is read in parts of any size', (_, bytes, options, text) => {
  for (const size of [1, 2, 3, 100]) expect(inParts(bytes, size, options)).toBe(text);
});

test.each<[string, Uint8Array, TextOptions, string]>([
  [
    'Latin-1',
    Buffer.from('a\r\nb\r\nM\u00fcnchen', 'latin1'),
    {},
    'line 3: the bytes are not text in UTF-8',
  ],
  [
    'a cut character',
    Buffer.from([0x61, 0x0a, 0xc3]),
    {},
    'line 2: the bytes are not text in UTF-8',
  ],
  ['UTF-16', utf16('a'), {}, 'the byte order mark is that of UTF-16le, not of UTF-8'],
  [
    'UTF-8 with a mark as Windows-1252',
    Buffer.from('\uFEFFa'),
    { encoding: 'cp1252' },
    'the byte order mark is that of UTF-8, not of windows-1252',
  ],
  [
    'an unknown encoding',
    Buffer.from('a'),
    { encoding: 'klingon' },
    'there is no encoding klingon',
  ],
])('%s is an error', (_, bytes, options, message) => {
  for (const size of [1, 2, 100]) expect(() => inParts(bytes, size, options)).toThrow(message);
});

test('bytes are read as text that has the same bytes, or are an error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
      const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
      const start = isMarked ? bytes.subarray(3) : bytes;
      let text: string;
      try {
        text = decodeFile(bytes);
      } catch {
        return;
      }

      expect([...Buffer.from(text)]).toEqual([...start]);
    }),
  );
});
